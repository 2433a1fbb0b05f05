import { writeExactMembers } from '../../base/json/exact-result.js';
import { LargeAnswer } from '../../base/protocol/large-answer.js';
import type { ToolCallResult } from '../../base/protocol/result.js';
import { WireAnswer } from '../../base/protocol/wire-answer.js';
import type { AuthorizedCall } from './authorize.js';

/** A thread takes an answer as a message: this is its id. */
const ID = 0;

/** An answer for a thread, also one that has been read: as the bytes of the message that would carry it. */
export function handOver(result: ToolCallResult | WireAnswer, call: AuthorizedCall): LargeAnswer | WireAnswer {
  if (result instanceof WireAnswer) return result;
  const { operation, arguments: args } = call;
  const { upstream, tool, retryable } = operation;
  const pieces = [Buffer.from(`{"id":${ID},"result":{${writeExactMembers({ ...result })}}}`)];
  const failed = { upstream, tool, arguments: args, repeatable: retryable, words: 'clean' as const };
  return new LargeAnswer({ pieces, id: ID, credentials: [], call: failed });
}
