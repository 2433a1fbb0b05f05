import { Script } from 'node:vm';

/** What `runWithin` answers where the time was not enough. */
export const OUT_OF_TIME = Symbol('out of time');

interface Slot {
  task: (() => unknown) | undefined;
}

const SLOT = Symbol.for('mcp-aql-gateway.run-within');
const slot: Slot = { task: undefined };
Object.defineProperty(globalThis, SLOT, { value: slot });

/** Only a script has a watchdog that can end synchronous code; this one does nothing but call the task. */
const script = new Script(`globalThis[Symbol.for('${Symbol.keyFor(SLOT)}')].task()`);

/**
 * Runs a synchronous task and ends it when it takes longer than so many milliseconds. Starting the watchdog costs tens of
 * microseconds, so it is for tasks whose duration a stranger decides. The task must not leave anything half-changed.
 * https://nodejs.org/api/vm.html#scriptruninthiscontextoptions
 */
export function runWithin<T>(milliseconds: number, task: () => T): T | typeof OUT_OF_TIME {
  slot.task = task;
  try {
    return script.runInThisContext({ timeout: milliseconds }) as T;
  } catch (cause) {
    const timedOut = cause instanceof Error && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (timedOut) return OUT_OF_TIME;
    throw cause;
  } finally {
    slot.task = undefined;
  }
}
