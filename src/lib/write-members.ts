import { exactTextOf, isExactItem, writeExactItem } from '../protocol/exact-result.js';
import type { JsonObject } from '../protocol/json.js';
import type { Pieces } from '../protocol/pieces.js';
import type { WrittenMember } from '../protocol/written-members.js';
import { filterInSteps, mapInSteps, type Sliced } from './turns.js';
import { encodeInSlices, writeInSlices } from './write-in-slices.js';

/** Writes the members of a result in slices, with numbers as the server wrote them. */
export function* writeMembers(result: JsonObject): Sliced<readonly WrittenMember[]> {
  const members: WrittenMember[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const exact = exactTextOf(result, name);
    const json = exact === undefined ? yield* writeMember(value) : yield* encodeInSlices(exact);
    members.push({ name, value, json });
  }
  return members;
}

function* writeMember(value: unknown): Sliced<Pieces> {
  const exactItems = Array.isArray(value) ? yield* filterInSteps<unknown>(value, isExactItem) : [];
  if (!Array.isArray(value) || exactItems.length === 0) return yield* writeInSlices(value);
  const items = yield* mapInSteps<unknown, string>(value, writeExactItem);
  return yield* encodeInSlices(`[${items.join(',')}]`);
}
