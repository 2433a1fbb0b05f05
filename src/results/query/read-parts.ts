import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { quoteValue, quoteValues } from '../../base/lib/text.js';
import { parsePath } from './fields.js';
import { parseTextQuery } from './filter-items.js';
import { type ControlReading, readPath, textHint, typeFault, valueFault } from './query-fault.js';
import {
  type Aggregation,
  type CollectionQuery,
  type Control,
  FIELD_FUNCTIONS,
  type FieldPath,
  type FieldSelection,
  type SortKey,
} from './result-types.js';

const MAX_TERMS = 50;

type Read<Member extends keyof CollectionQuery> = Partial<Pick<CollectionQuery, Member>>;

export function readCollection(reading: ControlReading): Read<'collection'> {
  const collection = readPathOf('collection', reading);
  return collection === undefined ? {} : { collection };
}

export function readDistinct(reading: ControlReading): Read<'distinct'> {
  const distinct = readPathOf('distinct', reading);
  return distinct === undefined ? {} : { distinct };
}

function readPathOf(control: Control, reading: ControlReading): FieldPath | undefined {
  const { given, nameOf } = reading;
  return given.has(control) ? readPath(given.get(control), nameOf(control), reading) : undefined;
}

/** A text without any word restricts nothing. */
export function readText({ given, nameOf, faults }: ControlReading): Read<'text'> {
  if (!given.has('query')) return {};
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
    return {};
  }
  const text = parseTextQuery(value);
  if (text.terms.length > MAX_TERMS) {
    faults.push(valueFault(nameOf('query'), `${MAX_TERMS} words or phrases or fewer`, text.terms.length));
  }
  return text.terms.length === 0 ? {} : { text };
}

function readFlag({ given, nameOf, faults }: ControlReading, control: Control): boolean {
  const value = given.get(control) ?? false;
  if (typeof value === 'boolean') return value;
  faults.push(typeFault(nameOf(control), 'boolean', value, 'Give true or false, without quotes'));
  return false;
}

const MAX_PATHS = 200;

const FIELDS_EXAMPLE = '"minimal", or ["id", "settings.theme"]';

/**
 * What `fields` and its older alias `preset` select together: the paths extend the preset (companion document "field
 * selection", section 2.3).
 */
export function readFields(reading: ControlReading): Read<'fields'> {
  const fields = readSelection(reading);
  return fields === undefined ? {} : { fields };
}

