import { fileURLToPath } from 'node:url';
import { startInner } from '../inner/start-inner.mjs';

const ANSWERS = fileURLToPath(new URL('./answers-program.mjs', import.meta.url));
const CROWD = fileURLToPath(new URL('./crowd-program.mjs', import.meta.url));
const NODE_ARGS = ['--expose-gc'];

/**
 * Starts the process that asks things of answers. Each method is one of its verbs.
 * @param program the gateway's entry point, in the `cli` folder of its build
 * @returns undefined where that build does not shape results
 */
export function startAnswers(program) {
  const inner = startInner(program, ANSWERS, 'the process with the answers', NODE_ARGS);
  if (inner === undefined) return undefined;
  const { open, ask, stop } = inner;
  return {
    open,
    measureRows: (effort) => ask('measureRows', effort),
    measureSmall: (effort) => ask('measureSmall', effort),
    stop,
  };
}

/**
 * Makes many big results at once, in a process that ends with it.
 * @param turns what `measure` of that process takes, one after the other
 * @returns what it gives for each of them
 */
export async function measureCrowds(program, turns) {
  const { open, ask, stop } = startInner(program, CROWD, 'the process with the big results', NODE_ARGS);
  const faults = await open();
  const measured = [];
  for (const turn of turns) measured.push(await ask('measure', turn));
  await stop();
  return {
    faults: [...faults, ...measured.flatMap((turn) => turn.faults)],
    measured: measured.map(({ faults: _told, ...turn }) => turn),
  };
}
