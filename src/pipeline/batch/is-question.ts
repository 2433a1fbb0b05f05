import type { Reply } from '../../protocol/result.js';

/** Refusals that ask for agreement: the operation did not run, and is to be sent again with a token. */
const QUESTIONS: ReadonlySet<string> = new Set(['CONFIRMATION_REQUIRED', 'RATE_LIMIT_QUOTA_PAUSE']);

/** Whether an operation waits for agreement (specification, operations document, section 7.5). */
export function isQuestion({ code }: Reply): boolean {
  return QUESTIONS.has(code);
}
