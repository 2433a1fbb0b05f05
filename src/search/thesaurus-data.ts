/**
 * What people do, in everyday words, and what operations call it. The notation is explained in `./thesaurus.ts`.
 */
export const DEEDS = `
create = make = generate = produce = build = compose
create = add = new = insert = register = define
create > set up, setup, spin up, stand up, whip up, put together, start a new, come up with
set up, spin up, stand up, bring up, get going > create provision setup initialize configure launch
provision = allocate = instantiate
initialize = init = bootstrap = scaffold
draw, sketch, paint > create generate render chart diagram
draft, jot, jot down, note down, write down > create write add note draft
write, author, type up > create compose draft
log, file, raise, report, open, lodge ~ create submit
record, capture, track ~ create log save
add, put, include, tack on, throw in > add create insert append attach
attach, enclose > attach upload add attachment
insert = append = prepend
import = ingest = load = upload
upload, send up, hand in > upload import put
save, store, keep, stash, remember, persist > save store create write memory
save = store = persist
duplicate = copy = clone = replicate = fork
copy, another one just like, same again > duplicate clone copy fork
get = fetch = retrieve = read = obtain = load
list = enumerate = browse
show, display, view, see, look at, pull up, bring up, check out, open up, let me see > get list view show read
read, open, view > get read fetch view
grab, pull, pull down, pull in, pull out, take, collect, gather > get fetch download retrieve extract
which, what are, all the, every, any > list search
how many, number of, count of, tally > count list total statistics quota
how much > get amount price usage cost
who is, who are, who's > user member get list
find = search = query = lookup = locate
search, look for, look up, hunt, hunt down, track down, seek, dig up, where is > search find query list
hunt = search
mention, contain, about, regarding ~ search find
filter = query = where
match = hit = result
check, see whether, see if, make sure, verify, confirm > check verify validate get test
verify = validate = confirm
prove > verify validate
inspect = examine = describe = explain
explain, walk me through, help me understand, tell me about > explain describe get documentation
details, info, information, particulars, specifics, facts > get describe details info
detail = info = information
status = state = progress = health
how far, how is it going, how's it going, coming along, is it done, finished, done yet > status progress get
summarize = summary = overview = digest = report
compare = diff = difference = contrast = delta
difference, what changed, changes between, changes since > diff compare change history
changed = modified = updated
analyze = analysis = inspect = evaluate = assess
audit = review = scan = inspect
investigate, look into, dig into, figure out, diagnose, troubleshoot, debug, why is, why does, why did > analyze diagnose explain get search
update = edit = modify = change = alter = revise = amend
update = patch = set
change, tweak, adjust, fix up, correct, touch up, swap, make it, turn into > update edit modify set change
bump, raise, increase, boost, enlarge > update upgrade increase scale resize set
lower, decrease, reduce, shrink, cut down > update decrease downgrade scale resize set
bigger, larger, more powerful, beefier > upgrade scale resize
smaller, cheaper > downgrade scale resize
rename, call it, retitle, give a new name > rename update name
call ~ rename name
reword, rewrite, rephrase, wording > update edit text set
replace = substitute = swap = overwrite
move = relocate = transfer = reparent
move, drag over, shift > move transfer update
reorder = sort = rearrange = order
assign, hand over, give to, put on > assign update assignee add
hand over, transfer ownership, pass on > transfer assign owner
delete = remove = destroy = erase = purge = drop
delete = unregister = uninstall = detach
delete, wipe, nuke, scrap, trash, bin, discard, dump, ditch, get rid of, throw away, throw out, toss, kill off, clear out, take down, take away, zap, ax, axe, do away with, blow away, lose > delete remove
dispose, eliminate, retire, decommission, tear down > delete remove destroy
wipe, empty, clean out, clear out, flush > clear purge delete empty reset
clear = empty = reset = flush
obsolete, stale, unused, old, no longer needed, leftover ~ delete remove cleanup prune
for good, permanently, forever, once and for all > delete purge permanent
clean up, tidy, tidy up, prune > cleanup delete prune remove
drop, retire, shut, shut down, close down > delete close stop archive remove
drop = delete
end = finish = terminate = complete
unlink, unhook, disconnect, separate, detach > remove unlink detach disconnect
revoke, withdraw, take back, pull back > revoke delete remove
archive, put away, shelve, mothball > archive update
restore = recover = undelete = unarchive = revert
restore, bring back, get back, put back, undo, roll back, go back to, reinstate > restore revert rollback recover undo reset
undo = revert = rollback
start = launch = begin = initiate = trigger
run = execute = invoke = trigger = call
run, kick off, fire off, fire, fire up, trigger, launch, set off, kick > run trigger execute start dispatch call
fire, hit ~ send post request call
start, boot, boot up, power on, turn on, wake up, bring online > start enable boot
stop = halt = terminate = kill = end = abort = cancel
stop, kill, shut down, power off, turn off, switch off, put a stop to, call off, end, quit, break off > stop terminate cancel kill disable
kill = terminate = force
stuck, frozen, unresponsive ~ process terminate kill restart
restart = reboot = relaunch = reload
restart, bounce, turn off and on, power cycle > restart reboot
pause = suspend = hold = snooze
resume = continue = unpause = unsuspend
silence, quiet, hush, stop alerting, shut up > mute downtime silence suppress snooze
mute = silence = downtime = suppress
enable = activate = allow
enable, turn on, switch on, flip on, unlock > enable activate toggle update
disable = deactivate
disable, turn off, switch off, flip off > disable deactivate toggle update
toggle = flip = switch
lock = freeze = block = restrict
block = ban = deny = forbid
not allowed, off limits, prohibited > blocked denied restricted
allow, permit, let in, whitelist, grant > allow grant permission add access
approve, sign off, green light, ok, give the go ahead > approve accept review
reject, turn down, decline, refuse > reject decline deny
rsvp > accept decline respond event
deploy = release = publish = rollout = ship
ship, push live, go live, roll out, put live, launch, put into production, push out > deploy release publish rollout
publish = post
put online, host > deploy host publish upload website
upgrade = update
install = setup = add
configure = config = setup = setting
send = deliver = dispatch = post = push
send, shoot, fire off, drop, ping, deliver, tell, let know, write to > send message post email notify
notify = alert = tell = inform
forward, pass along > forward send
reply = respond = answer = response
answer, get back to, write back > reply respond answer send
post, share, publish, put up > post create publish send
broadcast, everyone, everybody, all followers, all subscribers, blast > broadcast send multicast
share, give access, let others, hand out > share permission invite link add
invite, bring in, onboard > invite add member user
subscribe = follow = watch
follow, keep an eye on, stay posted, get notified > watch subscribe follow monitor
unfollow, stop following, stop watching, stop getting > unsubscribe unwatch unfollow delete watch watching subscription
unsubscribe = unfollow = unwatch
join = enter
leave = exit
react, thumbs up, emoji > reaction add
vote = poll
pin, bookmark, star, favorite, favourite > pin star favorite bookmark
link = connect = relate = associate = relation = reference
link, tie, tie together, relate, cross reference, hook up, pair, connect > link relation relate associate connect add
merge = combine = join = consolidate
combine, put together, fold into > merge combine
split = divide = separate
close, wrap up, finish, mark done, mark as done, mark complete, tick off, check off > close complete resolve update status transition
done = complete = completed = finished = closed = resolved
reopen = open
resolve = fix = close
schedule = plan = book
book, reserve, arrange, pencil in, put on the calendar > schedule create book event reserve
postpone, push back, put off, reschedule > reschedule update event
wait = sleep = delay
download = export = save
download, save locally, get a copy, to my computer > download export clone
export = dump
convert = transform = translate = format
turn, convert, make into > convert transform extract generate
translate, say in > translate
parse = extract
extract, pull out, strip out > extract parse scrape
calculate = compute = work out = evaluate
add up, sum, sum up, total up, total > aggregate sum total count
aggregate = group = sum = statistics = stats
group by, break down by, per month > aggregate group
predict, forecast, guess > predict forecast estimate
estimate = predict = approximate
reason, think, think through, ponder, step by step, in stages > think thinking reasoning sequential
brainstorm, plan out > think plan
solve, work out > solve think calculate
test, try, try out, trial > test run simulate check
preview = draft = sandbox
monitor = watch = observe = track
ask = question = query = chat
learn, how to, how do, tutorial, guide > documentation docs search guide
recommend = suggest = advise
suggest, advice, tips, what should, how could, speed up, faster, improve > suggest recommend advisor optimize performance
optimize = improve = performance
rank = rerank = score = order
subset, only the > filter
tag = label = categorize
untag, unlabel > remove delete label tag
mark, flag > mark update set flag
sync = synchronize = refresh
refresh = reload = update
back up, backup, snapshot > backup snapshot create
rotate, renew, reissue > rotate regenerate renew refresh
regenerate = rotate = reset
zoom = scale
crop, resize, rotate image > resize transform image
highlight, point out > highlight annotate
hide = collapse = conceal
fill, fill in, fill out, type in, enter > fill type input form
press, tap, push, hit > click tap press
click = tap = press
type = enter = input = write
hover = mouse
scroll, swipe > scroll swipe
pick, choose, select > select choose option
drag = drop = move
navigate, visit, go to, head to, surf, browse to > navigate open goto url
ahead, forward > forward next
back, previous page, step back > back previous
next, more, rest of, next page, remaining > next more continue page
paginate = page = cursor = offset
`;

