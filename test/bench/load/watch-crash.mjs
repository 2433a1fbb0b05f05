import { setTimeout as delay } from 'node:timers/promises';
import { textPayload } from './payload.mjs';
import { readAnswer } from './read-answer.mjs';
import { compileRequests, FIRST_ID, toolOf } from './write-request.mjs';

const CONCURRENCY = 16;
const BEFORE_KILL_MS = 400;
const AFTER_RECOVERY_MS = 200;
const DEADLINE_MS = 12_000;
/** A client that was refused does not ask again at once. */
const PAUSE_AFTER_REFUSAL_MS = 5;

const READ = textPayload(64);
const OTHER = { ...textPayload(64, ['create_note']), family: 'create' };

let nextId = FIRST_ID;

/** Milliseconds on a clock that two processes of one machine agree about. */
export const wallClock = () => performance.timeOrigin + performance.now();

/**
 * Calls without pause, half of them READ, kills the upstream in the middle, and watches until calls succeed again.
 * @param pid the upstream's process
 * @returns when it was killed, when the first later call succeeded (null: never), what was lost of each kind, by whether the
 *   call was in flight at the kill or sent while the upstream was down, and what was answered wrongly
 */
export async function watchCrash(client, target, pid) {
  const log = {
    killedAt: null,
    recoveredAt: null,
    read: { calls: 0, lostInFlight: 0, lostLater: 0 },
    other: { calls: 0, lostInFlight: 0, lostLater: 0, retryable: 0 },
    broken: [],
    wrong: [],
    refusals: [],
  };
  const deadline = wallClock() + DEADLINE_MS;
  let until = deadline;
  const workers = Array.from({ length: CONCURRENCY }, (_, index) =>
    work(client, target, index % 2 === 0 ? 'read' : 'other', log, {
      isOver: () => wallClock() >= until,
      onRecovered: () => {
        until = Math.min(deadline, wallClock() + AFTER_RECOVERY_MS);
      },
    }),
  );
  await delay(BEFORE_KILL_MS);
  log.killedAt = wallClock();
  process.kill(pid, 'SIGKILL');
  await Promise.all(workers);
  return log;
}

async function work(client, target, kind, log, { isOver, onRecovered }) {
  const payload = kind === 'read' ? READ : OTHER;
  const requestOf = compileRequests(target, payload);
  const tool = toolOf(target, payload, payload.operations[0]);
  while (!isOver()) {
    const id = nextId++;
    const sentAt = wallClock();
    const answer = await new Promise((resolve) => client.send(requestOf(id), tool, resolve));
    log[kind].calls += 1;
    const verdict =
      answer.fault === undefined ? readAnswer(target, payload, id, answer) : { kind: 'broken', why: answer.fault };
    if (verdict.kind === 'right') {
      if (log.killedAt !== null && sentAt >= log.killedAt && log.recoveredAt === null) {
        log.recoveredAt = wallClock();
        onRecovered();
      }
      continue;
    }
    note(log, kind, sentAt, verdict);
    await delay(PAUSE_AFTER_REFUSAL_MS);
  }
}

function note(log, kind, sentAt, { kind: verdict, why, retryable }) {
  const inFlight = log.killedAt === null || sentAt < log.killedAt;
  log[kind][inFlight ? 'lostInFlight' : 'lostLater'] += 1;
  if (kind === 'other' && retryable === true) log.other.retryable += 1;
  const list = { refused: log.refusals, broken: log.broken, wrong: log.wrong }[verdict];
  if (list.length < 3) list.push(why);
}
