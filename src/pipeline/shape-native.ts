import { inTime, runInSlices, type Sliced } from '../lib/turns.js';
import { encodeInSlices, takesLongToWrite, writeInSlices } from '../lib/write-in-slices.js';
import { exactTextOf, writeExactMembers } from '../protocol/exact-result.js';
import type { JsonObject } from '../protocol/json.js';
import type { PayloadLimits } from '../protocol/limits.js';
import type { Reply } from '../protocol/result.js';
import { sizeOfMembers, textOfMembers, type WrittenMember } from '../protocol/written-members.js';
import { payloadTooLarge } from './limit.js';
import { limited } from './shape.js';

/** Writes the result of a request of MCP itself, without an envelope; a large one in slices. An answer that exceeds the limit is refused. */
export function shapeNative(result: JsonObject, limits: PayloadLimits): Reply | Promise<Reply> {
  if (takesLongToWrite(result))
    return runInSlices(inTime(writeMembers(result))).then((members) => shapeMembers(members, limits));
  return limited({ text: `{${writeExactMembers(result)}}`, blocks: [], isError: false, code: 'OK' }, limits);
}

function* writeMembers(result: JsonObject): Sliced<readonly WrittenMember[]> {
  const members: WrittenMember[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const exact = exactTextOf(result, name);
    const json = exact === undefined ? yield* writeInSlices(value) : yield* encodeInSlices(exact);
    members.push({ name, value, json });
  }
  return members;
}

function shapeMembers(members: readonly WrittenMember[], limits: PayloadLimits): Reply {
  const bytes = sizeOfMembers(members);
  if (bytes > limits.maxResponseSize) throw payloadTooLarge('response_size', bytes, limits);
  return {
    get text() {
      return textOfMembers(members);
    },
    members,
    blocks: [],
    isError: false,
    code: 'OK',
  };
}
