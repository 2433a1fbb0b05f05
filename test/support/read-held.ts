import { LargeAnswer } from '../../src/base/protocol/large-answer.js';
import type { ToolCallResult } from '../../src/base/protocol/result.js';
import { readToolResult, type WireAnswer } from '../../src/base/protocol/wire-answer.js';

/** A result as a value. @throws for one that is too large to be read */
export function readHeld(result: ToolCallResult | WireAnswer | LargeAnswer): ToolCallResult {
  if (result instanceof LargeAnswer) throw new Error('a large answer');
  return readToolResult(result);
}
