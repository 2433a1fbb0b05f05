// The load generator: a process of its own, told over IPC what to do, one request at a time.
import { answerParent } from '../process/answer-parent.mjs';
import { openHttpClient } from './http-client.mjs';
import { runSlice } from './run-slice.mjs';
import { openStdioClient } from './stdio-client.mjs';
import { watchCrash } from './watch-crash.mjs';

const SESSIONS_AT_ONCE = 16;

const targets = new Map();

const verbs = {
  async open({ target }) {
    const client = target.transport === 'stdio' ? await openStdioClient(target) : await openHttpClient(target);
    targets.set(target.name, { target, client });
  },
  run({ name, payload, options }) {
    const { target, client } = find(name);
    return runSlice(client, target, payload, options);
  },
  async openSessions({ name, count }) {
    const { client } = find(name);
    let opened = 0;
    const worker = async () => {
      while (opened < count) {
        opened += 1;
        await client.openSession();
      }
    };
    await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, worker));
  },
  watchCrash({ name, pid }) {
    const { target, client } = find(name);
    return watchCrash(client, target, pid);
  },
  async close({ name }) {
    const { client } = find(name);
    targets.delete(name);
    await client.close();
  },
};

function find(name) {
  const found = targets.get(name);
  if (found === undefined) throw new Error(`no target ${name} is open`);
  return found;
}

answerParent(verbs);