function readSelection(reading: ControlReading): FieldSelection | undefined {
  const { given, nameOf, faults } = reading;
  const fields = given.get('fields');
  const alias = readPreset(reading);
  if (!given.has('fields')) return alias === undefined ? undefined : { preset: alias, paths: [] };
  if (Array.isArray(fields)) {
    const paths = readPaths(fields, alias !== undefined, reading);
    return { ...(alias === undefined ? {} : { preset: alias }), paths };
  }
  if (typeof fields !== 'string' || /^\s*[[{]/.test(fields)) {
    faults.push(typeFault(nameOf('fields'), 'string or array', fields, textHint(fields, FIELDS_EXAMPLE)));
    return undefined;
  }
  if (alias !== undefined && alias !== fields) {
    const expected = `a list of fields beside '${nameOf('preset')}', or this preset`;
    faults.push(valueFault(nameOf('fields'), expected, fields));
  }
  return knownPreset(fields, 'fields', reading);
}

/** No answer has a preset that its operation does not have, so an unknown one is refused before the call. */
function knownPreset(preset: string, control: Control, { presets, nameOf, faults }: ControlReading): FieldSelection {
  if (!presets.includes(preset)) {
    const expected = `one of ${quoteValues(presets)}`;
    const names = preset.split(',').map((name) => name.trim());
    const arePaths = names.every((name) => parsePath(name) !== undefined);
    const hint = `Give fields as a list: ${JSON.stringify(arePaths ? names : ['id', 'name'])}`;
    const message = `Unknown preset ${quoteValue(preset)}. Use ${expected}, or a list of fields`;
    const fault = valueFault(nameOf(control), expected, preset, hint, 'VALIDATION_INVALID_ENUM');
    faults.push({ ...fault, message });
  }
  return { preset, paths: [] };
}

function readPreset(reading: ControlReading): string | undefined {
  const { given, nameOf, faults } = reading;
  if (!given.has('preset')) return undefined;
  const preset = given.get('preset');
  if (typeof preset === 'string') return knownPreset(preset, 'preset', reading).preset;
  faults.push(typeFault(nameOf('preset'), 'string', preset, 'For example: "minimal"'));
  return undefined;
}

function readPaths(fields: readonly unknown[], hasPreset: boolean, reading: ControlReading): readonly FieldPath[] {
  const name = reading.nameOf('fields');
  if (fields.length > MAX_PATHS || (fields.length === 0 && !hasPreset)) {
    reading.faults.push(
      valueFault(name, `a list of 1 to ${MAX_PATHS} fields`, fields, `For example: ${FIELDS_EXAMPLE}`),
    );
    return [];
  }
  return fields.flatMap((field, index) => {
    const path = readPath(field, `${name}[${index}]`, reading);
    return path === undefined ? [] : [path];
  });
}

const MAX_LABELS = 50;

const AGGREGATE_EXAMPLE = '{"total": {"count": true}, "by_status": {"group_by": "status", "count": true}}';

/** The members of an aggregation, as callers write them. */
export const AGGREGATE_MEMBERS: readonly string[] = ['count', 'group_by', ...FIELD_FUNCTIONS];

type Labelled = NonNullable<CollectionQuery['aggregate']>;

/** A summary, and whether the items come with it. */
export function readAggregate(reading: ControlReading): Read<'aggregate' | 'includeItems'> {
  const { given, nameOf, faults } = reading;
  const aggregate = readLabelled(reading);
  const includesItems = readFlag(reading, 'include_items');
  if (includesItems && !given.has('aggregate')) {
    const hint = `Leave '${nameOf('include_items')}' out, or add '${nameOf('aggregate')}'`;
    faults.push(valueFault(nameOf('include_items'), `given beside '${nameOf('aggregate')}'`, true, hint));
  }
  return aggregate === undefined ? {} : { aggregate, includeItems: includesItems };
}

/** The named expressions of `aggregate`. A `group_by` alone counts. */
function readLabelled(reading: ControlReading): Labelled | undefined {
  const { given, nameOf, faults } = reading;
  if (!given.has('aggregate')) return undefined;
  const aggregate = given.get('aggregate');
  const name = nameOf('aggregate');
  if (!isJsonObject(aggregate)) {
    faults.push(typeFault(name, 'object', aggregate, textHint(aggregate, AGGREGATE_EXAMPLE)));
    return undefined;
  }
  const entries = Object.entries(aggregate);
  if (entries.length === 0 || entries.length > MAX_LABELS) {
    const expected = `an object of 1 to ${MAX_LABELS} named aggregations`;
    faults.push(valueFault(name, expected, aggregate, `For example: ${AGGREGATE_EXAMPLE}`));
  }
  return entries.map(([label, expression]) => [label, readExpression(label, expression, `${name}.${label}`, reading)]);
}

function readExpression(label: string, expression: unknown, param: string, reading: ControlReading): Aggregation {
  const { faults } = reading;
  if (!isJsonObject(expression)) {
    faults.push(typeFault(param, 'object', expression, hintFor(label, expression)));
    return {};
  }
  const unknown = Object.keys(expression).filter((member) => !AGGREGATE_MEMBERS.includes(member));
  faults.push(...unknown.map((member) => functionFault(member, param)));
  const count = readCount(expression, param, reading);
  const functions = readFunctions(expression, param, reading);
  if (!count && Object.keys(functions).length === 0 && unknown.length === 0) {
    faults.push(valueFault(param, `one or more of ${quoteValues(AGGREGATE_MEMBERS)}`, expression));
  }
  const groupsAlone = functions.groupBy !== undefined && Object.keys(functions).length === 1;
  return count || groupsAlone ? { ...functions, count: true } : functions;
}

/** The most common mistake: functions without a label around them. */
function hintFor(label: string, expression: unknown): string {
  return AGGREGATE_MEMBERS.includes(label)
    ? `Put functions under a label of your choice. For example: ${AGGREGATE_EXAMPLE}`
    : textHint(expression, '{"count": true}');
}

function functionFault(member: string, param: string): ReturnType<typeof valueFault> {
  const expected = `one of ${quoteValues(AGGREGATE_MEMBERS)}`;
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
  // The intent is clear, so one fault is enough.
  return true;
}

function readFunctions(expression: JsonObject, param: string, reading: ControlReading): Aggregation {
  return Object.fromEntries(
    ['group_by', ...FIELD_FUNCTIONS].flatMap((name) => {
      if (!Object.hasOwn(expression, name)) return [];
      const path = readPath(expression[name], `${param}.${name}`, reading) ?? [];
      return [[name === 'group_by' ? 'groupBy' : name, path]];
    }),
  );
}

const MAX_KEYS = 10;

/** The direction as SQL and query strings write it; no field has such a name. */
const WITH_DIRECTION = /^([^\s:]+)[\s:]+(asc|desc)$/i;

const SORT_MEMBERS: readonly string[] = ['field', 'order'];
const SORT_EXAMPLE = '{"field": "created_at", "order": "desc"}';

/** `{field, order}`, a list of them, or for compatibility the field alone, with `-` before it for descending order. */
export function readSort(reading: ControlReading): readonly SortKey[] {
  const { given, nameOf, faults } = reading;
  if (!given.has('sort')) return [];
  const sort = given.get('sort');
  const name = nameOf('sort');
  if (!Array.isArray(sort)) return readKey(sort, name, reading);
  if (sort.length > 0 && sort.length <= MAX_KEYS) {
    return sort.flatMap((key, index) => readKey(key, `${name}[${index}]`, reading));
  }
  faults.push(valueFault(name, `a list of 1 to ${MAX_KEYS} sort keys`, sort, `For example: [${SORT_EXAMPLE}]`));
  return [];
}

function readKey(key: unknown, param: string, reading: ControlReading): readonly SortKey[] {
  if (typeof key === 'string' && !/^\s*[[{]/.test(key)) return readShortKey(key, param, reading);
  if (!isJsonObject(key)) {
    reading.faults.push(typeFault(param, 'object', key, textHint(key, SORT_EXAMPLE)));
    return [];
  }
  const unknown = Object.keys(key).find((member) => !SORT_MEMBERS.includes(member));
  if (unknown !== undefined) {
    reading.faults.push(valueFault(param, `an object of 'field' and 'order'`, unknown, `For example: ${SORT_EXAMPLE}`));
    return [];
  }
  const path = Object.hasOwn(key, 'field')
    ? readPath(key['field'], `${param}.field`, reading)
    : missField(param, reading);
  const order = readOrder(key['order'], `${param}.order`, reading);
  return path === undefined || order === undefined ? [] : [{ path, order }];
}

function missField(param: string, { faults }: ControlReading): undefined {
  const message = `Missing required parameter '${param}.field'. Expected: string`;
  faults.push({ code: 'VALIDATION_MISSING_PARAM', param: `${param}.field`, message, expected: 'string' });
}

function readShortKey(key: string, param: string, reading: ControlReading): readonly SortKey[] {
  const [, field = '', order = ''] = WITH_DIRECTION.exec(key) ?? [];
  if (field !== '') {
    const hint = `For example: ${JSON.stringify({ field, order: order.toLowerCase() })}`;
    reading.faults.push(valueFault(param, `a field alone, or an object of 'field' and 'order'`, key, hint));
    return [];
  }
  const descending = key.startsWith('-');
  const path = readPath(descending ? key.slice(1) : key, param, reading);
  return path === undefined ? [] : [{ path, order: descending ? 'desc' : 'asc' }];
}

function readOrder(order: unknown, param: string, { faults }: ControlReading): SortKey['order'] | undefined {
  if (order === undefined) return 'asc';
  if (order === 'asc' || order === 'desc') return order;
  faults.push(valueFault(param, `one of 'asc', 'desc'`, order, undefined, 'VALIDATION_INVALID_ENUM'));
  return undefined;
}