/** Words of customers, money, marketing, people and everyday life. The notation is explained in `./thesaurus.ts`. */
export const BUSINESS = `
crm, customer database > contact company deal customer
pipeline stage, sales stage, funnel stage > deal stage pipeline
sales rep, salesperson, account manager > owner user
touchpoint, engagement, interaction > activity engagement note
case, support request, complaint, help request > ticket case conversation
help desk, helpdesk, customer support, support desk > ticket support
canned response, macro, saved reply > macro template reply
satisfaction, happy customers, csat, nps > satisfaction survey rating score
escalate, raise to a manager > escalate assign priority
merge duplicates, duplicate contacts, same person twice > merge duplicate
unsubscribe list, opt out, do not contact > unsubscribe suppression
bounced, undelivered, did not arrive > bounce delivery status event
open rate, click rate, how did the campaign do > report statistics campaign analytics metric
seo, search ranking, keyword ranking > keyword rank search
backlink = link
ad, ads, advert, advertisement, commercial > ad campaign
ad spend, ad budget > budget campaign spend
landing page, signup page > page form
lead form, contact form > form
coupon = voucher = promotion
gift card, store credit > gift card credit
catalogue, catalog, assortment > product catalog
sku, variant, size and colour > variant sku product
stock, in stock, out of stock, restock > inventory stock quantity level
warehouse, depot = location
supplier, vendor > vendor supplier
purchase order, procurement > purchase order
fulfil, fulfill, ship out, dispatch, send the parcel > fulfillment shipping shipment create
track a parcel, where is my package, delivery status > tracking shipment status
return, send back, rma > return refund
abandoned cart, left in the cart > checkout abandoned cart
accounting, bookkeeping, books, ledger > account journal ledger transaction
journal entry, booking > journal entry
reconcile, match payments > reconcile transaction bank
profit and loss, p&l, income statement > profit loss report statement
balance sheet, trial balance > balance sheet report
cash flow > cash flow report
expense, expenses, outlay, reimbursement > expense claim
overdue invoice, unpaid, who owes, outstanding invoices, owed > invoice unpaid overdue list
send a bill, bill a customer, invoice a client > invoice create send finalize
recurring payment, standing order, monthly charge > subscription recurring
cancel membership, stop paying, end subscription > cancel subscription
change plan, switch plan, upgrade plan, downgrade plan > update subscription plan
payment link, pay page > payment link
card, credit card, debit card, bank card > card payment method
bank transfer, wire, payout > transfer payout
wallet, balance, funds > balance wallet
customer details, billing address > customer
currency, euros, dollars, pounds > currency amount
wages, salary, salaries, pay slip, payroll run > payroll salary compensation
new hire, joiner, starter > employee onboarding create
leaver, offboard, quit > employee offboarding terminate
sick, sick day, absence > absence leave
holiday allowance, days off left > leave balance
timesheet, hours worked, clock in, clock out > time entry timesheet attendance
job ad, open role, vacancy > job posting
performance review, appraisal > review performance
expense report > expense report
contract, agreement, nda > contract document agreement
sign a document, signature request, get signed > signature envelope document send
signed yet, who has signed > envelope status signature
property, listing, house, flat, apartment, rent > property listing
booking, reservation = appointment
reservation, book a table, book a room > reservation booking create
room, meeting room, conference room > room resource space
attendee, participant, guest, invitee, who is coming > attendee participant guest
join link, video call, conference call > meeting join link
minutes, meeting notes, what was said > transcript meeting notes summary
recurring meeting, every week > recurrence event series
move a meeting, reschedule = move
cancel a meeting, call off > cancel delete event
monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekend, tonight, next week ~ date event calendar schedule
morning, afternoon, evening, noon, o'clock ~ time date
birthday, anniversary ~ contact date event
trip, travel, journey, itinerary > trip itinerary travel
train, bus, public transport, tram, subway > transit
traffic, congestion, traffic jam > traffic
parking, car park > parking place
petrol, gas station, charging station > place station
postcode, zip code, postal code > postal code address
what is here, what is at, reverse lookup > reverse geocode
static map, picture of a map, map image > static map image
pedestrian, on foot, by bike, bicycle > walking cycling
opening hours, open now > place details hours
recipe, dish, ingredients, cooking > recipe meal ingredient
calories, nutrition, diet > nutrition food
workout, run, exercise, training session > workout activity
heart rate, sleep, weight > health sleep
lights, lamp, dim, brightness > light brightness device
thermostat, heating, warmer, cooler > climate temperature thermostat
blinds, shutters, garage door > cover
vacuum, robot > vacuum device
smart home, home automation > device entity state
alarm, burglar alarm, security system ~ alarm
lottery, dice, coin toss > random
joke, fun fact > joke fact
horoscope, zodiac > horoscope
legal, law, court, ruling > case law legal
patient, symptom, diagnosis, medication, drug > patient condition medication drug
trial, clinical trial, study > trial study
gene, protein, molecule, compound > gene protein compound
election, politician, parliament > member bill vote
company number, registered company > company
sanctions, background check > screening check
`;

