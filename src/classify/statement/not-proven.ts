import type { StatementVerdict } from '../../base/protocol/operation.js';

/** Says why a statement is not proven to be a read. Never leaves this folder. */
export class NotProven extends Error {}

/** The verdict on a statement: what it is, as `read` names it, or why it is not proven. */
export function verdictOf(read: () => string): StatementVerdict {
  try {
    return { read: true, kind: read() };
  } catch (fault) {
    if (fault instanceof NotProven) return { read: false, why: fault.message };
    throw fault;
  }
}

/** Longer statements are not looked at: the work of a proof is bounded by these two. */
export const LONGEST_TEXT = 8_192;
export const MOST_PARTS = 2_000;

/** Deeper statements are not looked at, so that the stack holds whatever a caller sends. */
export const DEEPEST = 48;

/** Where a character stands, as reasons name it. */
export const place = (index: number): string => `(character ${index + 1})`;

export const quote = (text: string): string => `'${text.slice(0, 40)}'`;
