import { escapeInvisible } from '../protocol/invisible-text.js';

/** A text of somebody else's on one line of the terminal, which it must neither steer nor fill with lines of its own. */
export function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, ' '));
}
