import { isLost } from '../../../base/json/changed-numbers.js';
import { findMarked, parseExact } from '../../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../../base/json/json.js';
import { readMember } from '../../../base/json/scan.js';
import { isQuestionCode } from '../../../base/protocol/error-table.js';
import { limitPayload } from '../../../base/protocol/limit-payload.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { Reply } from '../../../base/protocol/result.js';
import { type BatchItem, mapTexts } from './items.js';
import { escapeText, parseText, type Reference, renumber } from './reference-syntax.js';

/** Looks up the value of a reference in an item. */
export type ResultReader = (reference: Reference, from: number) => Found;

interface ReferenceFault {
  readonly param_name: string;
  readonly reference: string;
  /** The index of the item that is referred to; absent where the reference is malformed. */
  readonly referred_index?: number;
  readonly why: string;
  /** The keys that exist, where a key was not found. */
  readonly available?: readonly string[];
}

/** The most faults of one item that a message names; callers seldom correct more at a time. */
const MOST_FAULTS = 10;

/** The most characters of a malformed reference that a message quotes. */
const MAX_EXCERPT = 100;

/**
 * The item with every reference replaced by its value. Values are inserted unchanged and never searched for references
 * themselves: text of an upstream must not read other results.
 *
 * @throws OperationError that names the references of the item that cannot be resolved
 */
export function resolveItem(item: BatchItem, read: ResultReader): JsonObject {
  const { request, faults } = exchangeReferences(item, read, { text: (_written, meant) => meant, value: asItIs });
  throwFaults(item, faults);
  return request;
}

/**
 * The item in a form that can be sent again in another batch: references that can be resolved are replaced, the others stay
 * as written, and values that only look like references are escaped.
 */
export function prepareItem(item: BatchItem, read: ResultReader): JsonObject {
  return exchangeReferences(item, read, FOR_SENDING_AGAIN).request;
}

/**
 * The same for an item that continues a halted batch. References to what has not run yet get the new number of that item.
 *
 * @param positions the new number of each item that has not run, by its index
 * @throws OperationError for references that can never be resolved: in the next batch they would name other items
 */
export function continueItem(
  item: BatchItem,
  read: ResultReader,
  positions: ReadonlyMap<number, number>,
): { readonly request: JsonObject; readonly waits: boolean } {
  const { request, faults, waits } = exchangeReferences(item, read, {
    ...FOR_SENDING_AGAIN,
    waiting: (reference) => renumber(reference, positions),
  });
  throwFaults(item, faults);
  return { request, waits };
}

/** What stands for the special texts of an item. */
interface Exchange {
  /** @param meant the text without its escape */
  readonly text: (written: string, meant: string) => string;
  readonly value: (value: unknown) => unknown;
  /** For a reference to what has not run yet; absent where that is a fault. */
  readonly waiting?: (reference: Reference) => string;
}

const FOR_SENDING_AGAIN: Exchange = { text: asItIs, value: (value) => mapTexts(value, escapeText) };

function asItIs<T>(value: T): T {
  return value;
}

function exchangeReferences(
  item: BatchItem,
  read: ResultReader,
  exchange: Exchange,
): { readonly request: JsonObject; readonly faults: readonly ReferenceFault[]; readonly waits: boolean } {
  if (!item.isSpecial) return { request: item.request, faults: [], waits: false };
  const faults: ReferenceFault[] = [];
  let waits = false;
  const { operation, ...parameters } = item.request;
  const exchanged = mapTexts(parameters, (text, at) => {
    const parsed = parseText(text);
    if (parsed.kind === 'text') return exchange.text(text, parsed.value);
    const found = parsed.kind === 'reference' ? read(parsed.reference, item.index) : MALFORMED;
    if (found.found) return exchange.value(found.value);
    if (parsed.kind === 'reference' && found.waits === true && exchange.waiting !== undefined) {
      waits = true;
      return exchange.waiting(parsed.reference);
    }
    const index = parsed.kind === 'reference' ? parsed.reference.index : undefined;
    faults.push(toFault(at, text, index, found));
    return text;
  });
  return { request: { operation, ...(exchanged as JsonObject) }, faults, waits };
}

function throwFaults(item: BatchItem, faults: readonly ReferenceFault[]): void {
  const [first] = faults;
  if (first !== undefined) throw describeFaults(item, first, faults);
}

