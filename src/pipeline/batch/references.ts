import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { PayloadLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import { limitPayload } from '../limit.js';
import { type BatchItem, mapTexts } from './items.js';
import { escapeText, parseText, type Reference } from './reference-syntax.js';

/** Looks up what a reference in an item stands for. */
export type ResultReader = (reference: Reference, from: number) => Found;

interface ReferenceFault {
  readonly param_name: string;
  readonly reference: string;
  /** The item that is referred to; absent where the reference cannot be read. */
  readonly referred_index?: number;
  readonly why: string;
  /** The keys that are there, where one was missed. */
  readonly available?: readonly string[];
}

/** So many faults of one item are told; nobody corrects more of them at a time. */
const MOST_FAULTS = 10;

/** So much of a text that is no reference is told. */
const MAX_EXCERPT = 100;

/**
 * The item with every reference exchanged for what it stands for. Values of results are put in as they are and never read
 * for references themselves: an upstream's words must not reach into other results.
 *
 * @throws OperationError that names the references of the item that lead nowhere
 */
export function resolveItem(item: BatchItem, read: ResultReader): JsonObject {
  if (!item.isSpecial) return item.request;
  const faults: ReferenceFault[] = [];
  const resolved = exchangeParameters(item.request, (text, at) => {
    const parsed = parseText(text);
    if (parsed.kind === 'text') return parsed.value;
    const found = parsed.kind === 'reference' ? read(parsed.reference, item.index) : NOT_WRITTEN_AS_ONE;
    if (found.found) return found.value;
    const index = parsed.kind === 'reference' ? parsed.reference.index : undefined;
    faults.push(toFault(at, text, index, found));
    return text;
  });
  const [first] = faults;
  if (first !== undefined) throw describeFaults(item, first, faults);
  return resolved;
}

/**
 * The item as it can be sent again in another batch: references exchanged where that is possible by now and left as they were
 * written elsewhere, and values that only look like references escaped.
 */
export function prepareItem(item: BatchItem, read: ResultReader): JsonObject {
  if (!item.isSpecial) return item.request;
  return exchangeParameters(item.request, (text) => {
    const parsed = parseText(text);
    const found = parsed.kind === 'reference' ? read(parsed.reference, item.index) : undefined;
    return found?.found === true ? mapTexts(found.value, escapeText) : text;
  });
}

function exchangeParameters(request: JsonObject, exchange: (text: string, at: string) => unknown): JsonObject {
  const { operation, ...parameters } = request;
  return { operation, ...(mapTexts(parameters, exchange) as JsonObject) };
}

const NOT_WRITTEN_AS_ONE: Found = {
  found: false,
  why: "it is not written as one: expected '$results[N].data' with a path such as '.items[0].id'. Text only looking like a reference begins with '$$results['",
};

function toFault(
  at: string,
  text: string,
  index: number | undefined,
  { why, available }: Found & { found: false },
): ReferenceFault {
  return {
    param_name: at,
    reference: text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text,
    ...(index === undefined ? {} : { referred_index: index }),
    why,
    ...(available === undefined ? {} : { available }),
  };
}

function describeFaults(
  { index, operation }: BatchItem,
  first: ReferenceFault,
  faults: readonly ReferenceFault[],
): OperationError {
  const told = faults.slice(0, MOST_FAULTS);
  const sentences = told.map(
    ({ reference, param_name, why }) => `Reference '${reference}' in '${param_name}' cannot be followed: ${why}`,
  );
  if (faults.length > told.length) sentences.push(`${faults.length - told.length} more cannot be followed either`);
  const { why: _why, ...main } = first;
  return new OperationError('VALIDATION_INVALID_VALUE', sentences.join('. '), {
    operation,
    index,
    ...main,
    ...(faults.length > 1 ? { faults: told } : {}),
  });
}

/** Reads the results of a batch while it runs; each answer is parsed at most once, and only where somebody refers to it. */
export function createResultReader(replies: readonly (Reply | undefined)[]): ResultReader {
  const parsed = new Map<number, unknown>();
  const dataOf = (index: number, { text }: Reply): unknown => {
    if (!parsed.has(index)) parsed.set(index, JSON.parse(sliceMembers(text).get('data') ?? 'null'));
    return parsed.get(index);
  };
  return ({ index, path }, from) => {
    const reply = replies[index];
    const why = explainAbsence(index, from, replies.length, reply);
    if (why !== undefined) return { found: false, why };
    // Only a halt leaves an earlier item without an answer.
    if (reply === undefined) return { found: false, why: `'operations[${index}]' has not run` };
    return followPath(dataOf(index, reply), path, `$results[${index}].data`);
  };
}

/**
 * Reads what a request may hold, and no more than so many bytes of JSON in all: a short reference can stand for a long value,
 * and many of them for more than a request or an answer has room for.
 */
export function limitReads(read: ResultReader, limits: PayloadLimits, maxBytes: number): ResultReader {
  let left = maxBytes;
  return (reference, from) => {
    const found = read(reference, from);
    if (!found.found) return found;
    const why = explainExcess(found.value, limits);
    if (why !== undefined) return { found: false, why };
    if (left >= 0) left -= Buffer.byteLength(JSON.stringify(found.value));
    return left >= 0 ? found : { found: false, why: `the value referred to makes it longer than ${maxBytes} bytes` };
  };
}

function explainExcess(value: unknown, limits: PayloadLimits): string | undefined {
  try {
    limitPayload(value, limits);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof OperationError) return thrown.message;
    throw thrown;
  }
}

