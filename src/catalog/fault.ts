import type { ErrorCode } from '../protocol/error-table.js';

/** One thing wrong with a call's parameters. A refused call lists every one. */
export interface Fault {
  readonly code: Extract<ErrorCode, `VALIDATION_${string}`>;
  /** The canonical path as the caller writes it: `title`, `input.labels[2]`. */
  readonly param: string;
  /** One sentence with dynamic values in single quotes. */
  readonly message: string;
  /** The type or constraint, in words: `string`, `one of 'open', 'closed'`, `at most 100`. */
  readonly expected?: string;
  /** The type or (short, never sensitive) value that came. */
  readonly actual?: string;
  /** For an unknown name: what was probably meant. */
  readonly nearest?: string;
}