/** Words of source code, builds, hosting and running systems. The notation is explained in `./thesaurus.ts`. */
export const CODE = `
repository = repo = project = codebase
repo, codebase, source tree > repository repo project
pr, pull request, mr, merge request, code review, changeset > pull merge request pr
pull request = merge request
pull > merge
review, code review > review pull merge request
commit = revision = sha = changeset = change
commit, checkin, check-in, sha, hash > commit sha revision
branch = ref
default branch, trunk, mainline > branch main
tag = release = version
release, version, newest version > release version tag
fork > fork
clone, local copy, pull a copy, working copy > clone checkout repository
checkout = switch
stash = shelve
blame, who wrote, who last touched, last edited, authorship > blame author commit
diff = patch = compare = change
side by side > diff compare
cherry pick = cherrypick
conflict = merge
stage, staged > stage add index
unstage = reset
submodule, worktree, working tree > worktree working directory
contributor, committer > contributor author commit
gist, snippet, code sample > snippet gist
code = source = script = program
source, source code, code, program, function body > code source content script file
function = method = procedure = lambda
function, serverless, edge function, lambda > function worker lambda
worker, edge function, edge script, serverless > worker
usages, callers, references, where is it used > search code reference
library = package = module = dependency
library, package, module, dependency, gem, crate > package library dependency module
registry = repository = package
license = licence
vulnerability = security = cve = advisory
vulnerability, security hole, weakness, leak, exploit > vulnerability security secret scan alert
secret = credential = token = key = password
leaked, exposed > detected secret leak
credential, password, passphrase, api key, login > credential secret token key password
token = key = credential
certificate = cert = ssl = tls = https
ssl, https, certificate, padlock > ssl certificate https
encrypt, encryption > encryption
authentication = auth = login = signin
log in, sign in, login, sign-in > login authenticate auth session
log out, sign out > logout
oauth, sso, single sign on > oauth auth sso
lint = style = format
lint, coding style, style guide > lint rule violation
violation = error = problem
compile, transpile > build compile
build = compile = pipeline = ci
pipeline = build = workflow = ci = job
ci, cd, continuous integration, build, nightly > pipeline build workflow run job
green, red, pass, passed, passing, failing, succeed, succeeded > status result success fail run
failure = error = failed
failed = failing = broken
job = run = task = build
status check, commit check > status check
runner, agent, build machine > runner agent
artifact = output = build
rerun, run again, try again, again > retry rerun restart
test = spec
test case, test suite, qa > test case run plan suite
coverage = test
flaky, intermittent > flaky test
regression, screenshot test > visual test snapshot
environment = env = stage = deployment
env, env var, environment variable, config var, setting > environment variable config
variable = var = setting = parameter
setting = option = preference = configuration = config
preferences, options, configuration, settings > config setting preference configuration
feature flag, flag, feature toggle, feature switch, kill switch > feature flag toggle
experiment, a/b test, ab test, variant > experiment variation treatment
rollout = release = deployment
gradual, canary > rollout percentage canary
deployment = deploy = release = rollout
production = prod = live
staging = stage = preview
app = application = program = service
app, application > app application
website = site = page = web = homepage
site, website, homepage, home page, landing page, web page > website site page
server = host = machine = instance = vm = vps
server, machine, box, vm, virtual machine, vps, virtual server, host > server vm instance machine virtual vps
instance = node
dyno, process, pod, container > container process pod dyno
container = docker = pod
docker image, container image > image container
kubernetes = k8s = cluster
cluster = node
node = machine = worker
autoscale, scale, scale out, scale up > scale autoscale replicas
tier, size, plan > plan tier size upgrade
plan = tier = subscription = package
operating system, os, distro, distros, linux, ubuntu, debian, windows > os template operating system image
rescue, rescue mode, recovery mode, safe mode > recovery rescue mode
boot = start
firewall = security rule
port = network
ip, ip address, address > ip address
network = vpc = subnet
load balancer = balancer
vpn, tunnel > tunnel vpn
domain = dns = hostname = zone
domain, hostname, web address, site name > domain dns
dns record, a record, cname, mx, txt record, nameserver > dns record zone nameserver
registrar, whois > domain whois
ownership, prove, is mine, belongs to me > verify ownership domain
subdomain = domain
redirect = forward
cdn, cache, edge > cache cdn edge
bucket = storage = blob = object
object storage, s3, blob storage > bucket storage object
volume = disk = storage
disk space, storage left > disk storage usage quota
key value, kv, key-value, key value storage > kv key value store namespace
store = storage = storages
queue = topic = broker
cron, scheduled, nightly, every night, scheduled job, timer, recurring > cron schedule job
scheduled = cron = schedule
log = logs = output = trace = console
log, logs, console, console output, tail, stdout, print out > log logs output
tail = log
error = exception = failure = crash = bug
stack trace, crash, exception, traceback > error exception issue event trace
metric = measurement = statistic = kpi = stat
metric, cpu, memory usage, ram, load, latency, throughput, response time > metric metrics statistic performance
graph, dashboard, panel > dashboard chart
alert = alarm = monitor = warning = incident
alarm, alert, warning, page > alert monitor alarm incident
firing, going off, triggered > alert monitor triggered active status
on call, oncall, on-call, pager > oncall schedule incident escalation
outage, down, incident, broken site > incident downtime status
maintenance, downtime, maintenance window > downtime maintenance
uptime, slo, sla > slo uptime
trace = span
slow, sluggish, laggy, bottleneck, speed > performance slow explain profile trace
performance = speed = profiling
replay, session recording > replay session recording
usage = consumption = quota = utilization
quota, allowance, how many more, left, remaining, afford, limit > quota limit usage remaining balance consumption
limit = quota = threshold
bill, billing, spend, spending, cost > billing invoice cost usage spend
cost = price = spend
region = zone = location = datacenter
data center, datacentre > datacenter region location
add-on, addon, plugin, extension > addon plugin extension
plugin = extension = addon
marketplace, app store, catalog, gallery, hub > store marketplace catalog search
integration = connection = connector = app
webhook = hook = callback
webhook, callback url > webhook post
endpoint = url = route
request = call = http
payload, json, body > body request post json
http request, api call, hit an endpoint, curl > http request post get api
mock = stub
collection = folder = group
api definition, openapi, swagger, spec, specification > spec specification api schema definition
schema = structure = definition = model = type
schema, fields and types, shape, structure, columns, what fields > schema describe structure fields
shell = terminal = command = bash = console
shell, terminal, command line, prompt, bash, cmd > shell command process terminal
command = script = cmd
process = program = pid
process, running program > process list
session = connection
directory = folder = dir
folder, directory, dir, subfolder, subfolders, path > folder directory
file = document
files, contents, what's in, what is in, ls > list file directory content
content = contents = text = body
text = content = string
tree = hierarchy = structure
root = roots
rename = move
size = length
line = row
beginning, first lines, top of > head read
last lines, end of file > tail read
grep, search in files, look inside files > search files content pattern
regex = pattern
edit = patch = replace
debug = diagnose
echo = repeat
breakpoint, step through > debug breakpoint
project = workspace
generator = scaffold = template
monorepo = workspace
`;

