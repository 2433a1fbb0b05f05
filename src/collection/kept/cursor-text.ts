import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a cursor says: which snapshot, and which item of it. */
export interface CursorContent {
  /** `SNAPSHOT_ID_BYTES` bytes in base64url. */
  readonly snapshot: string;
  /** From 0, below 2 to the power of 32. */
  readonly index: number;
}

export const SNAPSHOT_ID_BYTES = 8;

/** Nobody can try keys offline without knowing one, and a guess is one call: 64 bits are enough, and every byte costs tokens. */
const SIGNATURE_BYTES = 8;
/** Of an index: seven bits to the byte. */
const MOST_INDEX_BYTES = 5;
const LARGEST_INDEX = 0xffff_ffff;

/**
 * Writes an opaque, URL-safe cursor of 23 to 28 characters.
 * @param key secret of this process; a cursor is worth nothing without its snapshot, which does not outlive the process
 */
export function writeCursor(key: Buffer, { snapshot, index }: CursorContent): string {
  const content = Buffer.concat([Buffer.from(snapshot, 'base64url'), writeVarint(index)]);
  return Buffer.concat([content, sign(key, content)]).toString('base64url');
}

/** What a cursor says; undefined for any text that was not written with this key. Never throws. */
export function readCursor(key: Buffer, cursor: string): CursorContent | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const indexBytes = bytes.length - SNAPSHOT_ID_BYTES - SIGNATURE_BYTES;
  if (indexBytes < 1 || indexBytes > MOST_INDEX_BYTES) return undefined;
  const snapshot = bytes.toString('base64url', 0, SNAPSHOT_ID_BYTES);
  const index = readVarint(bytes.subarray(SNAPSHOT_ID_BYTES, SNAPSHOT_ID_BYTES + indexBytes));
  if (index > LARGEST_INDEX) return undefined;
  // Written again rather than taken apart: base64 and varints have several spellings for one value, and only ours is good.
  const ours = Buffer.from(writeCursor(key, { snapshot, index }));
  const theirs = Buffer.from(cursor);
  return ours.length === theirs.length && timingSafeEqual(ours, theirs) ? { snapshot, index } : undefined;
}

function sign(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, SIGNATURE_BYTES);
}

/** Little end first, seven bits a byte; the eighth says that more follow. */
function writeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

function readVarint(bytes: Buffer): number {
  return bytes.reduceRight((value, byte) => value * 0x80 + (byte & 0x7f), 0);
}
