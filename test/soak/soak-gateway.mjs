/** Starts a gateway over a hostile upstream, and sends it calls: what the soak and the fuzz share. */
import { fork, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 90_000;
const ANSWER_MS = 120_000;
export const REVISION = '2026-07-28';

export const here = (file) => new URL(file, import.meta.url).pathname;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts an upstream over HTTP, which ends with this process. */
async function serveHttp(toolsFile, flags) {
  const server = fork(here('http-upstream.mjs'), [toolsFile, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await new Promise((resolve) => server.stdout.once('data', (line) => resolve(String(line).trim())));
  server.unref();
  server.channel.unref();
  server.stdout.unref();
  return { url, ...(flags.includes('--sse') && { type: 'sse' }) };
}

/**
 * The gateway process, its address, and what it said last. `environment` goes to the process; `ready` ends when the upstream
 * has connected.
 */
export async function startGateway(
  { tools, config = {}, upstream = {}, program = 'hostile-upstream.mjs', http },
  directory,
  environment = {},
  flags = [],
) {
  const port = await freePort();
  const toolsFile = join(directory, 'tools.json');
  const configFile = join(directory, 'gateway.config.json');
  await writeFile(toolsFile, JSON.stringify(tools));
  const server =
    http === undefined
      ? { command: process.execPath, args: [here(program), toolsFile] }
      : await serveHttp(toolsFile, http);
  const whole = {
    endpoint: { mode: 'single' },
    dataDir: join(directory, 'data'),
    mcpServers: { hostile: { ...server, trust: 'certified', ...upstream } },
    ...config,
  };
  await writeFile(configFile, JSON.stringify(whole));
  const main = here('../../dist/cli/main.js');
  const args = [...flags, main, '--config', configFile, 'serve', '--host', '127.0.0.1', '--port', `${port}`];
  const gateway = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  // The report ends the start; 200 ms later garbage is collected, which belongs to no attack.
  const reported = new Promise((resolve) => gateway.stdout.once('data', resolve).resume());
  let words = '';
  gateway.stderr.on('data', (chunk) => {
    words = (words + chunk).slice(-20_000);
  });
  const url = `http://127.0.0.1:${port}`;
  const until = async (path) => {
    for (const end = performance.now() + START_MS; performance.now() < end; await delay(20)) {
      const answer = await fetch(`${url}${path}`).catch(() => undefined);
      if (answer?.status === 200) return;
      if (gateway.exitCode !== null) break;
    }
    gateway.kill('SIGKILL');
    throw new Error(`The gateway did not answer ${path}: ${words.slice(-2_000)}`);
  };
  const listening = until('/healthz');
  // Callers that wait for something else learn there that the gateway did not start.
  listening.catch(() => undefined);
  return { gateway, url, words: () => words, listening, ready: () => until('/readyz'), reported };
}

/** The headers and the body of a `tools/call` of the revision that needs no session; the arguments are written as they were given. */
export function writeCall(args, id) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: id,
  };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'mcp_aql',
    },
    body: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"mcp_aql","_meta":${JSON.stringify(meta)},"arguments":${text}}}`,
  };
}

export async function send(url, args, id) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    ...writeCall(args, id),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const answer = await response.text();
  const failure = /"success\\?":false.{0,40}"code\\?":\s*\\?"([A-Z_]+)/.exec(answer.slice(0, 4_000))?.[1];
  return { answer, code: failure ?? (response.ok ? 'OK' : `HTTP ${response.status}`) };
}