/** Words of data, documents, pictures, the web, places and money. The notation is explained in `./thesaurus.ts`. */
export const DATA = `
database = db = store
database, db, data store > database db
table = collection = dataset = base
table, sheet, grid > table worksheet
record = row = document = entry = item
row, line, entry, record > record row entry
column = field
document = record
documents, docs ~ collection find
query = sql = select
sql, query, select statement > query sql execute
index = indexes = indices
index suggestions, slow queries > index performance advisor suggest
execution plan, query plan, full scan > explain plan query
migrate = migration
upsert = insert = update
dataset, scraped data, results > dataset item result output
result = output = response
namespace = partition
vector = embedding = semantic
meaning, similar, semantic, similarity, resembling, like this > semantic similar vector search
passage, chunk, snippet, paragraph > record chunk document text
rerank, best hits, most relevant > rerank search top
several, multiple, at once, in bulk, many, all of them, batch > multiple bulk batch many
bulk = batch = multiple = mass
knowledge graph, memory, facts > entity relation graph memory observation
remember, memorize, recall > memory entity observation store search
entity = node = object
relation = edge = link
graph = network = nodes
spreadsheet = excel = workbook = worksheet = sheet
spreadsheet, workbook, excel > excel workbook worksheet
cell = range
formula = function
pivot = aggregate
presentation = slide = deck = slideshow
deck, slideshow, powerpoint, slides > slide presentation deck
slide = page
pdf, word document > pdf document file
print = pdf
picture = image = photo = icon
picture, photo, image, pic, illustration, artwork > image picture photo
screenshot = screen = capture = snapshot
screenshot, screen grab, screengrab, snap, capture of the screen > screenshot capture image
video = clip = recording = movie = reel
video, clip, short video, footage > video reel recording short
record the screen, screen recording > recording screen record
audio = sound = voice = music
song, track, tune > track song music
playlist, album > playlist album
subtitle, transcript, captions > transcript caption subtitle
caption = description = title
thumbnail = preview = cover
font, typeface > font text style
colour = color = fill
color, colour, blue, red, green, yellow, hue, tint > color fill style
background = backdrop
backdrop, wallpaper > background
text, wording, headline, heading, caption > text content title
headline = title = heading
title = name = heading = subject
shape = rectangle = node = element
sticky, post-it, sticky note, post it > sticky note
whiteboard, jam, canvas > board canvas whiteboard
mockup, wireframe, design, artboard, comp > design frame file node
design = layout = figma
designer, handoff > design annotation dev
annotation = note = comment = markup
component = widget = element = instance = variant
design token, swatch, style > variable style token
kinds, types of, sorts of, categories > category type list
category = kind = type = class
layer = node = frame
align, spacing, layout > layout align
chart = graph = plot = diagram = visualization
chart, graph, plot, visualize, draw > chart generate diagram
pie, share of, proportion, percentage of whole, breakdown > pie chart treemap
bar chart, compare amounts > bar column chart
trend, over time, time series, change over months > line area chart
distribution, spread > histogram boxplot violin chart
correlation, relationship between two > scatter chart
flow, from source to target > sankey flow chart
running total, bridge chart, ups and downs > waterfall chart
hierarchy, nested, org chart, reporting lines > tree organization treemap mind
stages, conversion, drop-off > funnel chart
cause and effect, root cause > fishbone diagram
mind map, brainstorm, ideas around > mind map
skills, several dimensions, strengths > radar chart
overlap, in common, intersection > venn chart
word frequency, most used words > word cloud
progress toward, percent full > gauge liquid chart
process steps, decision > flow diagram flowchart
relationships, who knows whom, connections > network graph
on a map, by region > map district pin
timeline, project plan > gantt timeline
shelf, stencil > shape
browser = page = tab = web
browser, chrome, firefox, web browser > browser
tab = window = page
web page, webpage, page, url, link, web address, article at > url page web fetch scrape
url = link = address = uri = href
html = markup = dom = source
markup, raw html, page source, dom > html source snapshot
readable text, plain text, clean text, main text, readable, article > markdown text content extract fetch scrape
scrape = crawl = extract = fetch
scraper, crawler, spider, bot > actor scrape crawl
scrape, harvest, crawl, mine, rip > scrape crawl extract data
ready-made, off the shelf, prebuilt > actor template
on screen, currently shown > current page visible snapshot
search engine, google, web, online, internet, on the web > search web
news = article = headline
news story, press > news article
product = item = goods = listing
listing, product, goods, merchandise > product item listing
listings, search results > search product
merchant, seller, shop, vendor, retailer > shop seller store merchant
shopping, buy, for sale, shop for > shopping product price
review, rating, stars, testimonial > review rating
price = cost = rate = amount = fee
charge, fee, price, pricing, tariff, how much > price amount cost charge
profile, bio > profile
post = tweet = status
reel, short video, story > reel video
likes, views, shares, engagement > engagement post insight statistics
hashtag = tag
influencer, creator > profile channel
file picker, choose file, attach file > upload file
form = input = field
button, link > click element
dropdown, combo box, picker > select option
checkbox, tick > check
dialog, popup, pop-up, alert box > dialog
cookie = session
console, js errors > console message
network traffic, requests made > network request
accessibility = a11y
screen reader, screen-reader, contrast, wcag, disabled users, blind, colour blind > accessibility scan
device = phone = mobile = simulator = emulator
phone, tablet, iphone, android, handset > device mobile
gesture = swipe
app on the phone, home screen > app mobile launch
map = location = geography
directions, route, way to, driving, drive, how to get, turn by turn, navigation > directions route map
directions = route = navigation
driving, walking, cycling, by car, on foot > directions routing profile
distance, how far, travel time, how long does it take > distance matrix directions duration
place, spot, venue, restaurant, cafe, shop near, nearby, near me, around here > place search nearby poi category
nearby = around = near = poi
address, coordinates, latitude, longitude, where on the map > geocode address coordinates
geocode = coordinates = address
reachable, within minutes, how far can > isochrone
altitude, height above sea > elevation
weather, rain, temperature, forecast > weather forecast
flight, plane ticket, airfare > flight
hotel, lodging, place to stay > hotel accommodation
time zone, timezone, what time > time timezone
currency, exchange rate > currency exchange rate convert
stock, share price, ticker > stock quote
crypto, coin > crypto price
payment = charge = transaction = payout
money, payment, pay, paid, charge, funds > payment charge amount balance
refund, money back, give back, reimburse > refund
invoice = bill = receipt
bill, invoice, receipt > invoice bill
balance, cash, how much money > balance
subscription = plan = membership
plan, subscription, membership > plan price subscription product
coupon, discount, promo, promotion code, voucher > coupon discount promotion
dispute, chargeback > dispute chargeback
order = purchase = checkout
order, purchase, sale > order
cart, basket > cart checkout
shipping, delivery, parcel, package > shipping fulfillment delivery tracking
stock level, in stock, inventory > inventory stock
tax, vat > tax
revenue, income, earnings, sales > revenue sales report total
budget = spend = cost
expense = cost = receipt
bank account = account
tier, plans ~ price product
question, q&a > question ask answer
research, deep dive, thorough, in depth > research deep
latest news, current events > search news
paper, study, academic > paper scholar research
company facts, about a company > company
person on linkedin > profile person people
language = locale = translation
translation = localization
model = llm = ai
prompt = instruction
chat bot, assistant, ai > chat ask assistant agent
agent = bot = assistant
tool = function = capability
event = meeting = happening
date = time = day = when
when, what time, start date > date time schedule get
now, right now, currently, at the moment > current active get
current = active
upcoming, next, soon, coming up > upcoming next list
popular, trending, hot > trending popular top
top, best, most > top rank
random, any > random
rich card, carousel > flex template card message
card = flex
menu = navigation
geofence, area, boundary > polygon area
health, fitness, steps > health activity
home, smart home, lamp, light, bulb > light device switch
game, play > game
recipe, cook, meal > recipe food
medicine, drug, patient, doctor > patient medication
law, court, legal > legal case
sensor, iot, reading > sensor device
`;

