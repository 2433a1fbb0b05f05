import { maskSecrets } from '../../base/protocol/secret-forms.js';

/** Lines of stderr that are kept to explain a failure. */
export const KEPT_LINES = 200;
/** How many lines that speak of an error are shown, from the first on; the last line of all is shown too. */
const SHOWN_ERRORS = 2;

const SPEAKS_OF_ERROR = /error|fatal|exception|panic/i;
const SPEAKS_OF_TROUBLE =
  /cannot|can't|could not|couldn't|unable|fail|denied|refused|invalid|missing|not found|no such|not authori[sz]ed|unauthori[sz]ed|forbidden|expired|required|must\b/i;

/** What a server said last, in words that follow what it did; empty where it said nothing. */
export function describeLastWords(lines: readonly string[]): string {
  const shown = pickTelling(lines);
  return shown.length === 0 ? '' : `; its last words: ${maskSecrets(shown.join(' | '), () => false)}`;
}

/**
 * The lines that say why: a stack trace or a hint at the end says less than the first error before it. Where none speaks of trouble, all
 * of a few, else the first and the last.
 */
function pickTelling(lines: readonly string[]): readonly string[] {
  const told = lines.map((line) => line.trim()).filter((line) => line !== '');
  const speaking = (of: RegExp): readonly string[] => told.filter((line) => of.test(line)).slice(0, SHOWN_ERRORS);
  const [errors, troubles] = [speaking(SPEAKS_OF_ERROR), speaking(SPEAKS_OF_TROUBLE)];
  const first = errors.length > 0 ? errors : troubles.length > 0 ? troubles : told.slice(0, told.length > 3 ? 1 : 3);
  return [...new Set([...first, ...told.slice(-1)])];
}
