import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askChild } from '../process/ask-child.mjs';
import { startNode } from '../process/children.mjs';
import { makeScratchDirectory } from '../process/scratch-directory.mjs';

const PROGRAM = fileURLToPath(new URL('./gate-program.mjs', import.meta.url));

/**
 * Starts the process that passes calls through gates. Each method is one of its verbs.
 * @param program the gateway's entry point, in the `cli` folder of its build
 * @returns undefined where that build has no gate
 */
export function startGates(program) {
  const modules = resolve(dirname(program), '..');
  if (!existsSync(join(modules, 'policy/open-policy-desk.js'))) return undefined;
  const started = startNode([PROGRAM], { ipc: true });
  const ask = askChild(started, 'the process with the gates');
  return {
    open: () => ask('open', { modules, directory: makeScratchDirectory() }),
    measure: (effort) => ask('measure', effort),
    stop: started.stop,
  };
}
