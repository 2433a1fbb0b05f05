import { exactMemberOf } from '../protocol/exact-result.js';
import type { JsonObject } from '../protocol/json.js';
import type { WrittenMember } from '../protocol/written-members.js';
import type { Sliced } from './turns.js';
import { encodeInSlices, writeInSlices } from './write-in-slices.js';

/** Writes the members of a result in slices, with numbers as the server wrote them. */
export function* writeMembers(result: JsonObject): Sliced<readonly WrittenMember[]> {
  const members: WrittenMember[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const exact = exactMemberOf(result, name);
    const json = exact === undefined ? yield* writeInSlices(value) : yield* encodeInSlices(exact);
    members.push({ name, value, json });
  }
  return members;
}
