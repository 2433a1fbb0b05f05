import type { FamilyDefinition } from '../../config/gateway-config.js';
import { isJsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { RawCall } from '../../protocol/raw-call.js';
import type { Snapshot } from '../snapshot.js';
import type { BatchItem } from './batch-item.js';

type Fault = Pick<OperationError, 'code' | 'message'>;

/**
 * Holds the batch as a whole against what a batch may be. Everything wrong is in one message, since the published schema of a
 * refused batch has room for code and message alone.
 *
 * @throws OperationError before anything has run
 */
export function checkForm(raw: RawCall, operations: readonly unknown[], maxOperations: number): void {
  refuse([...findStrayMembers(raw), ...findWrongCount(operations, maxOperations), ...findNestedBatches(operations)]);
}

/**
 * Holds the batch against the tool that it came through.
 * @throws OperationError before anything has run
 */
export function checkReach({ tool }: RawCall, items: readonly BatchItem[], snapshot: Snapshot): void {
  const reach = snapshot.plan.reachOf(tool);
  if (reach === 'everything') return;
  refuse(reach === undefined ? [unknownTool(tool, snapshot)] : findStrangers(tool, reach, items, snapshot));
}

function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first !== undefined) throw new OperationError(first.code, faults.map(({ message }) => message).join('. '));
}

/** Members with an underscore are metadata (specification, section 4.6.1). */
function findStrayMembers({ arguments: given }: RawCall): readonly Fault[] {
  const members = isJsonObject(given) ? Object.entries(given) : [];
  const strays = members
    .filter(([key, value]) => key !== 'operations' && !key.startsWith('_') && value !== null)
    .map(([key]) => key);
  if (strays.length === 0) return [];
  return [
    {
      code: 'VALIDATION_UNKNOWN_PARAM',
      message: `Unknown member(s) beside 'operations': ${quote(strays)}. Parameters stand inside each operation: {"operations": [{"operation": "...", "params": {...}}]}`,
    },
  ];
}

function findWrongCount({ length }: readonly unknown[], maxOperations: number): readonly Fault[] {
  if (length === 0) {
    return [{ code: 'VALIDATION_INVALID_VALUE', message: "'operations' must hold at least one operation" }];
  }
  if (length <= maxOperations) return [];
  return [
    {
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      message: `Payload exceeds array_elements limit of ${maxOperations}: 'operations' holds ${length}. Send them in several batches`,
    },
  ];
}

/** So many places are named; beyond, their number. */
const MOST_PLACES = 20;

function findNestedBatches(operations: readonly unknown[]): readonly Fault[] {
  const nested = operations.flatMap((item, index) => (isBatch(item) ? [`operations[${index}]`] : []));
  if (nested.length === 0) return [];
  const named = nested.slice(0, MOST_PLACES);
  const more = nested.length > named.length ? ` and ${nested.length - named.length} more` : '';
  return [
    {
      code: 'VALIDATION_INVALID_VALUE',
      message: `A batch cannot hold a batch: ${quote(named)}${more}. Write their operations into the outer one`,
    },
  ];
}

function isBatch(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  const { operation, operations } = item;
  return Array.isArray(operations) && (operation === undefined || operation === null);
}

function unknownTool(tool: string, { plan }: Snapshot): Fault {
  const tools = quote(plan.tools.map(({ name }) => name));
  return {
    code: 'NOT_FOUND_OPERATION',
    message: `There is no MCP tool '${tool}'. Send the batch through one of ${tools}`,
  };
}

/** What stands in another family than the tool's. What nobody knows fails by itself. */
function findStrangers(
  tool: string,
  reach: FamilyDefinition,
  items: readonly BatchItem[],
  { catalog, plan }: Snapshot,
): readonly Fault[] {
  const byTool = new Map<string, string[]>();
  for (const { index, operation: name } of items) {
    const operation = catalog.find(name);
    if (operation === undefined || plan.familyOf(operation) === reach) continue;
    const right = plan.toolFor(operation);
    byTool.set(right, [...(byTool.get(right) ?? []), `operations[${index}] ('${name}')`]);
  }
  if (byTool.size === 0) return [];
  const directions = [...byTool].map(([right, strangers]) => `via '${right}': ${strangers.join(', ')}`);
  return [
    {
      code: 'VALIDATION_ENDPOINT_MISMATCH',
      message: `A batch through '${tool}' can hold operations of its family alone, because clients allow and users approve by tool. Nothing has run. Call ${directions.join('; ')}`,
    },
  ];
}

function quote(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
