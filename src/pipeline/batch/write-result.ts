import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { ContentBlock, OperationFailure, Reply, Warning } from '../../protocol/result.js';
import { mergeParams } from '../decode.js';
import { shiftBlocks } from './shift-blocks.js';
import { sliceMembers } from './slice-members.js';

/** One item's result on its way into the batch's answer. */
export interface WrittenResult {
  /** JSON text of an `OperationResult` of success and data, or of success and error: a batch's schema knows no more. */
  readonly text: string;
  readonly blocks: readonly ContentBlock[];
  /** What the result's own envelope told beside its data. */
  readonly warnings: readonly Warning[];
  /** Bytes of text and blocks. */
  readonly bytes: number;
}

/** @param blocksBefore how many native blocks stand before this item's in the answer */
export function writeResult(reply: Reply, blocksBefore: number): WrittenResult {
  const { blocks } = reply;
  if (reply.code !== 'OK') return measured(reply.text, blocks, []);
  const members = sliceMembers(reply.text);
  const data = shiftBlocks(members.get('data') ?? 'null', blocks, blocksBefore);
  const warnings = JSON.parse(members.get('warnings') ?? '[]') as readonly Warning[];
  return measured(`{"success":true,"data":${data}}`, blocks, warnings);
}

/**
 * A question, with the parameters it was asked about where the item was written with references: its token is good for those,
 * and in the batch that goes on the references would lead elsewhere.
 */
export function writeQuestion(reply: Reply, prepared: JsonObject | undefined): WrittenResult {
  if (prepared === undefined) return measured(reply.text, reply.blocks, []);
  const failure = JSON.parse(reply.text) as OperationFailure;
  const error = { ...failure.error, details: { ...failure.error.details, params: paramsOf(prepared) ?? {} } };
  return measured(JSON.stringify({ ...failure, error }), reply.blocks, []);
}

/** The parameters of an item, those that stand beside `params` included, by the rules of a single call. */
export function paramsOf(request: JsonObject): JsonObject | undefined {
  const params = isJsonObject(request['params']) ? request['params'] : undefined;
  const merged = mergeParams(request, params);
  return params !== undefined || Object.keys(merged).length > 0 ? merged : undefined;
}

function measured(text: string, blocks: Reply['blocks'], warnings: readonly Warning[]): WrittenResult {
  const nativeBytes = blocks.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(blocks));
  return { text, blocks, warnings, bytes: Buffer.byteLength(text) + nativeBytes };
}
