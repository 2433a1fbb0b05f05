import { isJsonObject } from '../../protocol/json.js';
import type { SortKey } from '../collection-query.js';
import { type ControlReading, textHint, typeFault, valueFault } from './query-fault.js';
import { readPath } from './read-path.js';

const MAX_KEYS = 10;

/** As SQL and query strings have it; no field is called so. */
const WITH_DIRECTION = /^([^\s:]+)[\s:]+(asc|desc)$/i;

const MEMBERS: readonly string[] = ['field', 'order'];
const EXAMPLE = '{"field": "created_at", "order": "desc"}';

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
  faults.push(valueFault(name, `a list of 1 to ${MAX_KEYS} sort keys`, sort, `For example: [${EXAMPLE}]`));
  return [];
}

function readKey(key: unknown, param: string, reading: ControlReading): readonly SortKey[] {
  if (typeof key === 'string' && !/^\s*[[{]/.test(key)) return readShortKey(key, param, reading);
  if (!isJsonObject(key)) {
    reading.faults.push(typeFault(param, 'object', key, textHint(key, EXAMPLE)));
    return [];
  }
  const strange = Object.keys(key).find((member) => !MEMBERS.includes(member));
  if (strange !== undefined) {
    reading.faults.push(valueFault(param, `an object of 'field' and 'order'`, strange, `For example: ${EXAMPLE}`));
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
