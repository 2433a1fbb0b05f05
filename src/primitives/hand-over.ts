import { copyInSteps } from '../lib/copy-in-steps.js';
import { measureJson } from '../lib/json-size.js';
import { inTime, runInSlices, type Sliced } from '../lib/turns.js';
import { writeMembers } from '../lib/write-members.js';
import type { HandlerCall } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import { LARGE_BYTES, LargeAnswer } from '../protocol/large-answer.js';
import type { ToolCallResult } from '../protocol/result.js';
import { joinMembers } from '../protocol/written-members.js';

/**
 * A result that was made of an upstream's answer: a large one as the bytes of an answer to a call, which a thread reads as it does those of
 * tools. Writing it takes slices; reading and querying it here would hold up other calls.
 */
export function handOver(
  result: ToolCallResult,
  call: HandlerCall,
): ToolCallResult | Promise<ToolCallResult | LargeAnswer> {
  if (measureJson(result, LARGE_BYTES) <= LARGE_BYTES) return result;
  return runInSlices(inTime(writeAnswer(result, call)));
}

const ID = 0;

function* writeAnswer(result: JsonObject, { operation, arguments: args }: HandlerCall): Sliced<LargeAnswer> {
  const members = yield* writeMembers(result);
  const bytes = [Buffer.from(`{"id":${ID},"result":{`), ...joinMembers(members), Buffer.from('}}')];
  const pieces = [yield* copyInSteps(bytes)];
  const { upstream, tool } = operation;
  const failed = { upstream, tool, arguments: args, repeatable: true, words: 'clean' as const };
  return new LargeAnswer({ pieces, id: ID, credentials: [], call: failed });
}
