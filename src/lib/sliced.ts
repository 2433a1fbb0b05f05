import { TURN_WORK, type Turns, turns } from './turns.js';

/** Work that stops again and again, so that its runner can let other calls run in between. */
export type Sliced<T> = Generator<void, T, void>;

/** Runs all of the work at once: where it is little, or nobody waits. */
export function runAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the work slice by slice; other calls run after each. @param pause ends when the next slice may begin */
export async function runInSlices<T>(
  work: Sliced<T>,
  pause: () => Promise<unknown> = () => turns.next('sliced'),
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/**
 * The same for work that seldom stops: a value at once where it did not, a promise of it where it did. Each slice counts as
 * the work of a whole turn.
 */
export function runInTurns<T>(work: Sliced<T>, lane: string, shared: Turns = turns): T | Promise<T> {
  const step = work.next();
  if (step.done === true) return step.value;
  shared.spend(TURN_WORK);
  const pause = (): Promise<void> => shared.next(lane).then(() => shared.spend(TURN_WORK));
  return pause().then(() => runInSlices(work, pause));
}
