import { isDeepStrictEqual } from 'node:util';
import { createTally } from './session.mjs';

/**
 * Plays a story's tasks of one arm in one session, and confirms what asks, as a model does that was allowed to. A task's steps are a
 * list, or a generator that gets the answer to each and returns what the model tells in the end.
 */
export async function playTasks(arm, kind, { tasks, world }) {
  const { tally, add } = createTally();
  const memory = {};
  const rows = [];
  for (const task of tasks) {
    const before = { ...tally, refusals: tally.refusals.length };
    const { texts, told } = await playTask(arm, stepsOf(task, kind)(world, memory), add);
    rows.push({
      title: task.title,
      isSolved: isSolved(task, kind, texts.join('\n'), told),
      calls: tally.calls - before.calls,
      refusals: tally.refusals.slice(before.refusals),
      characters: tally.characters - before.characters,
      tokens: tally.tokens - before.tokens,
    });
  }
  return { ...tally, definitions: arm.definitions, rows };
}

/** Where a program does no better, a model that may write one calls as without. */
function stepsOf(task, kind) {
  return task[kind] ?? task.gateway;
}

async function playTask(arm, steps, add) {
  const texts = [];
  const iterator = steps[Symbol.asyncIterator]?.() ?? steps[Symbol.iterator]();
  try {
    let step = await iterator.next();
    while (!step.done) {
      const answer = await playStep(arm, step.value, add);
      texts.push(answer.text);
      step = await iterator.next(answer);
    }
    return { texts, told: step.value };
  } catch (fault) {
    // An answer that is not what the model took it for: the task is not solved.
    process.stderr.write(`${fault.stack}\n${texts.at(-1)?.slice(0, 2_000)}\n`);
    return { texts, told: undefined };
  }
}

/** A step, and its confirmation by the token alone, as often as it asks. */
async function playStep(arm, step, add) {
  let answer = await arm.call(step);
  add(answer);
  while (answer.refusal === 'CONFIRMATION_REQUIRED') {
    answer = await arm.call(confirm(step, answer.first));
    add(answer);
  }
  return answer;
}

function confirm({ family, request: { operation } }, envelope) {
  const { error, halted_at: halted, pending_operations: pending = [] } = JSON.parse(envelope);
  const { program_token, confirmation_token } = (error ?? halted.result.error).details;
  if (program_token !== undefined) return { family, request: { operation, params: { program_token } } };
  const params = { _confirmation: confirmation_token };
  if (halted === undefined) return { family, request: { operation, params } };
  const rest = pending.map(({ index: _index, ...each }) => each);
  return { family, request: { operations: [{ operation: halted.operation, params }, ...rest] } };
}

function isSolved({ truth, solved }, kind, texts, told) {
  if (truth !== undefined) return isDeepStrictEqual(told, truth());
  const patterns = Array.isArray(solved) ? solved : (solved[kind] ?? (kind === 'own' ? [] : solved.gateway));
  return patterns.every((pattern) => pattern.test(texts));
}
