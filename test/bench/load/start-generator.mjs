import { fileURLToPath } from 'node:url';
import { startNode } from '../process/children.mjs';

const PROGRAM = fileURLToPath(new URL('./generator.mjs', import.meta.url));

/** Starts the load generator. Each method is one of its verbs; a failure there rejects here. */
export function startGenerator() {
  const { child, stop, log } = startNode([PROGRAM], { ipc: true });
  const waiting = new Map();
  let seq = 0;
  child.on('message', ({ seq: answered, result, error }) => {
    const { resolve, reject } = waiting.get(answered);
    waiting.delete(answered);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the load generator exited with ${code}\n${log()}`));
  });
  const ask = (verb, request) =>
    new Promise((resolve, reject) => {
      seq += 1;
      waiting.set(seq, { resolve, reject });
      child.send({ seq, verb, ...request });
    });
  return {
    open: (target) => ask('open', { target }),
    run: (name, payload, options) => ask('run', { name, payload, options }),
    openSessions: (name, count) => ask('openSessions', { name, count }),
    watchCrash: (name, pid) => ask('watchCrash', { name, pid }),
    close: (name) => ask('close', { name }),
    stop,
  };
}