/** Words of pictures, sound, documents and screens. The notation is explained in `./thesaurus.ts`. */
export const MEDIA = `
generate an image, text to image, make a picture, paint > generate image create
edit a photo, retouch, remove background, cut out > edit image background remove
upscale, sharpen, higher resolution > upscale image
crop, trim, rotate, flip, resize > crop trim rotate resize image transform
alt text, what is in the picture, describe the picture > describe image analyze
ocr, read text from an image, scanned > ocr extract text image
logo, icon, emoji, symbol, pictogram > icon logo
qr code, barcode > qr code barcode
video editing, cut a clip, trim a clip > trim video clip
subtitles, captions > subtitle caption
speech to text, transcribe, dictation, what is said > transcribe speech text transcript
text to speech, read aloud, narrate, voice over, say > speech text voice audio
voice, narrator = speaker
sound effect, noise > sound effect
background music, song, tune > music generate
play, listen to, put on > play
skip, next song, next track > skip next
volume, louder, quieter > volume
what is playing, current song > current playing playback
playlist, mix > playlist
3d, three dimensional, mesh > object mesh model
scene, stage > scene
camera, viewpoint > camera view
material, texture > material texture
render, produce a picture of the scene > render
animation, animate, motion, keyframe > animation keyframe
frame, artboard > frame
component, reusable element > component
design system, styles, tokens > style variable token
prototype, click-through > prototype
fill, stroke, border, outline > fill stroke border
corner, rounded > radius corner
font size, bold, italic > font text style format
margin, padding, spacing > spacing padding layout
group, ungroup, layers > group node layer
selection, what is selected > selection get
export as png, export as svg, export a picture > export image
slide, slides, deck > slide presentation
slide background, theme > background theme slide
speaker notes, presenter notes > notes slide
transition, fade > transition
paragraph, heading, section > paragraph heading section
table in a document, insert a table > table insert
header, footer, page number > header footer
footnote, citation, reference, bibliography > citation reference
table of contents > contents
track changes, suggestions > revision suggestion
merge documents, combine pdfs, join pdfs > merge pdf
split a pdf, pages of a pdf > split pdf page
fill a form, fill in a pdf > form fill
watermark, stamp > watermark
convert to pdf, save as pdf, print to pdf > pdf convert export
markdown, convert to markdown > markdown convert
cell, cells, range > cell range
formula, calculate in a sheet > formula
formatting, number format, highlight cells > format cell style
freeze, merge cells > freeze merge cell
sort a table, order rows > sort
filter rows, only rows where > filter
new tab, add a sheet > sheet worksheet add create
chart from data, pivot table > chart pivot
csv, comma separated > csv
diagram, flowchart, uml, architecture picture > diagram
sequence diagram, class diagram, state diagram > diagram mermaid
gantt, timeline of a project > gantt
boxes and arrows, shapes and lines > shape connector diagram
arrow, line between, connector > connector line
sticky, notes on a board > sticky note
poll, vote on > poll
tab, new tab, switch tab, other tab > tab
browser window, resize window, viewport > resize window viewport
open a page, load a page, visit a site, go to a page > navigate open url page
go back, previous page > back navigate
reload, refresh the page > reload refresh
page title, current address > title url page
click a button, press a button, follow a link > click element
type text, enter text, fill a field, write in a field > type fill input text
press a key, hit enter, keyboard shortcut > press key
pick from a list, choose an option, drop-down > select option
hover, mouse over > hover
drag and drop, drag onto > drag drop
upload a file, choose a file, file chooser, attach a document > upload file
scroll down, further down > scroll
wait for, until it appears, until loaded > wait
page content, what is on the page, visible text > text content snapshot page
page source, markup, dom > html source content
run javascript, script in the page > evaluate javascript script execute
console messages, browser errors, js errors > console message log
requests the page makes, network calls > network request
cookies, local storage > cookie storage
screenshot, capture the page > screenshot
save the page, print the page > pdf save
close the browser, close the window > close
mobile app, app on a phone, installed apps > app mobile
open an app, start an app > launch app
tap, long press, double tap > tap press
home button, back button, volume button > button press
screen, what is on the screen, elements on the screen > element screen list
rotate the phone, landscape, portrait > orientation
device list, connected phones, emulators > device list
accessibility, wcag, contrast > accessibility
visual difference, looks different, layout broken > visual compare snapshot
scrape, get data from a site, harvest > scrape extract
crawl a site, all pages of a site > crawl map
links on a page, sitemap > link map sitemap
search the web, look it up online > search web
latest news, headlines > news search
encyclopedia > article search summary
papers, publications, preprints > paper search
cited by, who cites > citation
book, books, author of a book > book search
video channel > channel video
comments under, replies to a post > comment
followers, fans, audience > follower
timeline, feed, home feed > timeline feed post
dm, private message > direct message
hashtag, trend, trending topics > trend hashtag
upload a video, publish a clip > upload video
livestream, go live > live stream
group chat, server, guild > group channel
reaction, emoji, like > reaction
mention, ping someone, tag someone > mention
typing, online, presence, who is online > presence status
sticker, gif > sticker gif
quick reply, menu in a chat > menu
broadcast to followers, message all followers > broadcast
message quota, messages left > quota message
`;

