import { fileURLToPath } from 'node:url';
import { askChild } from '../process/ask-child.mjs';
import { startNode } from '../process/children.mjs';

const PROGRAM = fileURLToPath(new URL('./generator.mjs', import.meta.url));

/** Starts the load generator. Each method is one of its verbs; a failure there rejects here. */
export function startGenerator() {
  const started = startNode([PROGRAM], { ipc: true });
  const ask = askChild(started, 'the load generator');
  return {
    open: (target) => ask('open', { target }),
    run: (name, payload, options) => ask('run', { name, payload, options }),
    openSessions: (name, count) => ask('openSessions', { name, count }),
    watchCrash: (name, pid) => ask('watchCrash', { name, pid }),
    close: (name) => ask('close', { name }),
    stop: started.stop,
  };
}
