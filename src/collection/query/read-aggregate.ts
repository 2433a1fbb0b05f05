import { quoteValue, quoteValues } from '../../catalog/schema/quote-value.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Aggregation, CollectionQuery } from '../collection-query.js';
import { type ControlReading, textHint, typeFault, valueFault } from './query-fault.js';
import { readPath } from './read-path.js';

const MAX_LABELS = 50;

const EXAMPLE = '{"total": {"count": true}, "by_status": {"group_by": "status", "count": true}}';

/** Functions of a field, as callers write them. */
const FIELD_FUNCTIONS = { group_by: 'groupBy', sum: 'sum', avg: 'avg', min: 'min', max: 'max' } as const;

const MEMBERS: readonly string[] = ['count', ...Object.keys(FIELD_FUNCTIONS)];

type Labelled = NonNullable<CollectionQuery['aggregate']>;

/** The named expressions of `aggregate`. A `group_by` alone counts. */
export function readAggregate(reading: ControlReading): Labelled | undefined {
  const { given, nameOf, faults } = reading;
  if (!given.has('aggregate')) return undefined;
  const aggregate = given.get('aggregate');
  const name = nameOf('aggregate');
  if (!isJsonObject(aggregate)) {
    faults.push(typeFault(name, 'object', aggregate, textHint(aggregate, EXAMPLE)));
    return undefined;
  }
  const entries = Object.entries(aggregate);
  if (entries.length === 0 || entries.length > MAX_LABELS) {
    const expected = `an object of 1 to ${MAX_LABELS} named aggregations`;
    faults.push(valueFault(name, expected, aggregate, `For example: ${EXAMPLE}`));
  }
  return entries.map(([label, expression]) => [label, readExpression(label, expression, `${name}.${label}`, reading)]);
}

function readExpression(label: string, expression: unknown, param: string, reading: ControlReading): Aggregation {
  const { faults } = reading;
  if (!isJsonObject(expression)) {
    faults.push(typeFault(param, 'object', expression, hintFor(label, expression)));
    return {};
  }
  const strange = Object.keys(expression).filter((member) => !MEMBERS.includes(member));
  faults.push(...strange.map((member) => functionFault(member, param)));
  const count = readCount(expression, param, reading);
  const functions = readFunctions(expression, param, reading);
  if (!count && Object.keys(functions).length === 0 && strange.length === 0) {
    faults.push(valueFault(param, `at least one of ${quoteValues(MEMBERS)}`, expression));
  }
  const groupsAlone = functions.groupBy !== undefined && Object.keys(functions).length === 1;
  return count || groupsAlone ? { ...functions, count: true } : functions;
}

/** The slip that is made most: the functions without a label around them. */
function hintFor(label: string, expression: unknown): string {
  return MEMBERS.includes(label)
    ? `Functions stand under a label of your choice. For example: ${EXAMPLE}`
    : textHint(expression, '{"count": true}');
}

function functionFault(member: string, param: string): ReturnType<typeof valueFault> {
  const expected = `one of ${quoteValues(MEMBERS)}`;
  return {
    code: 'VALIDATION_INVALID_VALUE',
    param,
    message: `Unsupported aggregation function ${quoteValue(member)} in '${param}'. Use ${expected}`,
    expected,
    actual: quoteValue(member),
  };
}

function readCount(expression: JsonObject, param: string, { faults }: ControlReading): boolean {
  const count = expression['count'] ?? false;
  if (typeof count === 'boolean') return count;
  faults.push(typeFault(`${param}.count`, 'boolean', count));
  // What was wanted is plain; one fault is enough.
  return true;
}

function readFunctions(expression: JsonObject, param: string, reading: ControlReading): Aggregation {
  return Object.fromEntries(
    Object.entries(FIELD_FUNCTIONS).flatMap(([name, key]) => {
      if (!Object.hasOwn(expression, name)) return [];
      return [[key, readPath(expression[name], `${param}.${name}`, reading) ?? []]];
    }),
  );
}