/** Words of clusters, databases, security, files and machines. The notation is explained in `./thesaurus.ts`. */
export const SYSTEMS = `
cluster, k8s, kubernetes > cluster kubernetes
pod, workload, container, containers running > pod container workload
node, worker machine > node
manifest, yaml, resource definition > manifest resource apply
apply a manifest, apply yaml > apply resource manifest
helm chart, chart release > helm release chart
namespace = project = space
drain, evacuate, take out of service > drain cordon node
out of memory, oom, crashing, crash loop, restarting ~ pod log event describe
logs of a container, container output > log pod container
shell into, ssh, get inside, exec > exec command shell ssh
port forward, expose, make reachable > port forward expose service
secret, config map, configmap > secret config
rolling update, new image version > rollout image deployment set
replicas, copies running, instances running > replica scale
image, docker image, build an image > image build
registry, docker hub > registry image
volume, persistent disk, mount > volume
compose, stack, services up > compose stack
terraform, infrastructure as code, iac, provision infrastructure > terraform plan apply stack workspace
drift, out of sync, differs from git > drift sync diff status
sync, reconcile, bring in line > sync reconcile
gitops, delivery > application sync
restriction, restricted, permitted, allowed to > policy rule restriction
serverless = function
queue, message queue, pending messages, backlog > queue message
publish a message, produce an event > publish message topic
consumer, listener = subscriber
dead letter, failed messages > dead letter queue
stream, live feed ~ stream
cache, cached, purge cache, flush cache > cache purge
ttl, expire, expiry, how long > ttl expire
redis, in-memory > key cache
key, keys by prefix, matching keys > key scan list
set a value, write a value > set put key value
read a value, look up a key > get key value
connection string, how to connect > connection string
branch a database, copy of the database > branch database
migration, schema change, alter table > migration schema apply
slow query, slow queries, long running query, locks > slow query performance statistics
explain a query, query plan > explain query
index, add an index, speed up lookups > index create
drop a table, remove a collection > drop delete table collection
count rows, how many rows, number of documents > count
distinct, unique values > distinct aggregate
sample rows, a few rows, look at the data > sample query find
join, across tables > query join
columns of a table, table structure, table layout, what columns > describe table schema column
tables, what tables, list of tables > table list schema
stored procedure, trigger ~ function
backup, dump, restore point > backup snapshot restore dump
replica, standby, follower > replica
node graph, graph database, cypher, shortest path > graph cypher query
knowledge base, kb > knowledge article search
semantic search, similar documents, nearest neighbours, nearest neighbors > vector search query similar
embed, turn into vectors > embed embedding
upsert vectors, add documents > upsert add document
full text, text search > search
facet, filter values > facet aggregation
bucket, object, blob, upload an object > bucket object storage
presigned, temporary link, share link > presigned url link
zip, compress, archive files, tarball > zip compress archive
unzip, unpack, extract files, decompress > unzip extract decompress
permissions of a file, chmod, who can read > permission
recently changed files, newest files > file list modified
disk usage, what takes space, biggest files > size disk usage
file info, when modified, file size > file info metadata stat
append, add to the end > append write
find and replace, search and replace > replace edit
line number, a range of lines > read lines
hidden text, hash, checksum > hash
encode, decode, base64 > encode decode
uuid, unique id > uuid generate
random password, strong password > password generate
timestamp, epoch, unix time > time timestamp convert
dns, resolve a name, nameservers > dns resolve record
ping, reachable, is it up, is the site up > ping health status check uptime
latency, round trip > latency ping
certificate, when does it expire, ssl expiry > certificate expire
open ports, scan ports > port scan
firewall, allow traffic, block traffic, block an ip > firewall rule
rate limit, throttle > rate limit
vulnerable dependency, outdated packages, security advisories > vulnerability dependency advisory scan
scan code, static analysis, sast > scan code analysis
secret scan, leaked key, exposed credentials, passwords in code > secret scan detect
compliance, benchmark, posture > compliance
threat, malware, virus, suspicious file > malware threat scan report
phishing, spoofed > phishing
audit log, who did what > audit log
mfa, two factor, 2fa, second factor > mfa factor authentication
reset password, forgot password, new password > password reset
suspend a user, lock an account, deactivate a user > suspend deactivate block user
session, sign everyone out > session revoke
group membership, who is in the group > group member list
api key, access token, credential > key token
scope, consent ~ permission
client app, oauth app > client application
incident, page someone, wake up on call > incident create trigger page
acknowledge, i'm on it, ack > acknowledge incident
who is on call, on-call rotation > oncall schedule
runbook, playbook > runbook
status page, tell customers about an outage > status page incident
postmortem, retrospective > postmortem
dashboard, board of charts > dashboard
panel, widget, tile > panel widget
time series, promql, metrics query > metric query range
log search, search logs > log search query
spans, distributed trace, slow requests > trace span
exceptions, errors in production, crashes > error issue event exception
stack frame, culprit > event stack trace
release health, crash free, which version broke > release
source map, debug symbols > artifact upload
feature flag, rollout rule, targeting rule > flag rule targeting
turn on for everyone, release to users > flag enable rollout
segment of users, user group = segment
project board, kanban = board
ci, build server, pipeline run > pipeline build run job
build log, why did the build fail, console output > log build job
queue a build, start a build, run the pipeline > run trigger build pipeline
cancel a build, stop a build > cancel build run
test results, failing tests, which tests failed > test result report
code coverage = coverage
code quality, quality gate, code smell, technical debt > quality issue measure
environment variable, secret variable > variable environment secret
preview deployment, staging link > preview deployment
custom domain, connect a domain > domain add
build settings, framework preset > project settings
edge config, redirects, headers > redirect
site analytics, page views, visitors, traffic > analytics traffic visit
hosting, web hosting, host a site > hosting website
wordpress, blog software, cms > wordpress post page
mailbox, email account > mailbox
billing, payment method, subscription > billing payment subscription
`;

/** Words of planning, teams, offices and messages. The notation is explained in `./thesaurus.ts`. */
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
