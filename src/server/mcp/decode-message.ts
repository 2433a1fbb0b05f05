import { isUtf8 } from 'node:buffer';
import { OperationError } from '../../protocol/operation-error.js';
import type { Era } from './fast-request.js';
import { MessageExcerpt, type MessageSketch } from './message-excerpt.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import type { ResultWriter } from './write-result.js';

/** The answer to a message that was not parsed, and its status where the transport is HTTP. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** The specification's error (4.7.5) for a message that exceeds the limit. Sizes in bytes. */
export function payloadTooLarge(limit: number, actual: number): OperationError {
  return new OperationError('VALIDATION_PAYLOAD_TOO_LARGE', `Payload exceeds request_size limit of ${limit}`, {
    limit_type: 'request_size',
    limit_value: limit,
    actual_value: actual,
    unit: 'bytes',
  });
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

type DecodedMessage =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Parses a message's bytes as JSON. Refuses bytes that are not UTF-8 or not JSON. */
export function decodeMessage(bytes: Buffer, era: Era, writer: ResultWriter): DecodedMessage {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) {
    const error = new OperationError('VALIDATION_INVALID_ENCODING', 'Invalid character encoding in request', {
      byte_offset: findInvalidByte(bytes, text),
    });
    const excerpt = new MessageExcerpt();
    excerpt.add(bytes);
    return { kind: 'refused', refusal: refuseMessage(excerpt.sketch(), error, era, writer) };
  }
  try {
    return { kind: 'message', message: JSON.parse(text) };
  } catch {
    const problem = 'Parse error: the message is not valid JSON';
    return { kind: 'refused', refusal: { status: 400, text: writeRpcError(null, RPC_ERROR.parse, problem) } };
  }
}

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
