import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from '../../src/config/gateway-config.js';

const CHILD = fileURLToPath(new URL('store-child.mjs', import.meta.url));

/** The task of a process on the store; see `store-child.mjs`. */
export interface StoreTask {
  readonly config: StoreConfig;
  readonly task: 'insertAndDie' | 'replaceAll' | 'countUp';
  readonly input: unknown;
}

/** Runs a task of the built code in several processes at the same time; returns the answer of each. */
export async function runInProcesses<T>(count: number, task: StoreTask): Promise<readonly T[]> {
  const children = await Promise.all(Array.from({ length: count }, startChild));
  return Promise.all(children.map((child) => answerOf<T>(child, task)));
}

/** Runs a task that kills its process; returns the signal. */
export async function runToDeath(task: StoreTask): Promise<NodeJS.Signals | null> {
  const child = await startChild();
  child.send(task);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** Waits until every process is loaded, so that all begin at the same time. */
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
