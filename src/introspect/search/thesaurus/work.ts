/** Words of planning, teams, offices and messages. The notation is explained in `../read-thesaurus.ts`. */
export const WORK = `
issue = ticket = bug = task = story = item = card
issue = problem = defect = incident = case
issue, ticket, bug, defect, task, to do, todo, story, card, chore, backlog item > issue ticket task story item work
ticket, bug, task, story, defect, epic, boards > work item
bug, crash, error, defect > bug issue error
log a bug, file a bug, report a bug, raise a bug, open a bug, lodge a bug, log an issue, file an issue, report an issue, raise an issue, open an issue, lodge an issue, log a ticket, file a ticket, report a ticket, raise a ticket, open a ticket, lodge a ticket, log a defect, file a defect, report a defect, raise a defect, open a defect, lodge a defect, bug report > create issue add ticket
feature request, user story > story issue feature item
to do, todo, to-do, action item > todo task
task = todo = job
subtask = child = sub
parent = ancestor
epic = initiative = feature
sprint, iteration, cycle, timebox > iteration sprint cycle
sprint = iteration = cycle
milestone = release = version = target
milestone, release target, deadline > milestone version due date
deadline, due, due date, target date > due date deadline milestone
backlog = queue
board, kanban > board project column
lane, column > column list state
objective, okr, goal > objective goal key result
roadmap = plan
workflow = automation = process = pipeline
automation, recipe, zap, scenario, flow > workflow automation flow
priority = severity = urgency = importance
urgent, critical, pressing ~ priority label severity
duplicate ticket, same problem, same bug > related link duplicate relation
relation = relationship = dependency = link
blocker, blocked by, depends on > dependency link relation
label = tag = category = topic
tagged, labelled, labeled > label tag
field = attribute = property = column
custom field > field property
comment = remark = note = reply = discussion = feedback = annotation
remark, feedback, opinion, thoughts, reply, note, notes > comment note
discussion = thread = conversation
conversation = chat = dialog
attachment = file = enclosure
assignee = owner = responsible
owner, maintainer, in charge, responsible > owner assignee maintainer
time spent, hours, timesheet, worklog > time log worklog entry
activity = event = history = update = timeline = feed
activity, been up to, been working on, lately > activity recent update event history
recent = latest = last = newest
recently, lately, past, latest, newest, last > recent latest list
history = log = changelog = revision = audit
who did, who changed, trail, audit trail > audit history log event activity
user = member = person = people = account = collaborator
user, member, teammate, colleague, coworker, co-worker, staff, employee, person, people, guy, folks, peer > user member person account
team = group = squad = department = organization
group = team
organization = company = org = workspace = tenant = enterprise
organization, company, firm, business > organization company account
contact = person = customer = lead
customer = client = buyer = consumer = contact
lead, prospect > lead contact deal
deal = opportunity
my own, myself, me, who am i, my profile, my account, logged in as > me myself profile current user whoami
profile = account = bio = user
role = permission = access = privilege
permission, right, rights, access, who can, allowed to > permission role access policy
invitation = invite
admin = administrator = owner
manager = boss = supervisor
report to, reports to > manager
direct reports, works for > report manager
availability = free = busy = schedule
free, available, free time, open slot, when can, find a time, who is free, free busy > availability schedule free busy meeting time freebusy
meeting = appointment = event = call = invite
meeting, appointment, catch up, catch-up, one on one, get together, standup, stand-up, lunch > meeting event calendar
calendar = agenda = schedule = planner
what's on, my day, agenda, diary, tomorrow, today, this week > calendar event view list
reminder = notification = alert = alarm
vacation, holiday, time off, out of office, pto, leave > vacation out office automatic reply absence leave
out of office, away message > autoreply automatic reply vacation setting
notification = alert = message
email = mail = message = letter
email, mail, e-mail, letter > mail email message
inbox, mailbox > inbox mail message folder mailbox
joint, common > shared
shared = common = joint
mailing, newsletter, bulletin, mail shot > email campaign newsletter mail
campaign = mailing = newsletter
subscriber = recipient = contact = audience
segment = audience = list
template = layout = boilerplate = preset
standard, canned, boilerplate > template
signature = footer
spam, junk > spam junk
mail rule, auto sort, automatically sort > rule filter
filter = rule
draft = unsent
recipient = to
message = text = chat = dm = post
message, dm, direct message, pm, text > message send chat
chat = channel = room = conversation
channel = room = chat = space
room, chatroom, chat room > channel room chat
thread = reply = conversation
slack message, post in channel > message channel post
follower = friend = subscriber = user
direct report, org chart > manager organization
sms, text message > sms message text
voice, phone call, ring, dial > call voice phone
phone = mobile = telephone
note = memo = page = notebook
jot, note, notes, memo, scribble > note page notebook
notebook = section = page
wiki, handbook, knowledge base, manual, how-to article, how to, article > wiki page document article
wiki = page = handbook
documentation = docs = documents = manual = reference = guide
documentation, docs, manual, handbook, how-to, howto, snippets, sample, samples, instructions, usage examples > documentation docs search guide example
article = page = post = story
document = doc = page = file = record
quiz, questionnaire, survey > form survey
survey = form = poll
answer sheet, responses > response submission form
contract, agreement > document contract
sign, e-sign > sign signature
approval = review = sign
review = feedback = approval
awaiting, pending, waiting, outstanding, not yet > pending open review list
open ~ list active
overdue, late > overdue due
unread, new mail > unread mail message
search mail > mail message search
interview, candidate, applicant, hire, hiring, recruit > candidate applicant job application
job posting, vacancy, opening, position > job posting
resume, cv, curriculum > resume file document
payslip, salary, wage > payroll salary
training, course, class, lesson > course lesson
student, pupil, learner > student user
grade, mark > grade score
teacher, instructor > teacher instructor
`;
