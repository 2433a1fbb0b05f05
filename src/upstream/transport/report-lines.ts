import type { Observer } from '../../base/observe/observation.js';

/** Longest line that is passed on, in characters. */
const MAX_LENGTH = 2_000;
/** Lines passed on within one window; a server in a loop must not drown the log. */
const LINES_PER_WINDOW = 200;
const WINDOW_MS = 1_000;

/** Tells what a server printed, line by line, shortened and at a bounded rate; says how much was left out. */
export function reportLines(
  kind: 'upstream-stderr' | 'upstream-noise',
  upstream: string,
  observe: Observer,
): (line: string) => void {
  let windowEnds = 0;
  let told = 0;
  return (line) => {
    const now = performance.now();
    if (now >= windowEnds) {
      const leftOut = told - LINES_PER_WINDOW;
      if (leftOut > 0) observe({ kind, upstream, line: `(${leftOut} more lines were left out)` });
      windowEnds = now + WINDOW_MS;
      told = 0;
    }
    told += 1;
    if (told > LINES_PER_WINDOW) return;
    observe({ kind, upstream, line: line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)} [...]` : line });
  };
}
