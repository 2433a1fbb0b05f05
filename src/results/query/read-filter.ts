import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { quoteValue, quoteValues } from '../../base/lib/text.js';
import { MAX_PATH_DEPTH, writePath } from './fields.js';
import { MAX_PATTERN_LENGTH } from './filter-items.js';
import { type ControlReading, type QueryFault, readPath, textHint, typeFault, valueFault } from './query-fault.js';
import type { Condition, FieldPath, Operator } from './result-types.js';

const MAX_CONDITIONS = 100;

const EXAMPLE = '{"status": "active", "size": {"gt": 100}}';

const isOrdered = (operand: unknown): boolean => typeof operand === 'number' || typeof operand === 'string';
const ORDERED = { accepts: isOrdered, expected: 'number or string' };

/** What an operator takes; the others take anything. */
const OPERANDS: Readonly<
  Partial<Record<Operator, { readonly accepts: (operand: unknown) => boolean; readonly expected: string }>>
> = {
  in: { accepts: Array.isArray, expected: 'array' },
  gt: ORDERED,
  gte: ORDERED,
  lt: ORDERED,
  lte: ORDERED,
  contains: {
    accepts: (operand) => isOrdered(operand) || typeof operand === 'boolean',
    expected: 'string, number or boolean',
  },
  exists: { accepts: (operand) => typeof operand === 'boolean', expected: 'boolean' },
  pattern: { accepts: (operand) => typeof operand === 'string', expected: 'string' },
};

/**
 * The conditions of `filter`, all of which must hold: `{field: value}` for equal, `{field: [values]}` for one of them,
 * `{field: {operator: operand}}`, and an object of fields in place of a dotted path.
 */
export function readFilter(reading: ControlReading): readonly Condition[] {
  const { given, nameOf, faults } = reading;
  if (!given.has('filter')) return [];
  const filter = given.get('filter');
  if (!isJsonObject(filter)) {
    faults.push(typeFault(nameOf('filter'), 'object', filter, textHint(filter, EXAMPLE)));
    return [];
  }
  const conditions = readFields(filter, [], reading);
  if (conditions.length <= MAX_CONDITIONS) return conditions;
  faults.push(valueFault(nameOf('filter'), `${MAX_CONDITIONS} conditions or fewer`, conditions.length));
  return [];
}

function readFields(fields: JsonObject, parent: FieldPath, reading: ControlReading): readonly Condition[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const path = readPath(key, parent.length === 0 ? reading.nameOf('filter') : paramOf(parent, reading), reading);
    return path === undefined ? [] : readField([...parent, ...path], value, reading);
  });
}

function readField(path: FieldPath, value: unknown, reading: ControlReading): readonly Condition[] {
  if (Array.isArray(value)) return [{ path, operator: 'in', operand: value }];
  if (!isJsonObject(value)) return [{ path, operator: 'equals', operand: value }];
  const keys = Object.keys(value);
  if (keys.length === 0 || path.length > MAX_PATH_DEPTH) {
    const hint = `Use ${quoteValues(OPERATORS)}, or a field inside it`;
    reading.faults.push(valueFault(paramOf(path, reading), 'a value or a condition', value, hint));
    return [];
  }
  return keys.some(looksLikeOperator) ? readOperators(path, value, reading) : readFields(value, path, reading);
}

function readOperators(path: FieldPath, condition: JsonObject, reading: ControlReading): readonly Condition[] {
  const param = paramOf(path, reading);
  return Object.entries(condition).flatMap(([operator, operand]): readonly Condition[] => {
    const fault = isOperator(operator)
      ? findOperandFault(operator, operand, param)
      : operatorFault(operator, path, param);
    if (fault === undefined) return [{ path, operator: operator as Operator, operand }];
    reading.faults.push(fault);
    return [];
  });
}

function findOperandFault(operator: Operator, operand: unknown, param: string): QueryFault | undefined {
  const place = `${param}.${operator}`;
  const taken = OPERANDS[operator];
  if (taken !== undefined && !taken.accepts(operand)) return typeFault(place, taken.expected, operand);
  if (operator === 'pattern' && typeof operand === 'string' && operand.length > MAX_PATTERN_LENGTH) {
    return valueFault(place, `${MAX_PATTERN_LENGTH} characters or fewer`, operand);
  }
  return undefined;
}

function operatorFault(operator: string, path: FieldPath, param: string): QueryFault {
  const nearest = nearestOperator(operator);
  const expected = `one of ${quoteValues(OPERATORS)}`;
  const meant = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  return {
    code: 'VALIDATION_INVALID_VALUE',
    param,
    message: `Unsupported operator ${quoteValue(operator)} for '${param}'. Use ${expected}`,
    expected,
    actual: quoteValue(operator),
    hint: `${meant} For a field of this name write ${quoteValue(`${writePath(path)}.${operator}`)}`.trim(),
    nearest,
  };
}

function paramOf(path: FieldPath, { nameOf }: ControlReading): string {
  return `${nameOf('filter')}.${writePath(path)}`;
}

export const OPERATORS = [
  'equals',
  'in',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'exists',
  'pattern',
] as const satisfies readonly Operator[];

/**
 * Operators of other query languages, with ours of the same meaning where there is one. Such a key is taken for a mistaken
 * operator rather than for a nested field, so that the error is about operators.
 */
const FOREIGN: ReadonlyMap<string, Operator | undefined> = new Map<string, Operator | undefined>([
  ['=', 'equals'],
  ['==', 'equals'],
  ['eq', 'equals'],
  ['is', 'equals'],
  ['equal', 'equals'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['ge', 'gte'],
  ['le', 'lte'],
  ['greater_than', 'gt'],
  ['less_than', 'lt'],
  ['after', 'gt'],
  ['before', 'lt'],
  ['min', 'gte'],
  ['max', 'lte'],
  ['any', 'in'],
  ['any_of', 'in'],
  ['one_of', 'in'],
  ['includes', 'contains'],
  ['icontains', 'contains'],
  ['like', 'pattern'],
  ['ilike', 'pattern'],
  ['regex', 'pattern'],
  ['matches', 'pattern'],
  ['glob', 'pattern'],
  ['starts_with', 'pattern'],
  ['startswith', 'pattern'],
  ['ends_with', 'pattern'],
  ['endswith', 'pattern'],
  ['between', 'gte'],
  ['!=', undefined],
  ['ne', undefined],
  ['neq', undefined],
  ['not', undefined],
  ['not_equals', undefined],
  ['not_in', undefined],
  ['nin', undefined],
  ['and', undefined],
  ['or', undefined],
]);

function isOperator(key: string): key is Operator {
  return (OPERATORS as readonly string[]).includes(key);
}

/** Whether a key is some language's operator: `$gt`, `not_in`, `>=`, or one of ours. */
function looksLikeOperator(key: string): boolean {
  return isOperator(key) || key.startsWith('$') || FOREIGN.has(key.toLowerCase());
}

/** Our operator of the same meaning. */
function nearestOperator(key: string): Operator | undefined {
  const word = key.replace(/^\$/, '').toLowerCase();
  return isOperator(word) ? word : FOREIGN.get(word);
}
