import { isAscii, isUtf8 } from 'node:buffer';
import { type ChangedNumber, findChangedNumbers, isLost } from '../../base/json/changed-numbers.js';
import { isJsonObject } from '../../base/json/json.js';
import { formatPath, type JsonPath } from '../../base/json/json-path.js';
import { cutText } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { weighText } from '../../base/protocol/weigh-text.js';
import { MessageExcerpt, type MessageSketch } from './message-excerpt.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import type { Era, ResultWriter } from './write-result.js';

/** The answer to a message that was not parsed, and its status where the transport is HTTP. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/**
 * Refuses a message before it is parsed. A tool call gets a tool result, which the model reads and can act on, while a
 * JSON-RPC error may end at the client; anything else gets the same failure as the `data` of a JSON-RPC error.
 */
export function refuseMessage(sketch: MessageSketch, error: OperationError, era: Era, writer: ResultWriter): Refusal {
  const failure = error.toFailure();
  const { httpStatus } = error.traits;
  const { id, method } = sketch;
  if (method === 'tools/call' && id !== undefined) {
    const reply = { text: JSON.stringify(failure), blocks: [], isError: true, code: error.code };
    return { status: 200, text: writer.callResult(id, reply, era) };
  }
  const data = { ...failure };
  return { status: httpStatus, text: writeRpcError(id ?? null, RPC_ERROR.invalidRequest, error.message, data) };
}

export type DecodedMessage =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** `jsonrpc` messages hold `params`, which hold `arguments`; a list of messages is one level more. */
const ENVELOPE_LEVELS = 3;

/** How messages are read. */
interface DecodeOptions {
  readonly era: Era;
  readonly writer: ResultWriter;
  /** Levels of nesting that a call's arguments may have. */
  readonly maxNestingDepth: number;
  /** Members that one object may have. Short messages are not held against it here: what is done with a call does so. */
  readonly maxMembers: number;
  /** Values that the message may have, as its signs tell them: one before each comma, and two for each list and object. */
  readonly maxValues: number;
}

/**
 * Turns a message's bytes into a JSON value. Refused here: what is not UTF-8, what is nested so deeply that parsing it alone
 * would take long, what is not JSON, and a call, or an answer to a server's question, with numbers that parsing changes.
 */
export function decodeMessage(bytes: Buffer, options: DecodeOptions): DecodedMessage {
  const { era, writer, maxNestingDepth, maxMembers, maxValues } = options;
  const isPlain = isAscii(bytes);
  const refuse = (error: OperationError): DecodedMessage => {
    const excerpt = new MessageExcerpt();
    excerpt.add(bytes);
    return { kind: 'refused', refusal: refuseMessage(excerpt.sketch(), error, era, writer) };
  };
  if (!isPlain && !isUtf8(bytes)) return refuse(notUtf8(findInvalidByte(bytes, bytes.toString('utf8'))));
  // Each byte as a character, which is some fifty times as quick as decoding UTF-8: signs are bytes, whatever stands in texts.
  const signs = bytes.toString('latin1');
  const limits = { maxNestingDepth, maxArrayElements: maxMembers, maxValues };
  const { tooLarge, hasFragileNumber } = weighText(signs, limits, ENVELOPE_LEVELS);
  if (tooLarge !== undefined) return refuse(tooLarge);
  const text = isPlain ? signs : bytes.toString('utf8');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // As JSON-RPC demands.
    const problem = 'Parse error: the message is not valid JSON';
    return { kind: 'refused', refusal: { status: 400, text: writeRpcError(null, RPC_ERROR.parse, problem) } };
  }
  if (!hasFragileNumber) return { kind: 'message', message };
  const changed = findChangedNumbers(text, { isChanged: isLost, isWanted: isCarried }).map(nameNumber);
  if (changed.length === 0) return { kind: 'message', message };
  const failure = notExact(changed);
  return failedAnswer(message, failure) ?? refuse(failure);
}

function notUtf8(offset: number): OperationError {
  return new OperationError('VALIDATION_INVALID_ENCODING', 'Invalid character encoding in request', {
    byte_offset: offset,
    location: `byte ${offset} of the message`,
  });
}

/** A number of a call's arguments, by the path that its caller knows: without the envelope. */
interface ChangedArgument {
  readonly param: string;
  readonly literal: string;
}

