import type { Module } from '../../gateway/module.js';
import { runProgram, runProgramReadOnly } from './operations.js';
import { PROGRAMS } from './settings.js';

/** Programs over operations. The engine itself is loaded with the first program. */
export const programs: Module<typeof PROGRAMS> = {
  name: 'programs',
  settings: PROGRAMS,
  isOn: ({ enabled }) => enabled,
  operations: () => [runProgram, runProgramReadOnly],
  async open({ settings, limits, policy, observe, budget }) {
    const [{ Programs }, { StoppedPrograms }] = await Promise.all([
      import('./handler.js'),
      import('./stopped-programs.js'),
    ]);
    const onDefect = (cause: unknown): void => observe({ kind: 'defect', where: 'program', cause });
    const stopped = new StoppedPrograms({
      store: policy.store,
      configuration: () => policy.decisions().configuration,
      keptMs: () => 1_000 * settings().keptSeconds,
    });
    const running = new Programs({ settings, limits, stopped, budget, onDefect });
    return {
      handle: (call) => running.handle(call),
      // They expire by themselves where the store cannot be reached.
      endSession: (sessionId) => void stopped.endSession(sessionId).catch(() => undefined),
      close: () => running.close(),
    };
  },
};
