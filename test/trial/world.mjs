import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';

/** Makes what the tasks are about, the same every time: files, notes, a CSV file, a repository, a database, a graph. */
export function makeWorld() {
  const root = mkdtempSync(join(tmpdir(), 'mcp-aql-trial-'));
  const world = {
    root,
    files: join(root, 'files'),
    repository: join(root, 'billing'),
    database: join(root, 'shop.db'),
    graph: join(root, 'graph.json'),
    kubeconfig: join(root, 'kubeconfig'),
    home: join(root, 'home'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  for (const folder of [world.files, world.repository, world.home]) mkdirSync(folder);
  writeNotes(world.files);
  writeCustomers(world.files);
  writeDatabase(world.database);
  writeRepository(world.repository, world.home);
  writeFileSync(world.graph, `${GRAPH.map((line) => JSON.stringify(line)).join('\n')}\n`);
  writeFileSync(world.kubeconfig, JSON.stringify(KUBECONFIG));
  settleDesktopCommander(world);
  return world;
}

const NOTES = {
  'billing.md': '# Billing\n\nInvoices go out on Mondays.\nTODO: ask Ada about VAT\n\nTODO: check the overdue ones\n',
  'kafka.md': '# Kafka\n\nThree brokers.\n\nTODO: upgrade to 4.2\n',
  'meeting-tuesday.md': '# Meeting on Tuesday\n\nWe meet at ten.\n\nAgenda: budget, hiring.\n',
  'offsite.md': '# Offsite\n\nLisbon in May.\nnot a TODO: this one is in the middle\nTODO: book the train\n',
  'reading.md': '# Reading\n\nDesigning Data-Intensive Applications\n',
};

function writeNotes(files) {
  mkdirSync(join(files, 'notes'));
  for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(files, 'notes', name), text);
}

const CITIES = ['Lisbon', 'Oslo', 'Graz', 'Utrecht', 'Turin'];
const PLANS = ['free', 'team', 'business'];

/** 120 customers, numbered from 1. */
const CUSTOMERS = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  name: `Customer ${String(index + 1).padStart(3, '0')}`,
  city: CITIES[(index * 7) % CITIES.length],
  plan: PLANS[(index * 5 + Math.floor(index / 8)) % PLANS.length],
}));

function writeCustomers(files) {
  const rows = CUSTOMERS.map(({ id, name, city, plan }) => `${id},${name},${city},${plan}`);
  writeFileSync(join(files, 'customers.csv'), `id,name,city,plan\n${rows.join('\n')}\n`);
}

const STATES = ['paid', 'open', 'overdue', 'paid'];

function writeDatabase(file) {
  const database = new Database(file);
  database.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, plan TEXT);
    CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), amount REAL, status TEXT, due TEXT);`);
  const addCustomer = database.prepare('INSERT INTO customers VALUES (?, ?, ?, ?)');
  for (const { id, name, city, plan } of CUSTOMERS) addCustomer.run(id, name, city, plan);
  const addInvoice = database.prepare('INSERT INTO invoices VALUES (?, ?, ?, ?, ?)');
  for (let id = 1; id <= 240; id += 1) {
    const due = `2026-${String(1 + (id % 11)).padStart(2, '0')}-${String(1 + (id % 28)).padStart(2, '0')}`;
    addInvoice.run(id, 1 + ((id * 37) % 120), ((id * 7919) % 90_000) / 100, STATES[id % 4], due);
  }
  database.close();
}

const COMMITS = [
  ['Send invoices on Mondays', 'send.js', 'export function send(queue) {\n  return queue.drain();\n}\n'],
  [
    'Retry sending when the mail server is slow',
    'send.js',
    'export function send(queue) {\n  queue.drain();\n  return queue.drain();\n}\n',
  ],
  ['Describe how invoices are sent', 'README.md', '# Billing\n\nSends invoices.\n'],
  [
    'Fix invoices that were sent twice by the retry',
    'send.js',
    'export function send(queue) {\n  return queue.drain({ retries: 1 });\n}\n',
  ],
  ['Name the plans', 'plans.js', "export const PLANS = ['free', 'team', 'business'];\n"],
];

function writeRepository(repository, home) {
  const identity = { NAME: 'Ada', EMAIL: 'ada@example.org', DATE: '2026-11-02T10:00:00Z' };
  const entries = Object.entries(identity).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = { ...process.env, ...Object.fromEntries(entries), HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) => {
    const { status, stderr } = spawnSync('git', args, { cwd: repository, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  };
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  git('init', '--quiet', '--initial-branch=main');
  for (const [message, file, text] of COMMITS) {
    writeFileSync(join(repository, file), text);
    git('add', file);
    git('commit', '--quiet', '--message', message);
  }
  writeFileSync(join(repository, 'plans.js'), "export const PLANS = ['free', 'team', 'business', 'school'];\n");
}

const SERVICES = [
  ['checkout', 'kafka', 'Payments'],
  ['mailer', 'kafka', 'Messaging'],
  ['search', 'opensearch', 'Discovery'],
  ['ledger', 'kafka', 'Payments'],
  ['avatar', 's3', 'Identity'],
];

const GRAPH = [
  ...SERVICES.map(([name]) => ({
    type: 'entity',
    name,
    entityType: 'service',
    observations: [`${name} runs in Oslo`],
  })),
  ...[...new Set(SERVICES.flatMap(([, uses]) => uses))].map((name) => entity(name, 'technology')),
  ...[...new Set(SERVICES.flatMap(([, , team]) => team))].map((name) => entity(name, 'team')),
  entity('legacy-fax', 'service'),
  ...SERVICES.flatMap(([name, uses, team]) => [
    { type: 'relation', from: name, to: uses, relationType: 'uses' },
    { type: 'relation', from: team, to: name, relationType: 'owns' },
  ]),
];

function entity(name, entityType) {
  return { type: 'entity', name, entityType, observations: [`${name} is known`] };
}

const KUBECONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
  'current-context': 'none',
};

/** Desktop Commander reports its use, and reads the home only, unless its configuration says otherwise. */
function settleDesktopCommander({ home, root }) {
  const folder = join(home, '.claude-server-commander');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ telemetryEnabled: false, allowedDirectories: [root] }));
}
