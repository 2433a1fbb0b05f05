import { CONTROL_SPECS, PARTS } from './parts.js';
import { type ControlReading, type QueryFault, refuseFaults } from './query-fault.js';
import type { CollectionQuery, Control } from './result-types.js';

/** The operation whose controls are read. */
interface Controlled extends Pick<ControlReading, 'nameOf' | 'presets'> {
  /** Its name, for errors. */
  readonly operation: string;
}

/**
 * A call's controls as one query; undefined where it has none. Throws one `OperationError` that names everything wrong with
 * them. Which fields there are is not known yet: `checkFields` looks at those.
 */
export function readQuery(given: ReadonlyMap<Control, unknown>, controlled: Controlled): CollectionQuery | undefined {
  if (given.size === 0) return undefined;
  const { query, faults } = readControls(given, controlled);
  refuseFaults(faults, controlled.operation);
  return query;
}

const NOTHING_ASKED: CollectionQuery = { filter: [], sort: [], includeItems: true, page: { style: 'all' } };

/** The same; returns what is wrong with the controls. */
export function readControls(
  given: ReadonlyMap<Control, unknown>,
  { nameOf, presets }: Omit<Controlled, 'operation'>,
): { readonly query: CollectionQuery; readonly faults: readonly QueryFault[] } {
  const reading: ControlReading = { given, nameOf, presets, faults: [] };
  const parts = Object.values(PARTS).map(({ read }) => read(reading));
  const query = Object.assign({}, NOTHING_ASKED, ...parts) as CollectionQuery;
  return { query: query.includeItems ? query : { ...query, ...ineffectiveIn(reading) }, faults: reading.faults };
}

/** A summary has no items, so what is asked of them has no effect; the caller is warned. */
function ineffectiveIn({ given, nameOf }: ControlReading): Pick<CollectionQuery, 'ineffective'> {
  const ineffective = [...given.keys()].filter((control) => PARTS[CONTROL_SPECS[control].part].isOfItems);
  return ineffective.length === 0 ? {} : { ineffective: ineffective.map(nameOf) };
}
