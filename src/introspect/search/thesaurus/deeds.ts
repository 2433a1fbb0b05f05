/**
 * What people do, in everyday words, and what operations call it. The notation is explained in `../read-thesaurus.ts`.
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
