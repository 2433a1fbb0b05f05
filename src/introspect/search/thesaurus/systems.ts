/** Words of clusters, databases, security, files and machines. The notation is explained in `../read-thesaurus.ts`. */
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
