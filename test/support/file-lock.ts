import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('lock-child.mjs', import.meta.url));

/** What another process does with a store's file: it keeps a transaction open, or it is stopped in the middle of a write. */
export type Holding = 'open' | 'stopped';

/** Another process that has the write lock of an SQLite file. Disposing of it kills it, which frees the lock. */
export async function lockFile(file: string, holding: Holding): Promise<AsyncDisposable> {
  const child = fork(CHILD, [file, holding], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
