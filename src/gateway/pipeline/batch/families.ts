import type { JsonObject } from '../../../base/json/json.js';
import type { RawCall } from '../../../base/protocol/call.js';
import { PassthroughTool } from '../../../catalog/endpoint/passthrough-tools.js';
import type { FamilyDefinition } from '../../../config/gateway-config.js';
import { mayReach } from '../decode.js';
import type { Snapshot } from '../snapshot.js';
import { type BatchItem, type Fault, mapTexts, refuse } from './items.js';
import { parseText, renumber } from './reference-syntax.js';

/**
 * Checks that the tool of the batch reaches all its operations.
 * @throws OperationError before anything has run
 */
export function checkReach({ tool }: RawCall, items: readonly BatchItem[], snapshot: Snapshot): void {
  const reach = snapshot.plan.reachOf(tool);
  if (reach === undefined || reach === 'everything' || reach instanceof PassthroughTool) return;
  refuse(findOtherFamilies(tool, reach, items, snapshot));
}

/** An item with the tool that takes it; an unknown operation has none. */
interface PlacedItem {
  readonly item: BatchItem;
  readonly tool: string | undefined;
}

/** The fault of a batch with operations of other families than the tool's. An unknown operation is none: it fails as an item. */
function findOtherFamilies(
  tool: string,
  reach: FamilyDefinition,
  items: readonly BatchItem[],
  { catalog, plan }: Snapshot,
): readonly Fault[] {
  const placed = items.map((item): PlacedItem => {
    const operation = catalog.find(item.operation);
    if (operation === undefined) return { item, tool: undefined };
    return { item, tool: mayReach(reach, operation, plan) ? tool : plan.toolFor(operation) };
  });
  const misplaced = placed.filter((each) => each.tool !== undefined && each.tool !== tool);
  if (misplaced.length === 0) return [];
  return [
    {
      code: 'VALIDATION_ENDPOINT_MISMATCH',
      message: `A batch sent through '${tool}' can contain only operations of its family, because users allow and approve calls by tool. Nothing has run. ${offerBatches(placed, tool) ?? listPlaces(misplaced)}`,
    },
  ];
}

function listPlaces(misplaced: readonly PlacedItem[]): string {
  const tools = [...new Set(misplaced.map(({ tool }) => tool))];
  const directions = tools.map((tool) => {
    const named = misplaced
      .filter((each) => each.tool === tool)
      .map(({ item }) => `operations[${item.index}] ('${item.operation}')`);
    return `via '${tool}': ${named.join(', ')}`;
  });
  return `Call ${directions.join('; ')}`;
}

/** The longest offer, in characters; of more, only the places are listed. */
const MAX_OFFERED = 2_000;
const MOST_OFFERED = 20;

/**
 * The batches to send instead, each complete. Undefined where they would be too long, and where one uses results of another,
 * which the caller has to put in.
 */
function offerBatches(placed: readonly PlacedItem[], sentTo: string): string | undefined {
  if (placed.length > MOST_OFFERED || placed.some(({ item }) => item.fault !== undefined)) return undefined;
  const batches = groupByTool(placed, sentTo);
  const offers: string[] = [];
  let length = 0;
  for (const { tool, items } of batches) {
    const operations = moveReferences(items);
    if (operations === undefined) return undefined;
    const offer = `via '${tool}': ${JSON.stringify({ operations })}`;
    length += offer.length;
    if (length > MAX_OFFERED) return undefined;
    offers.push(offer);
  }
  return `Send these batches instead, in this order: ${offers.join('; ')}`;
}

interface ToolBatch {
  readonly tool: string;
  readonly items: BatchItem[];
}

/** One batch for each tool, or more where a change and another operation would otherwise change places. */
function groupByTool(placed: readonly PlacedItem[], sentTo: string): readonly ToolBatch[] {
  const batches: ToolBatch[] = [];
  for (const { tool: own, item } of placed) {
    const tool = own ?? batches.at(-1)?.tool ?? sentTo;
    const at = batches.findLastIndex((batch) => batch.tool === tool);
    const between = batches.slice(at + 1).flatMap(({ items }) => items);
    const keepsOrder = between.length === 0 || (!item.isBarrier && between.every(({ isBarrier }) => !isBarrier));
    const batch = keepsOrder ? batches[at] : undefined;
    if (batch === undefined) batches.push({ tool, items: [item] });
    else batch.items.push(item);
  }
  return batches;
}

/** The requests of one batch, with their references counted anew; undefined where one refers to an item of another batch. */
function moveReferences(items: readonly BatchItem[]): readonly JsonObject[] | undefined {
  const positions = new Map(items.map(({ index }, position) => [index, position]));
  if (items.some(({ needs }) => needs.some((needed) => !positions.has(needed)))) return undefined;
  return items.map(({ request, isSpecial }) => {
    if (!isSpecial) return request;
    const { operation, ...parameters } = request;
    return { operation, ...movedTexts(parameters, positions) };
  });
}

function movedTexts(parameters: JsonObject, positions: ReadonlyMap<number, number>): JsonObject {
  const move = (text: string): string => {
    const parsed = parseText(text);
    return parsed.kind === 'reference' ? renumber(parsed.reference, positions) : text;
  };
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, mapTexts(value, move)]));
}
