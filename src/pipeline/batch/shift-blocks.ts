import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { ContentBlock } from '../../protocol/result.js';

/**
 * An item's data with the numbers of its native blocks raised by as many blocks as stand before them in the batch's answer.
 * Data that refers to no block is given back as it is.
 *
 * @param dataText JSON text
 * @param blocks the item's own native blocks; the first of them is number 1 to the item, as the envelope is number 0
 */
export function shiftBlocks(dataText: string, blocks: readonly ContentBlock[], by: number): string {
  if (by === 0 || blocks.length === 0) return dataText;
  const data: unknown = JSON.parse(dataText);
  const content = isJsonObject(data) ? data['content'] : undefined;
  if (!isJsonObject(data) || !Array.isArray(content)) return dataText;
  if (!content.some((entry) => refersToBlock(entry, blocks))) return dataText;
  const shifted = content.map((entry: unknown) =>
    refersToBlock(entry, blocks) ? { ...entry, block: entry.block + by } : entry,
  );
  return JSON.stringify({ ...data, content: shifted });
}

/** An entry that stands for a block has the type of the block that it numbers; whatever else looks so is data. */
function refersToBlock(entry: unknown, blocks: readonly ContentBlock[]): entry is JsonObject & { block: number } {
  if (!isJsonObject(entry) || !Number.isInteger(entry['block'])) return false;
  return blocks[Number(entry['block']) - 1]?.type === entry['type'];
}
