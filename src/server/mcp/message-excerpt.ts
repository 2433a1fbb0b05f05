import { parseJson } from '../../base/json/json.js';
import { isRequestId, type RequestId } from './calls-in-flight.js';

/** Enough for the members that come before and after a JSON-RPC message's params. */
const HEAD_BYTES = 4096;
const TAIL_BYTES = 1024;

/** The beginning, the end and the size of a message that is too large to keep. */
export class MessageExcerpt {
  #head: Buffer = Buffer.alloc(0);
  // Twice its size, so that many small pieces are moved only when it is full.
  readonly #tail = Buffer.alloc(2 * TAIL_BYTES);
  #tailSize = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds the next bytes; at most 5 kB of the message are kept. */
  add(chunk: Buffer): void {
    this.#size += chunk.length;
    const missing = HEAD_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    const last = chunk.subarray(-TAIL_BYTES);
    if (this.#tailSize + last.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailSize - TAIL_BYTES, this.#tailSize);
      this.#tailSize = TAIL_BYTES;
    }
    last.copy(this.#tail, this.#tailSize);
    this.#tailSize += last.length;
  }

  /** The members by which the message can be answered. */
  sketch(): MessageSketch {
    const tail = this.#tail.subarray(Math.max(0, this.#tailSize - TAIL_BYTES), this.#tailSize);
    return sketchMessage(this.#head.toString('utf8'), tail.toString('utf8'));
  }
}

/** The two members by which a request that was not parsed can be answered. */
export interface MessageSketch {
  readonly method: string | undefined;
  readonly id: RequestId | undefined;
}

/** One JSON token with the white space before it. An incomplete string matches nothing and ends the reading. */
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+)/gy;

/** An id that is a message's last member, or the last before the version: some clients write it there. */
const LAST_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Reads method and id from the beginning and the end of a JSON-RPC message, as far as they are there. */
export function sketchMessage(head: string, tail: string): MessageSketch {
  const members = readTopLevelScalars(head);
  const { method, id = parseScalar(LAST_ID.exec(tail)?.[1]) } = members;
  return { method: typeof method === 'string' ? method : undefined, id: isRequestId(id) ? id : undefined };
}

/** The strings and numbers directly under the outermost object, up to where the text ends or stops being JSON. */
function readTopLevelScalars(text: string): Readonly<Record<string, unknown>> {
  const members = Object.create(null) as Record<string, unknown>;
  let depth = 0;
  let pending: string[] = [];
  for (const [, token = ''] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    // A value counts once its end is seen: the text may have been cut in the middle of a number.
    if (depth === 1 && (token === ',' || closes)) {
      const [key, colon, value] = pending;
      const name = parseScalar(key);
      if (typeof name === 'string' && colon === ':' && value !== undefined) members[name] = parseScalar(value);
      pending = [];
    } else if (depth === 1) pending.push(token);
    if (token === '{' || token === '[') depth += 1;
    if (closes) depth -= 1;
  }
  return members;
}

function parseScalar(token: string | undefined): unknown {
  return token === undefined ? undefined : parseJson(token);
}
