import { inTime, runInSlices } from '../lib/turns.js';
import { takesLongToWrite } from '../lib/write-in-slices.js';
import { writeMembers } from '../lib/write-members.js';
import { writeExactMembers } from '../protocol/exact-result.js';
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
