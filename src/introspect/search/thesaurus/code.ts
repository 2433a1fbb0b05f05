/** Words of source code, builds, hosting and running systems. The notation is explained in `../read-thesaurus.ts`. */
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
