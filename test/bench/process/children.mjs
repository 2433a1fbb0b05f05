import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readLines } from './read-lines.mjs';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 3_000;
const LOG_TAIL = 4_000;

const running = new Set();
/** How processes ended that were not stopped by the bench, by pid. */
const mishaps = new Map();

process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL');
});
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.once(signal, () => process.exit(code));
}

/**
 * Starts `node` with these arguments. `log()` is the end of what it wrote to stderr.
 * @param options `onLine` gets the lines of stdout; `ipc` opens a channel for messages
 */
export function startNode(args, { onLine = () => {}, ipc = false } = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])],
  });
  let tail = '';
  child.stderr.on('data', (chunk) => {
    tail = (tail + chunk).slice(-LOG_TAIL);
  });
  // A child that dies while it is written to is noticed by its exit.
  child.stdin.on('error', () => {});
  readLines(child.stdout, onLine);
  const started = { child, pid: child.pid, log: () => tail, stop: () => stop(started) };
  running.add(started);
  child.once('exit', (code, signal) => {
    if (running.delete(started)) mishaps.set(child.pid, `${args.join(' ')} ended with ${signal ?? code}\n${tail}`);
  });
  return started;
}

/** Throws when a process has ended that should be running: what is measured after that means nothing. */
export function assertRunning(pid) {
  const mishap = mishaps.get(pid);
  if (mishap !== undefined) throw new Error(mishap);
}

/** Starts a fixture that prints `{"listening":port}`, and resolves when it has. */
export async function startListening(args, options = {}) {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('did not listen in time'), START_TIMEOUT_MS);
    const started = startNode(args, {
      ...options,
      onLine(line) {
        clearTimeout(timer);
        resolve({ ...started, port: JSON.parse(line).listening });
      },
    });
    const fail = (why) => {
      clearTimeout(timer);
      reject(new Error(`${args.join(' ')} ${why}\n${started.log()}`));
    };
    started.child.once('exit', (code) => fail(`exited with ${code}`));
  });
}

/** Asks politely, then does not ask. */
async function stop(started) {
  const { child } = started;
  running.delete(started);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
