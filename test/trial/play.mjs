import { createTally } from './session.mjs';
import { TASKS } from './tasks.mjs';

/** Plays the tasks of one arm in one session, and confirms what asks, as a model does that was allowed to. */
export async function playTasks(arm, kind, world) {
  const { tally, add } = createTally();
  const rows = [];
  for (const { title, solved, [kind]: stepsOf } of TASKS) {
    const before = { ...tally, refusals: tally.refusals.length };
    const texts = [];
    for (const step of stepsOf(world)) texts.push(...(await playStep(arm, step, add)));
    rows.push({
      title,
      isSolved: patternsOf(solved, kind).every((pattern) => pattern.test(texts.join('\n'))),
      calls: tally.calls - before.calls,
      refusals: tally.refusals.slice(before.refusals),
      characters: tally.characters - before.characters,
    });
  }
  return { ...tally, definitions: arm.definitions, rows };
}

/** A step, and its confirmation by the token alone. */
async function playStep(arm, step, add) {
  const answer = await arm.call(step);
  add(answer);
  if (answer.refusal !== 'CONFIRMATION_REQUIRED') return [answer.text];
  const confirmed = await arm.call(confirm(step, answer.first));
  add(confirmed);
  return [answer.text, confirmed.text];
}

function confirm({ family, request: { operation } }, envelope) {
  const token = JSON.parse(envelope).error.details.confirmation_token;
  return { family, request: { operation, params: { _confirmation: token } } };
}

function patternsOf(solved, kind) {
  return Array.isArray(solved) ? solved : (solved[kind] ?? []);
}
