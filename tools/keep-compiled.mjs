// Keeps compiled code of the bundle in `dist/compiled`, for starts with the Node that the build runs on: each command that serves
// is started in a process of its own before two small servers, and what V8 has compiled when a client was answered is written.
//
//   node tools/keep-compiled.mjs                   all of it
//   node tools/keep-compiled.mjs serve FOLDER URL  one of these processes
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadFromSource } from '../dist/cli/load-program.js';

const THIS_FILE = fileURLToPath(import.meta.url);
/** Background work of a start, such as its report, is not waited for longer. */
const SETTLE_MS = 1_000;
const DEADLINE_MS = 60_000;

const VERSION = '2025-11-25';
const QUESTIONS = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'mcp_aql_read', arguments: { operation: 'list_issues', params: { repository: 'one' } } },
  },
];

const text = (description) => ({ type: 'string', description });
const TOOLS = [
  ['list_issues', 'Lists the issues of a repository.', { repository: text('Its name'), limit: { type: 'integer' } }],
  [
    'create_issue',
    'Creates an issue.',
    { repository: text('Its name'), labels: { type: 'array', items: text('A label') } },
  ],
  ['update_issue', 'Changes an issue.', { id: { type: 'integer' }, state: { enum: ['open', 'closed'] } }],
  ['delete_issue', 'Deletes an issue for good.', { id: { type: 'integer' } }],
  ['run_query', 'Runs a SQL statement.', { sql: text('The statement') }],
].map(([name, description, properties]) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: [Object.keys(properties)[0]] },
}));

const [, , role, folder, url] = process.argv;
if (role === undefined) await keepAll();
else if (role === 'upstream') answerLines();
else keepWhatRuns(role);

async function keepAll() {
  const directory = mkdtempSync(join(tmpdir(), 'keep-compiled-'));
  const upstream = createServer((request, response) => void answerHttp(request, response));
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  try {
    // Each keeps what those before it have not loaded.
    for (const command of ['serve', 'stdio']) {
      await runSelf([command, directory, `http://127.0.0.1:${upstream.address().port}/mcp`]);
    }
  } finally {
    upstream.closeAllConnections();
    upstream.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts this file once more, asks what a client asks first, and waits until it ends. */
async function runSelf(args) {
  const child = spawn(process.execPath, [THIS_FILE, ...args], { stdio: 'pipe', timeout: DEADLINE_MS });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  child.stdout.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (args[0] === 'stdio') for (const message of QUESTIONS) child.stdin.write(`${JSON.stringify(message)}\n`);
  const code = await ended;
  if (code !== 0) throw new Error(`'${args[0]}' ended with ${code} while its code was compiled:\n${output}`);
}

function keepWhatRuns(command) {
  const config = join(folder, `${command}.json`);
  const stdio = { command: process.execPath, args: [THIS_FILE, 'upstream'] };
  writeFileSync(
    config,
    JSON.stringify({
      server: { host: '127.0.0.1', port: 0 },
      dataDir: join(folder, command),
      mcpServers: { http: { type: 'http', url }, stdio },
    }),
  );
  const chunks = [];
  const program = loadFromSource((chunk) => chunks.push(chunk));
  let output = '';
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    output += text;
    const address = /^Ready at (\S+)/m.exec(output)?.[1];
    if (command === 'serve' && address !== undefined) void askOverHttp(address).then(() => keepSoon(chunks));
    if (command === 'stdio' && output.includes(`"id":${QUESTIONS.at(-1).id}`)) keepSoon(chunks);
    return write(text, ...rest);
  };
  process.argv = [process.execPath, 'mcp-aql-gateway', command, '--config', config, '--log-level', 'info'];
  void program.start();
}

let isKept = false;
function keepSoon(chunks) {
  if (isKept) return;
  isKept = true;
  setTimeout(() => {
    for (const { script, digest, compiledFile } of chunks) {
      if (existsSync(compiledFile)) continue;
      mkdirSync(dirname(compiledFile), { recursive: true });
      writeFileSync(compiledFile, Buffer.concat([script.createCachedData(), digest]));
    }
    process.exit(0);
  }, SETTLE_MS);
}

async function askOverHttp(address) {
  let session;
  for (const message of QUESTIONS) {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': VERSION }),
      },
      body: JSON.stringify(message),
    });
    session ??= response.headers.get('mcp-session-id');
    await response.text();
  }
}

function answerLines() {
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const answer = answerTo(JSON.parse(line));
      if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
    })
    .on('close', () => process.exit(0));
}

async function answerHttp(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const answer = request.method === 'POST' ? answerTo(JSON.parse(body)) : undefined;
  if (answer === undefined) {
    response.writeHead(request.method === 'POST' ? 202 : 405).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** What a server of MCP answers; nothing to a notification. */
function answerTo({ id, method, params }) {
  if (id === undefined) return undefined;
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'build', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: TOOLS }),
    'tools/call': () => ({ content: [{ type: 'text', text: '[{"id":1}]' }] }),
  };
  const result = results[method]?.();
  if (result === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result };
}
