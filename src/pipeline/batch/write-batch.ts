import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { PayloadLimits } from '../../protocol/payload-limits.js';
import type { ContentBlock, Reply } from '../../protocol/result.js';
import { payloadTooLarge } from '../limit.js';
import { shapeFailure } from '../shape.js';
import { createWarnings, type Warnings } from '../warnings/create-warnings.js';
import type { BatchItem } from './batch-item.js';
import { isQuestion } from './is-question.js';
import { createResultReader, limitReads, type ResultReader } from './read-results.js';
import { prepareItem } from './resolve-item.js';
import type { BatchRun } from './run-items.js';
import { paramsOf, type WrittenResult, writeQuestion, writeResult } from './write-result.js';

type Ending = 'succeeded' | 'failed' | 'asked';

interface Entry {
  readonly item: BatchItem;
  readonly ending: Ending;
  /** JSON text of the item's `OperationResult`. */
  readonly text: string;
}

/**
 * Writes the batch's answer as the published schema has it (`batch-operation.schema.json`). Native blocks follow in the order
 * of the items; warnings, for which that schema has no place, as a text block after all of them.
 */
export function writeBatch(items: readonly BatchItem[], run: BatchRun, limits: PayloadLimits): Reply {
  const { replies, haltedAt } = run;
  const read = limitReads(createResultReader(replies), limits, limits.maxResponseSize);
  const blocks: ContentBlock[] = [];
  const warnings = createWarnings();
  const entries = writeEntries(items, replies, read, limits, { blocks, warnings });
  const results = entries.filter(({ item }) => item.index !== haltedAt).map((entry) => writeEntry(entry, true));
  const halted = entries.find(({ item }) => item.index === haltedAt);
  const pending = items.filter(({ index }) => replies[index] === undefined);
  const members = [
    '"success":true,"data":null',
    `"results":[${results.join(',')}]`,
    ...(halted === undefined ? [] : [`"halted_at":${writeEntry(halted, false)}`]),
    ...(halted === undefined
      ? []
      : [`"pending_operations":${JSON.stringify(pending.map((item) => toPending(item, read)))}`]),
    `"summary":${JSON.stringify(summarize(items.length, entries, halted === undefined ? undefined : pending.length))}`,
  ];
  const told = warnings.render();
  const closing = told.length === 0 ? [] : [{ type: 'text', text: JSON.stringify({ warnings: told }) }];
  return {
    text: `{${members.join(',')}}`,
    blocks: [...blocks, ...closing],
    isError: false,
    code: 'OK',
    ...metaOf(replies),
  };
}

/** What belongs to the answer and not to one result; filled in the order of the items. */
interface Beside {
  readonly blocks: ContentBlock[];
  readonly warnings: Warnings;
}

function writeEntries(
  items: readonly BatchItem[],
  replies: BatchRun['replies'],
  read: ResultReader,
  limits: PayloadLimits,
  { blocks, warnings }: Beside,
): readonly Entry[] {
  let bytesLeft = limits.maxResponseSize;
  return items.flatMap((item): Entry[] => {
    const reply = replies[item.index];
    if (reply === undefined) return [];
    const asked = isQuestion(reply);
    const whole = asked
      ? writeQuestion(reply, item.isSpecial ? prepareItem(item, read) : undefined)
      : writeResult(reply, blocks.length);
    const fits = asked || whole.bytes <= bytesLeft;
    const result = fits ? whole : tooLarge(item, whole, limits);
    bytesLeft -= result.bytes;
    blocks.push(...result.blocks);
    for (const warning of result.warnings) {
      warnings.add({ ...warning, details: { ...warning.details, index: item.index } });
    }
    const ending = asked ? 'asked' : fits && reply.code === 'OK' ? 'succeeded' : 'failed';
    return [{ item, ending, text: result.text }];
  });
}

/** The operations before it have run, so the batch is answered all the same, without what has no room. */
function tooLarge({ index, operation }: BatchItem, { bytes }: WrittenResult, limits: PayloadLimits): WrittenResult {
  const { code, message, details } = payloadTooLarge('response_size', bytes, limits);
  const error = new OperationError(
    code,
    `${message}: '${operation}' ran, but its answer has no room beside the others. Ask for less of each, or read it in a batch of its own; do not repeat what changes something`,
    { ...details, operation, index },
  );
  return writeResult(shapeFailure(error, undefined), 0);
}

function writeEntry({ item, ending, text }: Entry, withStatus: boolean): string {
  const status = withStatus && ending === 'asked' ? ',"status":"pending_confirmation"' : '';
  return `{"index":${item.index},"operation":${JSON.stringify(item.operation)},"result":${text}${status}}`;
}

function toPending(item: BatchItem, read: ResultReader): JsonObject {
  const { index, operation } = item;
  const params = paramsOf(prepareItem(item, read));
  return params === undefined ? { index, operation } : { index, operation, params };
}

/** @param pending how many did not run; undefined where the batch was not halted */
function summarize(total: number, entries: readonly Entry[], pending: number | undefined): JsonObject {
  const count = (ending: Ending): number => entries.filter((entry) => entry.ending === ending).length;
  const asked = count('asked');
  return {
    total,
    succeeded: count('succeeded'),
    failed: count('failed'),
    ...(pending === undefined ? {} : { halted: asked, pending }),
    ...(pending === undefined && asked > 0 ? { pending_confirmation: asked } : {}),
  };
}

/** Each item's `_meta` under its index. */
function metaOf(replies: BatchRun['replies']): Pick<Reply, 'meta'> {
  const metas = replies.flatMap((reply, index) => (reply?.meta === undefined ? [] : [{ index, _meta: reply.meta }]));
  return metas.length === 0 ? {} : { meta: { results: metas } };
}
