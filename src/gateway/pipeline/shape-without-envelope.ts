import { writeExactMembers } from '../../base/json/exact-result.js';
import type { JsonObject } from '../../base/json/json.js';
import { joinPieces, sizeOfMembers, textOfMembers, type WrittenMember } from '../../base/json/pieces.js';
import { takesLongToWrite, writeMembers } from '../../base/json/write-in-slices.js';
import type { ErrorCode } from '../../base/protocol/error-table.js';
import { type PayloadLimits, payloadTooLarge } from '../../base/protocol/limits.js';
import { mendBlocks } from '../../base/protocol/mend-result.js';
import { type Reply, type ToolCallResult, WARNINGS, type Warning } from '../../base/protocol/result.js';
import { decodeText, WireAnswer } from '../../base/protocol/wire-answer.js';
import { limited } from './shape.js';

/** What the gateway adds to a result that it passes on. */
interface PassthroughContext {
  /** What the result is to logs, records and budgets. */
  readonly code: ErrorCode | 'OK';
  readonly warnings: readonly Warning[];
  readonly limits: PayloadLimits;
}

/** Writes an upstream's result as it came. An answer that exceeds the limit is refused. */
export function shapePassthrough(
  result: ToolCallResult | WireAnswer,
  { code, warnings, limits }: PassthroughContext,
): Reply {
  const members = result instanceof WireAnswer ? writeAnswer(result) : [Buffer.from(writeResultMembers(result))];
  const bytes = members.reduce((sum, { length }) => sum + length, 0);
  if (bytes > limits.maxResponseSize) throw payloadTooLarge('response_size', bytes, limits);
  const said = result instanceof WireAnswer ? result.meta : result._meta;
  const meta = warnings.length === 0 ? said : { ...said, [WARNINGS]: warnings };
  return {
    get text() {
      return joinPieces(members).toString('utf8');
    },
    passthrough: members,
    blocks: [],
    isError: code !== 'OK',
    code,
    meta,
  };
}

const OPENING = Buffer.from('"content":[{"type":"text","text":"');
const CLOSING = Buffer.from('"}]');
const STRUCTURED = Buffer.from(',"structuredContent":');

function writeAnswer({ text, block, members }: WireAnswer): readonly Buffer[] {
  const rest = JSON.stringify(members).slice(1, -1);
  return [
    OPENING,
    ...(block ?? text),
    CLOSING,
    ...(block === undefined ? [] : [STRUCTURED, Buffer.from(decodeText(text))]),
    ...(rest === '' ? [] : [Buffer.from(`,${rest}`)]),
  ];
}

/**
 * What has content is a result of MCP, so content that a server left out is empty, and blocks that no client could read are mended: one of them
 * would cost the whole answer. Members that are null are absent.
 */
function writeResultMembers({ content = [], _meta: _said, resultType: _type, ...rest }: ToolCallResult): string {
  const mended = mendBlocks(content);
  const isRight = Array.isArray(content) && mended.every((block, at) => block === content[at]);
  const { structuredContent, isError, ...others } = rest;
  return writeExactMembers({
    content: isRight ? content : mended,
    ...others,
    ...((structuredContent ?? null) === null ? {} : { structuredContent }),
    ...((isError ?? null) === null ? {} : { isError }),
  });
}

/** Writes the result of a request of MCP itself, without an envelope; a large one in slices. An answer that exceeds the limit is refused. */
export function shapeNative(result: JsonObject, limits: PayloadLimits): Reply | Promise<Reply> {
  if (takesLongToWrite(result)) return writeMembers(result).then((members) => shapeMembers(members, limits));
  return limited({ text: `{${writeExactMembers(result)}}`, blocks: [], isError: false, code: 'OK' }, limits);
}

function shapeMembers(members: readonly WrittenMember[], limits: PayloadLimits): Reply {
  const bytes = sizeOfMembers(members);
  if (bytes > limits.maxResponseSize) throw payloadTooLarge('response_size', bytes, limits);
  return {
    get text() {
      return textOfMembers(members);
    },
    members,
    blocks: [],
    isError: false,
    code: 'OK',
  };
}
