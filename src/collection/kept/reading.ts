import type { JsonObject } from '../../protocol/json.js';
import type { Cut } from './fit-answer.js';
import { writeResultPath } from './result-path.js';

/** What was read of a kept result. */
export interface Reading {
  readonly content: JsonObject;
  /** What to change in the request for the rest; null where there is none. */
  readonly next: JsonObject | null;
  /** What was left out within the content, each with its path from the root of the result. */
  readonly cuts?: readonly Cut[];
}

/** What an answer takes beside content and cuts: its keys, totals and the way on. */
const FRAME_BYTES = 200;

/** Of the answer, for what is said of cuts. */
const CUTS_SHARE = 1 / 8;

/** Bytes for the content of an answer of at most `maxBytes`, which are at least 1,024. */
export function roomForContent(maxBytes: number): number {
  return maxBytes - roomForCuts(maxBytes) - FRAME_BYTES;
}

/** The answer: content, the way on, and as many cuts as may be told. */
export function writeReading({ content, next, cuts = [] }: Reading, maxBytes: number): JsonObject {
  if (cuts.length === 0) return { ...content, next };
  const told: JsonObject[] = [];
  let room = roomForCuts(maxBytes);
  for (const { path, kind, kept, total } of cuts) {
    const cut = { path: writeResultPath(path), kind, kept, total };
    const bytes = Buffer.byteLength(JSON.stringify(cut)) + 1;
    if (bytes > room) break;
    room -= bytes;
    told.push(cut);
  }
  const untold = cuts.length - told.length;
  return { ...content, next, cuts: told, ...(untold > 0 ? { more_cuts: untold } : {}) };
}

function roomForCuts(maxBytes: number): number {
  return Math.floor(maxBytes * CUTS_SHARE);
}
