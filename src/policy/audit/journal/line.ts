import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { isJsonObject, type JsonObject, parseObject } from '../../../base/json/json.js';

/** Identifies a record, and shows whether it is still there and unaltered. */
export interface JournalMark {
  /** The journal's file name. */
  readonly file: string;
  readonly seq: number;
  readonly hash: string;
}

/** One line of a journal. */
export interface JournalRecord {
  /** Counts from 1 in each journal. */
  readonly seq: number;
  /** When it happened, ISO 8601 in UTC. */
  readonly time: string;
  readonly type: string;
  /** The hash of the line before it; empty in the first. */
  readonly prev: string;
  readonly hash: string;
  readonly [field: string]: unknown;
}

/** The version of the line format; the first record of every journal names it. */
export const JOURNAL_FORMAT = 1;

/** In bytes. No writer makes longer lines; a reader cuts longer ones here, so that their hash does not match. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line as it was read. */
interface ReadLine {
  /** Absent where the line holds no record. */
  readonly record: JournalRecord | undefined;
  /** Whether its bytes match its hash. */
  readonly sound: boolean;
}

const SEAL = ',"hash":"';
const HASH_LENGTH = 43;
const CLOSING = '"}';
const SEAL_LENGTH = SEAL.length + HASH_LENGTH + CLOSING.length;

/**
 * The line of a record, with line break. The hash covers the text before it, so that it can be checked on the bytes
 * of the file without knowing how the JSON was written.
 * @param members of the JSON object, without braces
 */
export function sealLine(members: string, seq: number, prev: string): { readonly text: string; readonly hash: string } {
  const body = `{"seq":${seq},${members},"prev":"${prev}"`;
  const hash = hashOf(body);
  return { text: `${body}${SEAL}${hash}${CLOSING}\n`, hash };
}

/** @param bytes of one line, without line break */
export function readLine(bytes: Buffer): ReadLine {
  const end = bytes.length - SEAL_LENGTH;
  const sound = end > 0 && bytes.toString('latin1', end) === `${SEAL}${hashOf(bytes.subarray(0, end))}${CLOSING}`;
  return { record: parseRecord(bytes), sound };
}

function parseRecord(bytes: Buffer): JournalRecord | undefined {
  const value = parseObject(bytes.toString('utf8'));
  return value !== undefined && isRecord(value) ? value : undefined;
}

function isRecord(value: JsonObject): value is JournalRecord & JsonObject {
  const texts = [value['time'], value['type'], value['prev'], value['hash']];
  return Number.isSafeInteger(value['seq']) && texts.every((text) => typeof text === 'string');
}

/** The marks that a record's member lists; what is not a mark is skipped. */
export function readMarks(value: unknown): readonly JournalMark[] {
  return Array.isArray(value) ? value.filter(isMark) : [];
}

function isMark(value: unknown): value is JournalMark {
  if (!isJsonObject(value)) return false;
  const { file, seq, hash } = value;
  return typeof file === 'string' && Number.isSafeInteger(seq) && typeof hash === 'string';
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

const JOURNAL_NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-\d+-[0-9a-f]{8}\.jsonl$/;

/**
 * A unique name that sorts by age: `2026-11-22T01-24-53.123Z-4711-0b5e8a92.jsonl`. It has no colons, because some file
 * systems do not allow them.
 * @param time ISO 8601
 */
export function nameJournal(time: string): string {
  return `${time.replaceAll(':', '-')}-${process.pid}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** When a journal was begun, ISO 8601; no record in it is older. */
export function startOf(name: string): string {
  return name.replace(JOURNAL_NAME, '$1$2:$3:$4');
}

/**
 * The names of a directory's journals, the oldest first.
 * @throws the system's error when the directory cannot be read
 */
export function listJournals(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && JOURNAL_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}