const MALFORMED: Found & { readonly found: false } = {
  found: false,
  why: "it does not have the form of a reference: expected '$results[N].data' with a path such as '.items[0].id'. Write '$$results[' for text in the form of a reference",
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
  const named = faults.slice(0, MOST_FAULTS);
  const sentences = named.map(
    ({ reference, param_name, why }) => `Reference '${reference}' in '${param_name}' cannot be resolved: ${why}`,
  );
  if (faults.length > named.length) {
    sentences.push(`${faults.length - named.length} more references cannot be resolved`);
  }
  const { why: _why, ...main } = first;
  return new OperationError('VALIDATION_INVALID_VALUE', sentences.join('. '), {
    operation,
    index,
    ...main,
    ...(faults.length > 1 ? { faults: named } : {}),
  });
}

/** Reads the results of a batch while it runs; each answer is parsed at most once, and only when a reference needs it. */
export function createResultReader(replies: readonly (Reply | undefined)[]): ResultReader {
  const parsed = new Map<number, unknown>();
  const dataOf = (index: number, { text }: Reply): unknown => {
    if (!parsed.has(index)) parsed.set(index, parseExact(sliceMembers(text).get('data') ?? 'null', isLost));
    return parsed.get(index);
  };
  return ({ index, path }, from) => {
    const reply = replies[index];
    const absent = explainAbsence(index, from, replies.length, reply);
    if (absent !== undefined) return absent;
    // An earlier item lacks an answer only after a halt.
    if (reply === undefined) return { found: false, why: `'operations[${index}]' has not run`, waits: true };
    if (reply.execution !== undefined && path[0] !== 'execution_id') return unknownResult(index, reply.execution);
    return followPath(dataOf(index, reply), path, `$results[${index}].data`);
  };
}

/** Of what goes on in the background a batch knows the id alone: for an operation that asks for its status. */
function unknownResult(index: number, execution: string): Found & { readonly found: false } {
  const why = `'operations[${index}]' goes on as execution '${execution}', so its result is not known yet; only '.execution_id' can be used`;
  return { found: false, why, available: ['execution_id'] };
}

/**
 * A reader that refuses values which a request may not contain, and more than `maxBytes` of JSON in all: a short reference
 * can name a long value, and many of them can exceed the size of a request or an answer.
 */
export function limitReads(read: ResultReader, limits: PayloadLimits, maxBytes: number): ResultReader {
  let left = maxBytes;
  return (reference, from) => {
    const found = read(reference, from);
    if (!found.found) return found;
    const why = explainExcess(found.value, limits);
    if (why !== undefined) return { found: false, why };
    if (left >= 0) left -= Buffer.byteLength(JSON.stringify(found.value));
    return left >= 0 ? found : { found: false, why: `the referenced values together exceed ${maxBytes} bytes` };
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

function explainAbsence(
  index: number,
  from: number,
  total: number,
  reply: Reply | undefined,
): (Found & { readonly found: false }) | undefined {
  const name = `'operations[${index}]'`;
  const absent = (why: string): Found & { readonly found: false } => ({ found: false, why });
  if (index >= total) return absent(`there is no ${name}; the batch has ${total} operations`);
  if (index === from) return absent(`${name} is this operation itself; only results of earlier operations can be used`);
  if (index > from) return absent(`${name} comes later; only results of earlier operations can be used`);
  if (reply === undefined || reply.code === 'OK') return undefined;
  if (isQuestion(reply)) return { ...absent(`${name} waits for confirmation and has not run`), waits: true };
  return absent(`${name} failed with '${reply.code}'`);
}

/** The members of an envelope by name, each as a slice of the text: neither parsed nor written again, so that no number changes. */
export function sliceMembers(envelope: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (let member = readMember(envelope, 0); member !== undefined; member = readMember(envelope, member.end))
    members.set(member.name, envelope.slice(member.start, member.end));
  return members;
}

/** Whether an operation waits for confirmation (specification, operations document, section 7.5). */
export function isQuestion({ code }: Reply): boolean {
  return isQuestionCode(code);
}

/** The value at a path, or why there is none. */
type Found =
  | { readonly found: true; readonly value: unknown }
  | {
      readonly found: false;
      readonly why: string;
      readonly available?: readonly string[];
      /** Set where the item that is referred to has not run yet. */
      readonly waits?: true;
    };

/** The most keys that a message lists for an object that lacks the requested key. */
const MOST_NAMED_KEYS = 20;

/** Longer keys are shortened. */
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
  const marked = findMarked(value, where);
  if (marked !== undefined) {
    return {
      found: false,
      why: `'${marked}' is a number with more digits than can be copied exactly; send the number itself instead of a reference`,
    };
  }
  return { found: true, value };
}

/** A list has positions only: its `length` is no data. */
function hasStep(value: unknown, step: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(step) && Object.hasOwn(value, step);
  return isJsonObject(value) && Object.hasOwn(value, step);
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
