/** The thread that uses a store's file: one answer for each use, in their order. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteStore } from './sqlite-store.js';
import { runUse, type StoreUse } from './state-store.js';

/** What the thread begins with. */
export interface StoreThreadData {
  readonly file: string;
  /** The number of the last use that nobody waits for any more: it and those before it are not begun. */
  readonly givenUp: BigInt64Array;
}

/** A use with its number and its time, in milliseconds since the epoch. */
export interface NumberedUse {
  readonly id: bigint;
  readonly now: number;
  readonly use: StoreUse;
}

export type StoreThreadMessage =
  | { readonly id: bigint; readonly outcome: unknown }
  | { readonly id: bigint; readonly fault: string }
  | { readonly problem: string };

const port = parentPort;
const post = (message: StoreThreadMessage): void => port?.postMessage(message);
const { file, givenUp } = workerData as StoreThreadData;
let time = 0;
const onProblem = (problem: string): void => post({ problem });
const store = new SqliteStore(file, { now: () => time, onProblem });

port?.on('message', ({ id, now, use }: NumberedUse) => {
  if (id <= Atomics.load(givenUp, 0)) return;
  time = now;
  runUse(store, use).then(
    (outcome) => post({ id, outcome }),
    (fault: Error) => post({ id, fault: fault.message }),
  );
});