/** Whether a number goes on to a server: in a call's arguments, or in what a client answers to a server's question. */
function isCarried({ path, literal }: ChangedNumber): boolean {
  const [holder, member] = withinMessage(path);
  // An infinite argument is refused where the call is validated, and of a batch alone.
  if (holder === 'params' && member === 'arguments') return Number.isFinite(Number(literal));
  return holder === 'result' || (holder === 'params' && member === 'inputResponses');
}

/** By the path that the client knows: without the envelope. */
function nameNumber({ path, literal }: ChangedNumber): ChangedArgument {
  const [, member, ...place] = withinMessage(path);
  if (member !== 'arguments') return { param: formatPath(withinMessage(path).slice(1)), literal };
  const [first, ...rest] = place;
  return { param: formatPath(first === 'params' && rest.length > 0 ? rest : place), literal };
}

/** Older clients may send several messages as one list. */
function withinMessage(path: JsonPath): JsonPath {
  return typeof path[0] === 'number' ? path.slice(1) : path;
}

/**
 * A client's answer to a server's question, as a failed one: nothing is answered to an answer, and the server waits for it. Undefined for
 * what is no answer.
 */
function failedAnswer(message: unknown, { message: why }: OperationError): DecodedMessage | undefined {
  if (!isJsonObject(message) || message['method'] !== undefined) return undefined;
  const error = { code: RPC_ERROR.invalidParams, message: why };
  return { kind: 'message', message: { jsonrpc: '2.0', id: message['id'], error } };
}

/** Before anything is judged by it: the number that would be judged and sent is not the one that was written. */
function notExact(changed: readonly ChangedArgument[]): OperationError {
  const [first = { param: '', literal: '' }] = changed;
  const constraint = 'a number that a double holds exactly (integers up to 9007199254740991)';
  const faults = changed.map(({ param, literal }) => {
    const shown = cutText(literal, LONGEST_SHOWN);
    return `Parameter '${cutText(param, LONGEST_SHOWN)}' is ${shown}, which cannot be carried exactly: send it as text ("${shown}") if the operation takes text`;
  });
  return new OperationError('VALIDATION_OUT_OF_RANGE', faults.join('. '), {
    param_name: cutText(first.param, LONGEST_SHOWN),
    constraint,
    value: cutText(first.literal, LONGEST_SHOWN),
    ...(changed.length > 1 && { params: changed.map(({ param }) => cutText(param, LONGEST_SHOWN)) }),
  });
}

const LONGEST_SHOWN = 100;
const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * The offset of the first byte that is not UTF-8. The leniently decoded text equals the bytes up to its first replacement
 * character that is not in the bytes themselves.
 */
function findInvalidByte(bytes: Buffer, lenient: string): number {
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = lenient.indexOf(REPLACEMENT, from);
    if (at < 0) return offset;
    offset += Buffer.byteLength(lenient.slice(from, at));
    if (!bytes.subarray(offset, offset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) return offset;
    offset += REPLACEMENT_BYTES.length;
    from = at + REPLACEMENT.length;
  }
}

/**
 * The bytes of one message that arrives in pieces. Pieces are copied into one buffer that doubles, so a message costs about
 * its bytes however small its pieces are: a piece that is kept by itself costs an object and keeps its network buffer alive.
 */
export class GrowingBuffer {
  /** The first piece is not copied, because most messages are one piece. */
  #first: Buffer | undefined;
  #joined: Buffer | undefined;
  #size = 0;
  readonly #expected: number;

  /** @param expected how many bytes will come, where that is known: no more is allocated while it is not exceeded. */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    const size = this.#size + piece.length;
    if (this.#first === undefined && this.#joined === undefined) this.#first = piece;
    else piece.copy(this.#makeSpace(size), this.#size);
    this.#size = size;
  }

  /** The bytes so far. What is added later does not change them. */
  bytes(): Buffer {
    return this.#first ?? this.#joined?.subarray(0, this.#size) ?? Buffer.alloc(0);
  }

  clear(): void {
    this.#first = undefined;
    this.#joined = undefined;
    this.#size = 0;
  }

  /** A buffer of at least this size that begins with the bytes so far. */
  #makeSpace(size: number): Buffer {
    const old = this.#joined;
    if (old !== undefined && old.length >= size) return old;
    const doubled = 2 ** Math.ceil(Math.log2(size));
    const joined = Buffer.allocUnsafeSlow(size <= this.#expected ? Math.min(doubled, this.#expected) : doubled);
    this.bytes().copy(joined);
    this.#first = undefined;
    this.#joined = joined;
    return joined;
  }
}
