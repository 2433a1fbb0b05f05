import type { CollectionQuery, Control, TextQuery } from '../collection-query.js';
import { type ControlReading, refuseFaults, typeFault, valueFault } from './query-fault.js';
import { readAggregate } from './read-aggregate.js';
import { readFields } from './read-fields.js';
import { readFilter } from './read-filter.js';
import { readPaging } from './read-paging.js';
import { readSort } from './read-sort.js';
import { parseTextQuery } from './search-text.js';

const MAX_TERMS = 50;

/**
 * A call's controls as one query; undefined where it has none. Throws one `OperationError` that names everything wrong with
 * them. Which fields and presets there are is not known yet: `checkFields` looks at those.
 *
 * @param nameOf the name under which this operation's callers give a control
 */
export function readQuery(
  given: ReadonlyMap<Control, unknown>,
  nameOf: (control: Control) => string,
  operation: string,
): CollectionQuery | undefined {
  if (given.size === 0) return undefined;
  const reading: ControlReading = { given, nameOf, faults: [] };
  const [text, fields, aggregate] = [readText(reading), readFields(reading), readAggregate(reading)];
  const includesItems = readFlag(reading, 'include_items');
  const query: CollectionQuery = {
    filter: readFilter(reading),
    ...(text === undefined ? {} : { text }),
    sort: readSort(reading),
    ...(fields === undefined ? {} : { fields }),
    ...(aggregate === undefined ? {} : { aggregate }),
    includeItems: aggregate === undefined || includesItems,
    page: readPaging(reading),
  };
  refuseFaults(reading.faults, operation);
  return query;
}

/** A text without any word restricts nothing. */
function readText({ given, nameOf, faults }: ControlReading): TextQuery | undefined {
  if (!given.has('query')) return undefined;
  const value = given.get('query');
  if (typeof value !== 'string') {
    faults.push(
      typeFault(
        nameOf('query'),
        'string',
        value,
        `Give words to search for; conditions on fields go in '${nameOf('filter')}'`,
      ),
    );
    return undefined;
  }
  const text = parseTextQuery(value);
  if (text.terms.length > MAX_TERMS) {
    faults.push(valueFault(nameOf('query'), `at most ${MAX_TERMS} words or phrases`, text.terms.length));
  }
  return text.terms.length === 0 ? undefined : text;
}

function readFlag({ given, nameOf, faults }: ControlReading, control: Control): boolean {
  const value = given.get(control) ?? false;
  if (typeof value === 'boolean') return value;
  faults.push(typeFault(nameOf(control), 'boolean', value, 'Give true or false, without quotes'));
  return false;
}