function explainAbsence(index: number, from: number, total: number, reply: Reply | undefined): string | undefined {
  const name = `'operations[${index}]'`;
  if (index >= total) return `there is no ${name}, the batch holds ${total}`;
  if (index === from) return `${name} is this operation itself; only results of earlier ones can be used`;
  if (index > from) return `${name} comes later; only results of earlier ones can be used`;
  if (reply === undefined || reply.code === 'OK') return undefined;
  return isQuestion(reply) ? `${name} waits for agreement and has not run` : `${name} failed with '${reply.code}'`;
}

/** What a JSON value is bounded by. */
const STRUCTURAL_MARK = /["{}[\],]/g;

/**
 * The members of an envelope by name, each as its own piece of the text: what is passed on is neither parsed nor written
 * again, so that no number changes on the way.
 *
 * @param envelope the JSON text of an object as `JSON.stringify` writes it; its members' values may be laid out as they like
 */
export function sliceMembers(envelope: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (envelope[at] === '"') {
    const colon = endOfString(envelope, at);
    const end = endOfValue(envelope, colon + 1);
    members.set(JSON.parse(envelope.slice(at, colon)) as string, envelope.slice(colon + 1, end));
    at = end + 1;
  }
  return members;
}

/** The position of the comma or bracket that follows the value. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  STRUCTURAL_MARK.lastIndex = start;
  for (let match = STRUCTURAL_MARK.exec(json); match !== null; match = STRUCTURAL_MARK.exec(json)) {
    const [sign] = match;
    if (sign === '"') STRUCTURAL_MARK.lastIndex = endOfString(json, match.index);
    else if (sign === '{' || sign === '[') depth += 1;
    else if (depth === 0) return match.index;
    else if (sign !== ',') depth -= 1;
  }
  return json.length;
}

/** The position after the closing quote. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Refusals that ask for agreement: the operation did not run, and is to be sent again with a token. */
const QUESTIONS: ReadonlySet<string> = new Set(['CONFIRMATION_REQUIRED', 'RATE_LIMIT_QUOTA_PAUSE']);

/** Whether an operation waits for agreement (specification, operations document, section 7.5). */
export function isQuestion({ code }: Reply): boolean {
  return QUESTIONS.has(code);
}

/** What a path leads to, or why it leads nowhere. */
type Found =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly why: string; readonly available?: readonly string[] };

/** How many keys are told of an object that lacks the one that was asked for. */
const MOST_NAMED_KEYS = 20;

/** Longer keys are cut. */
const MOST_CHARACTERS = 100;

/** Follows own members and list positions. `root` names the value in the explanation. */
function followPath(data: unknown, path: readonly string[], root: string): Found {
  let value = data;
  let where = root;
  for (const step of path) {
    if (!hasStep(value, step)) return nothingThere(value, step, where);
    where += Array.isArray(value) ? `[${step}]` : `.${step}`;
    value = (value as Record<string, unknown>)[step];
  }
  if (isInexact(value)) {
    return {
      found: false,
      why: `'${where}' is a number of more digits than can be carried over exactly; send it as it stands`,
    };
  }
  return { found: true, value };
}

/** A list has positions and nothing else: its `length` is no data. */
function hasStep(value: unknown, step: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(step) && Object.hasOwn(value, step);
  return isJsonObject(value) && Object.hasOwn(value, step);
}

/** A long id that was a number in JSON is another number after reading: never act on the wrong thing. */
function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function nothingThere(value: unknown, step: string, where: string): Found {
  const missing = `there is no '${step}' in '${where}'`;
  if (Array.isArray(value)) return { found: false, why: `${missing}, which is a list of ${value.length}` };
  if (!isJsonObject(value)) {
    return { found: false, why: `${missing}, which is ${value === null ? 'null' : `a ${typeof value}`}` };
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return { found: false, why: `${missing}, which is empty`, available: [] };
  const available = keys.slice(0, MOST_NAMED_KEYS).map((key) => key.slice(0, MOST_CHARACTERS));
  const more = keys.length > MOST_NAMED_KEYS ? ` and ${keys.length - MOST_NAMED_KEYS} more` : '';
  return {
    found: false,
    why: `${missing}, which holds ${available.map((key) => `'${key}'`).join(', ')}${more}`,
    available,
  };
}
