import { dirname, resolve } from 'node:path';
import { askChild } from '../process/ask-child.mjs';
import { startNode } from '../process/children.mjs';
import { makeScratchDirectory } from '../process/scratch-directory.mjs';
import { hasModules } from './built-modules.mjs';

/**
 * Starts a process that measures the build from within; it is told what to do over IPC and is opened first of all.
 * @param program the gateway's entry point, in the `cli` folder of its build
 * @param file the process's own program
 * @param name what faults call the process
 * @returns `{open, ask, stop}`; undefined where that build cannot be measured so
 */
export function startInner(program, file, name, nodeArgs = []) {
  const modules = resolve(dirname(program), '..');
  if (!hasModules(modules)) return undefined;
  const started = startNode([...nodeArgs, file], { ipc: true });
  const ask = askChild(started, name);
  return {
    open: () => ask('open', { modules, directory: makeScratchDirectory() }),
    ask,
    stop: started.stop,
  };
}
