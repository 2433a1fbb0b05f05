import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from '../../src/config/gateway-config.js';

const CHILD = fileURLToPath(new URL('store-child.mjs', import.meta.url));

/** What a process does with the store; see `store-child.mjs`. */
export interface StoreTask {
  readonly config: StoreConfig;
  readonly task: 'insertAndDie' | 'replaceAll' | 'countUp';
  readonly input: unknown;
}

/** Runs a task in so many processes at the same time, of the built code; gives the answer of each. */
export async function runInProcesses<T>(count: number, task: StoreTask): Promise<readonly T[]> {
  const children = await Promise.all(Array.from({ length: count }, startChild));
  return Promise.all(children.map((child) => answerOf<T>(child, task)));
}

/** Runs a task that ends with the death of its process; gives the signal that it died of. */
export async function runToDeath(task: StoreTask): Promise<NodeJS.Signals | null> {
  const child = await startChild();
  child.send(task);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** Loaded and waiting, so that those started first have no lead. */
async function startChild(): Promise<ChildProcess> {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await nextMessage(child);
  return child;
}

async function answerOf<T>(child: ChildProcess, task: StoreTask): Promise<T> {
  child.send(task);
  const answer = await nextMessage(child);
  await once(child, 'exit');
  return answer as T;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process ended with ${code} and said nothing`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    settled.abort();
  }
}
