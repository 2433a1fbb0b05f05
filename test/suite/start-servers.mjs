import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURE = fileURLToPath(new URL('../fixtures/servers/conformance-server.mjs', import.meta.url));
const TASKS_FIXTURE = fileURLToPath(new URL('../fixtures/servers/conformance-tasks-server.mjs', import.meta.url));
export const GATEWAY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The server that offers what the suite expects. */
export function startFixture(era) {
  return startPrinting([FIXTURE, '--era', era]);
}

/** The server whose tools run as tasks, in the era that has them as the suite does. */
export function startTasksFixture() {
  return startPrinting([TASKS_FIXTURE]);
}

async function startPrinting(args) {
  const started = start(args);
  const [line] = await Promise.race([once(started.child.stdout, 'data'), ended(started)]);
  return { ...started, url: String(line).trim() };
}

/** The shipped gateway in front of one server, whose tools it shows as they are. @param port 0 for a free one */
export async function startGateway(upstream, port = 0) {
  const folder = makeConfiguration(upstream);
  const started = start(
    [GATEWAY, 'serve', '--json', '--port', String(port), '--config', join(folder, 'gateway.config.json')],
    folder,
  );
  let report = '';
  const isReported = async () => {
    for await (const text of started.child.stdout) {
      report += text;
      if (report.trimEnd().endsWith('}')) return JSON.parse(report).url;
    }
    return ended(started);
  };
  const url = await Promise.race([isReported(), ended(started)]);
  return {
    ...started,
    url,
    stop: () => started.stop().finally(() => rmSync(folder, { recursive: true, force: true })),
  };
}

/** A port for a gateway whose pages have to know their own address. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A folder with the configuration of a gateway in front of one server; the caller removes it. */
export function makeConfiguration(upstream) {
  const folder = mkdtempSync(join(tmpdir(), 'aql-suite-'));
  // Its deletions ask nobody directly.
  const policy = { rules: [{ name: 'suite', match: { danger: ['destructive'] }, decision: 'allow' }] };
  const config = { endpoint: { mode: 'passthrough' }, log: { level: 'info' }, policy, mcpServers: { suite: upstream } };
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(config));
  return folder;
}

function start(args, cwd) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  child.stdout.setEncoding('utf8');
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  };
  return { child, stop, log: () => log };
}

/** Rejects when the process ends before it is ready. */
async function ended({ child, log }) {
  const [code] = await once(child, 'exit');
  throw new Error(`${child.spawnargs.join(' ')} ended with ${code}\n${log()}`);
}
