/**
 * A gateway whose state file another process locks: the longest answer of a client that only reads, and of `/healthz`, before the lock, while
 * it is held by a process that keeps a transaction open, and while that process is stopped in the middle of a write; a second client asks for
 * what needs the state all the time. Ends with 1 where a reader waited much longer than before.
 *
 *   npm run soak:lock [-- --seconds LENGTH_OF_A_PHASE]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { here, send, startGateway } from './soak-gateway.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
const PHASE_MS = Number(values.seconds) * 1_000;
/** What a reader may wait; more where the machine had it wait before. */
const BAR_MS = 100;
const PAUSE_MS = 20;

const directory = await mkdtemp(join(tmpdir(), 'aql-locked-'));
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object', properties: {} } });
const tools = [tool('get_item', 'Gets an item.'), tool('delete_item', 'Deletes an item for good.')];
// Its deletions are to be confirmed, which needs the state.
const upstream = { trust: undefined };
const { gateway, url, ready } = await startGateway({ tools, upstream, program: 'echo-upstream.mjs' }, directory);
await ready();

let id = 0;
const call = (operation) => {
  id += 1;
  return send(url, { operation, params: {} }, id);
};
const codes = new Map();
let isOver = false;
const gated = (async () => {
  for (; !isOver; await delay(PAUSE_MS)) {
    const { code } = await call('delete_item');
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
})();

const before = await readFor('without a lock');
const longest = [];
for (const holding of ['open', 'stopped']) {
  const file = join(directory, 'data', 'state.db');
  const child = fork(here('../support/lock-child.mjs'), [file, holding], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  longest.push(await readFor(`with a lock (${holding})`));
  child.kill('SIGKILL');
  await once(child, 'exit');
}
isOver = true;
await gated;
process.stdout.write(`what needs the state: ${JSON.stringify(Object.fromEntries(codes))}\n`);
gateway.kill();
await once(gateway, 'exit');
await rm(directory, { recursive: true, force: true });
process.exit(Math.max(...longest) > Math.max(BAR_MS, 2 * before) ? 1 : 0);

/** The longest wait of a reader in one phase, in milliseconds. */
async function readFor(phase) {
  const waits = [];
  for (const end = performance.now() + PHASE_MS; performance.now() < end; await delay(PAUSE_MS)) {
    const began = performance.now();
    const [{ code }, health] = await Promise.all([call('get_item'), fetch(`${url}/healthz`)]);
    if (code !== 'OK' || !health.ok) throw new Error(`${phase}: a reader got ${code}, and health ${health.status}`);
    waits.push(performance.now() - began);
  }
  const most = Math.max(...waits);
  process.stdout.write(`${phase}: ${waits.length} reads, longest ${most.toFixed(0)} ms\n`);
  return most;
}
