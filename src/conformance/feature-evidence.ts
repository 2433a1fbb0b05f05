import { isJsonObject } from '../base/json/json.js';
import { type DocumentedOperation, dataOf } from './catalog-view.js';
import type { Answer, FieldSelectionCase, ModeObservation } from './evidence.js';
import { isRead } from './parameter-evidence.js';
import type { Probe } from './probe.js';

/** One connection's endpoint mode, by its tools: one for everything, one a family, or both. */
export async function observeModes(
  probe: Probe,
  operations: readonly DocumentedOperation[],
): Promise<readonly ModeObservation[]> {
  const families = new Set(operations.map(({ tool }) => tool));
  const introspection = await probe.introspect({ query: 'operations', first: 1 });
  const observed = (mode: ModeObservation['mode'], tools: readonly string[]): ModeObservation => ({
    mode,
    tools,
    introspection,
  });
  if (probe.tools.length === 1) return [observed('single', probe.tools)];
  const semantic = probe.tools.filter((tool) => families.has(tool));
  const others = probe.tools.filter((tool) => !families.has(tool));
  return [observed('semantic', semantic), ...(others.length === 1 ? [observed('single', others)] : [])];
}

/** READs that are asked whole and for one of their fields; a few show it. */
const FIELD_SELECTIONS = 5;

/** Asks READs, by their examples, for one of the fields that their whole answers have. */
export async function gatherFieldSelection(
  probe: Probe,
  operations: readonly DocumentedOperation[],
): Promise<readonly FieldSelectionCase[]> {
  const cases: FieldSelectionCase[] = [];
  const needsNothing = ({ parameters }: DocumentedOperation): boolean => !parameters.some(({ required }) => required);
  const asked = operations.filter(selectsFields);
  // An example may name what does not exist, so those that need nothing come first.
  const ordered = [...asked.filter(needsNothing), ...asked.filter((operation) => !needsNothing(operation))];
  for (const operation of ordered) {
    if (cases.length === FIELD_SELECTIONS) break;
    const { name, tool } = operation;
    const params = needsNothing(operation) ? {} : operation.example;
    const whole = await probe.send(tool, { operation: name, params });
    const field = pickField(whole);
    if (!whole.success || field === undefined) continue;
    const selected = await probe.send(tool, { operation: name, params: { ...params, fields: [field] } });
    cases.push({ operation: name, field, whole, selected });
  }
  return cases;
}

/** A field of the first list's items, or of the answer itself; undefined where choosing it would leave nothing out. */
function pickField(whole: Answer): string | undefined {
  const lists = Object.values(dataOf(whole)).filter((value) => Array.isArray(value));
  const item: unknown = lists.length === 1 ? lists[0]?.[0] : undefined;
  const names = Object.keys(isJsonObject(item) ? item : dataOf(whole));
  return names.length < 2 || (lists.length > 0 && item === undefined) ? undefined : names[0];
}

function selectsFields(operation: DocumentedOperation): boolean {
  return (
    isRead(operation) && operation.name !== 'introspect' && operation.parameters.some(({ name }) => name === 'fields')
  );
}

/** A batch of a READ that succeeds and an operation that does not exist. */
export function gatherBatch(probe: Probe, introspectTool: string): Promise<Answer> {
  return probe.send(introspectTool, {
    operations: [
      { operation: 'introspect', params: { query: 'operations', name: 'introspect' } },
      { operation: 'conformance_no_operation', params: {} },
    ],
  });
}

/** Whether an answer with `fields` is smaller than the whole one and has the field. */
export function isSelection({ whole, selected, field }: FieldSelectionCase): boolean {
  const smaller = JSON.stringify(selected.data).length < JSON.stringify(whole.data).length;
  return selected.success && smaller && holdsField(selected.data, field);
}

/** The field stands in the answer itself, or in the items of a list in it. */
function holdsField(data: unknown, field: string): boolean {
  if (Array.isArray(data)) return data.length === 0 || data.every((item) => holdsField(item, field));
  if (!isJsonObject(data)) return false;
  return (
    Object.hasOwn(data, field) ||
    Object.values(data).some((value) => typeof value === 'object' && holdsField(value, field))
  );
}
