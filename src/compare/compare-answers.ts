import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, parseJson, parseObject } from '../base/json/json.js';
import type { Found } from './compare-lists.js';
import type { Outcome } from './comparison.js';

/** A call that takes longer than a direct one by this factor and this time is slower. */
const SLOW = { factor: 3, ms: 250 };

/** Whether two outcomes of one call say the same. */
export function isSame(one: Outcome, other: Outcome): boolean {
  return one.error === other.error && isDeepStrictEqual(contentOf(one.result), contentOf(other.result));
}

function contentOf(result: JsonObject | undefined): unknown {
  if (result === undefined) return undefined;
  const { content, structuredContent, contents, isError = false } = result;
  return plain({ content, structuredContent, contents, isError });
}

const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** What a call that keeps the server's names brings otherwise. @param varies whether two direct calls differ */
export function compareKept(subject: string, direct: Outcome, through: Outcome, varies: boolean): readonly Found[] {
  const late = compareTimes(subject, direct, through);
  if (hasFailed(direct) && hasFailed(through)) return late;
  if (hasFailed(through)) return [{ kind: 'refused', subject, message: wordsOf(through) }, ...late];
  if (varies || isSame(direct, through)) return late;
  return [{ kind: 'changed', subject, message: describeChange(direct, through) }, ...late];
}

/** What the envelope of a family's tool holds otherwise than the server's answer. @param varies whether two direct calls differ */
export function compareEnvelope(subject: string, direct: Outcome, through: Outcome, varies: boolean): readonly Found[] {
  const late = compareTimes(subject, direct, through);
  const envelope = envelopeOf(through);
  const succeeded = envelope?.['success'] === true;
  if (hasFailed(direct) && !succeeded) return late;
  if (!succeeded) return [{ kind: 'refused', subject, message: wordsOf(through) }, ...late];
  if (varies) return late;
  const missing = hasFailed(direct) ? SUCCEEDS : findMissing(direct.result ?? {}, envelope, through.result ?? {});
  return missing === undefined ? late : [{ kind: 'changed', subject, message: missing }, ...late];
}

const SUCCEEDS = 'it fails directly, and succeeds through';

function compareTimes(subject: string, direct: Outcome, through: Outcome): readonly Found[] {
  const isSlow = through.tookMs > SLOW.factor * direct.tookMs && through.tookMs > direct.tookMs + SLOW.ms;
  const message = `${Math.round(through.tookMs)} ms in place of ${Math.round(direct.tookMs)} ms`;
  return isSlow ? [{ kind: 'slower', subject, message }] : [];
}

function hasFailed({ result, error }: Outcome): boolean {
  return error !== undefined || result?.['isError'] === true;
}

const MOST_WORDS = 300;

function wordsOf({ result, error }: Outcome): string {
  const text = error ?? textsOf(result).join(' ');
  return text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)} ...` : text;
}

function blocksOf(result: JsonObject | undefined): readonly JsonObject[] {
  const content = result?.['content'];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function textsOf(result: JsonObject | undefined): readonly string[] {
  return blocksOf(result).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

function envelopeOf({ result }: Outcome): JsonObject | undefined {
  const [text] = textsOf(result);
  return text === undefined ? undefined : parseObject(text);
}

/** What a text is as data: a list or an object, else the text itself, whose author may mean no number by "007". */
function dataOf(text: string): unknown {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : text;
}

/** What of an answer its envelope and the blocks beside that do not hold; undefined where it is all there. */
function findMissing(direct: JsonObject, envelope: JsonObject, through: JsonObject): string | undefined {
  const data = envelope['data'];
  const structured = direct['structuredContent'] ?? undefined;
  const texts = textsOf(direct);
  const blocks = blocksOf(direct);
  const [only] = blocks;
  // A text with annotations is told with them.
  const isOneText = blocks.length === 1 && texts.length === 1 && Object.keys(only ?? {}).length === 2;
  const expected = structured ?? (isOneText ? dataOf(texts[0] ?? '') : undefined);
  if (expected !== undefined) {
    if (isDeepStrictEqual(data, expected)) return undefined;
    // Blocks that structured content does not tell stand beside it.
    if (structured !== undefined && isJsonObject(data) && isDeepStrictEqual(data['structured_content'], structured))
      return undefined;
    return `its data differ: ${excerpt(expected)} directly, ${excerpt(data)} through`;
  }
  const written = JSON.stringify(data) ?? '';
  const lost = texts.find((text) => !written.includes(JSON.stringify(text).slice(1, -1)));
  if (lost !== undefined) return `its data lack the text ${excerpt(lost)}`;
  const native = blocksOf(through);
  const missing = blocks.find(
    ({ type, data: binary }) => type !== 'text' && !native.some((block) => block['data'] === binary),
  );
  return missing === undefined ? undefined : `it lacks a block of type '${String(missing['type'])}'`;
}

function describeChange(direct: Outcome, through: Outcome): string {
  return `its answer differs: ${excerpt(contentOf(direct.result))} directly, ${excerpt(contentOf(through.result))} through`;
}

const EXCERPT = 160;

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}...` : text;
}
