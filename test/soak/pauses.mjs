/**
 * Drives a running gateway with hostile schemas and requests, and prints the longest pause of its event loop for each attack:
 * what /healthz took at most, asked from another process every 10 ms, less what it takes when nothing happens.
 *
 *   npm run soak [-- part of an attack's name]
 */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ANSWER_ATTACKS } from './answer-attacks.mjs';
import { ATTACKS } from './attacks.mjs';

const IDLE_MS = 1_500;
const START_MS = 60_000;
const ANSWER_MS = 120_000;
const REVISION = '2026-07-28';

const here = (file) => new URL(file, import.meta.url).pathname;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startGateway({ tools, config = {}, upstream: program = 'hostile-upstream.mjs' }, directory, port) {
  const toolsFile = join(directory, 'tools.json');
  const configFile = join(directory, 'gateway.config.json');
  await writeFile(toolsFile, JSON.stringify(tools));
  const upstream = { command: process.execPath, args: [here(program), toolsFile], trust: 'certified' };
  const whole = {
    endpoint: { mode: 'single' },
    dataDir: join(directory, 'data'),
    mcpServers: { hostile: upstream },
    ...config,
  };
  await writeFile(configFile, JSON.stringify(whole));
  const args = [
    here('../../dist/cli/main.js'),
    '--config',
    configFile,
    'serve',
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
  ];
  const gateway = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  gateway.stderr.on('data', (chunk) => {
    words = (words + chunk).slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + START_MS; performance.now() < end; await delay(50)) {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined);
    if (ready?.status === 200) return { gateway, url };
    if (gateway.exitCode !== null) break;
  }
  gateway.kill('SIGKILL');
  throw new Error(`The gateway did not become ready: ${words}`);
}

/** A `tools/call` of the revision that needs no session; the arguments are written as they were given. */
async function send(url, args, id) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"mcp_aql","_meta":${JSON.stringify(meta)},"arguments":${text}}}`;
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'mcp_aql',
    },
    body,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const answer = await response.text();
  const failure = /"success\\?":false.{0,40}"code\\?":\s*\\?"([A-Z_]+)/.exec(answer.slice(0, 4_000))?.[1];
  return { answer, code: failure ?? (response.ok ? 'OK' : `HTTP ${response.status}`) };
}

const report = (watcher) =>
  new Promise((resolve) => {
    watcher.once('message', resolve);
    watcher.send('report');
  });

async function run(attack) {
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  const { gateway, url } = await startGateway(attack, directory, await freePort());
  const watcher = fork(here('watch.mjs'), [`${url}/healthz`]);
  try {
    await delay(500);
    await report(watcher);
    await delay(IDLE_MS);
    const idle = await report(watcher);
    const pauses = [];
    let answer = '';
    for (const [id, request] of attack.requests.entries()) {
      const args = typeof request === 'function' ? request(answer) : request;
      const sent = await send(url, args, id).catch((error) => ({ answer: '', code: `no answer (${error.name})` }));
      answer = sent.answer;
      const { code } = sent;
      await delay(30);
      pauses.push({ code, ms: Math.max(0, (await report(watcher)) - idle) });
      if (gateway.exitCode !== null) throw new Error(`The gateway ended at request ${id}`);
    }
    return { idle, pauses };
  } finally {
    watcher.kill();
    gateway.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}

const nameOf = (request) => (typeof request === 'function' ? 'what follows' : JSON.stringify(request)).slice(0, 60);

const [wanted = ''] = process.argv.slice(2);
let worst = 0;
for (const attack of [...ATTACKS, ...ANSWER_ATTACKS].filter(({ name }) => name.includes(wanted))) {
  const { idle, pauses } = await run(attack);
  const longest = pauses.reduce((most, one) => (one.ms > most.ms ? one : most), { ms: 0 });
  worst = Math.max(worst, longest.ms);
  const codes = [...new Set(pauses.map(({ code }) => code))].join(', ');
  const at = pauses.indexOf(longest);
  if (attack.showsEach === true) {
    for (const [index, { code, ms }] of pauses.entries())
      console.log(`  ${nameOf(attack.requests[index]).padEnd(60)} ${ms.toFixed(0).padStart(6)} ms  ${code}`);
  }
  console.log(
    `${attack.name.padEnd(34)} ${longest.ms.toFixed(0).padStart(6)} ms at request ${at} (idle ${idle.toFixed(0)} ms); ${pauses.length} requests: ${codes}`,
  );
}
console.log(`The longest pause: ${worst.toFixed(0)} ms`);
