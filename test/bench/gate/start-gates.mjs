import { fileURLToPath } from 'node:url';
import { startInner } from '../inner/start-inner.mjs';

const PROGRAM = fileURLToPath(new URL('./gate-program.mjs', import.meta.url));

/**
 * Starts the process that passes calls through gates. Each method is one of its verbs.
 * @param program the gateway's entry point, in the `cli` folder of its build
 * @returns undefined where that build has no gate
 */
export function startGates(program) {
  const inner = startInner(program, PROGRAM, 'the process with the gates');
  if (inner === undefined) return undefined;
  const { open, ask, stop } = inner;
  return { open, measure: (effort) => ask('measure', effort), stop };
}
