// What many big results at once leave in memory, measured in a process of its own.
import { setTimeout as delay } from 'node:timers/promises';
import { answerParent } from '../process/answer-parent.mjs';
import { openAnswers } from './open-answers.mjs';
import { LIST_ROWS, ROWS } from './rows.mjs';

/** About 200 kB, and no two the same. */
const REST = JSON.stringify(ROWS.slice(0, 980)).slice(1);
const textOf = (index) => `{"items":[{"result":${index}},${REST}}`;

const WARNINGS = ',"warnings":';

/** First, so that code and pools that the first calls bring are not counted as theirs. */
const FIRST_CALLS = 20;
const SETTLE_MS = 300;

let openPass;
/** Calls that wait for their answer. */
let waiting = [];

answerParent({
  /** @returns what is wrong, in words */
  async open(build) {
    openPass = await openAnswers(build, waitForAnswer);
    const { faults } = await answerAll(openPass({}).pass, FIRST_CALLS);
    return faults;
  },

  /**
   * So many calls, each of a session of its own, all waiting before the first is answered.
   * @param settings of the results; without them the answers pass unchanged
   * @returns `sentBytes` in all, `heldBytes` outside the heap that are still in use, `residentBytes` more than before,
   *   `readable`: how many results can be read on in; `faults` in words
   */
  async measure({ calls, settings }) {
    const { pass, results } = openPass(settings);
    const before = await readMemory();
    const { handles, faults } = await answerAll(pass, calls);
    const after = await readMemory();
    return {
      faults,
      sentBytes: calls * Buffer.byteLength(textOf(0)),
      heldBytes: after.arrayBuffers - before.arrayBuffers,
      residentBytes: after.rss - before.rss,
      readable: handles.filter(({ handle, sessionId }) => isReadable(results, handle, sessionId)).length,
    };
  },
});

function waitForAnswer() {
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

/** Answers come one by one, as they do over sockets; replies are let go of, as a front lets go of what it has sent. */
async function answerAll(pass, calls) {
  const faults = [];
  const handles = [];
  const answered = Array.from({ length: calls }, async (_, index) => {
    const sessionId = `session-${index}`;
    const { code, text } = await pass({ tool: 'mcp_aql_read', operation: LIST_ROWS.name, params: {}, sessionId });
    if (code !== 'OK') faults.push(`big result ${index} was answered with ${code}`);
    const handle = readHandle(text);
    if (handle !== undefined) handles.push({ handle, sessionId });
  });
  while (waiting.length + faults.length < calls) await nextTurn();
  const resolves = waiting;
  waiting = [];
  for (const [index, resolve] of resolves.entries()) {
    resolve(textOf(index));
    await nextTurn();
  }
  await Promise.all(answered);
  return { handles, faults };
}

/** As a text of its own: a piece of the reply would hold on to all of it. */
function readHandle(text) {
  const start = text.lastIndexOf(WARNINGS);
  return start < 0 ? undefined : JSON.parse(text.slice(start + WARNINGS.length, -1))[0].details.handle;
}

function isReadable(results, handle, sessionId) {
  try {
    return results.readStored({ handle, path: 'items[0]' }, { sessionId }) !== undefined;
  } catch {
    // It has made room for later ones.
    return false;
  }
}

async function readMemory() {
  globalThis.gc();
  await delay(SETTLE_MS);
  globalThis.gc();
  return process.memoryUsage();
}

function nextTurn() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
