import { startOfCharacter } from './take-text.js';

/** Characters of a name or a value that a message repeats. */
const LONGEST = 60;

/** The start of a text that may be of any length. */
export function abbreviate(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, startOfCharacter(text, LONGEST))}…`;
}
