import { nearestName } from '../../catalog/nearest-name.js';
import type { JsonPath } from '../../config/json-path.js';
import { isJsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import { abbreviate } from './abbreviate.js';
import { describeKind } from './describe-kind.js';
import { parseResultPath, writeResultPath } from './result-path.js';

/** A value in a kept result, with the way to it. */
export interface Place {
  readonly path: JsonPath;
  readonly value: unknown;
}

const KEYS_NAMED = 20;
const EXAMPLE = "Write it like 'items[3].body', or 'files[\"a.b\"]' for a key with a dot or a bracket";

/** The value that a path leads to. Throws INTROSPECTION_ERROR that says where the way ends and what is there instead. */
export function findInResult(root: unknown, pathText: string | undefined): Place {
  const path = parseResultPath(pathText ?? '');
  if (path === undefined) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `'path' cannot be read: '${abbreviate(pathText ?? '')}'. ${EXAMPLE}`,
    );
  }
  let place: Place = { path: [], value: root };
  for (const step of path) place = takeStep(place, step);
  return place;
}

function takeStep({ path, value }: Place, step: string | number): Place {
  if (Array.isArray(value) && isIndex(step)) {
    const index = Number(step);
    if (index < value.length) return { path: [...path, index], value: value[index] };
  }
  const key = String(step);
  if (isJsonObject(value) && Object.hasOwn(value, key)) return { path: [...path, key], value: value[key] };
  throw new OperationError('INTROSPECTION_ERROR', explainDeadEnd({ path, value }, key));
}

/** `items.3` says what `items[3]` says. */
function isIndex(step: string | number): boolean {
  return typeof step === 'number' || /^\d{1,10}$/.test(step);
}

function explainDeadEnd(place: Place, step: string): string {
  const { value } = place;
  const where = namePlace(place.path);
  const wanted = abbreviate(step);
  if (Array.isArray(value)) {
    if (value.length === 0) return `${where} is an empty list: there is no '${wanted}'`;
    const range = `its items are '[0]' to '[${value.length - 1}]'`;
    return isIndex(step)
      ? `${where} has no item '[${wanted}]': ${range}`
      : `${where} is ${describeKind(value)}, so '${wanted}' needs an index before it: ${range}. To see '${wanted}' of every item, use 'fields'`;
  }
  if (isJsonObject(value)) return `${where} has no '${wanted}'${listKeys(Object.keys(value), step)}`;
  return `${where} is ${describeKind(value)}: there is no '${wanted}' in it`;
}

function listKeys(keys: readonly string[], wanted: string): string {
  if (keys.length === 0) return ': it is empty';
  const nearest = nearestName(wanted, keys.slice(0, 1_000));
  const suggestion = nearest === undefined ? '' : ` (did you mean '${abbreviate(nearest)}'?)`;
  const named = keys.slice(0, KEYS_NAMED).map((key) => `'${abbreviate(key)}'`);
  const more = keys.length > KEYS_NAMED ? ` and ${keys.length - KEYS_NAMED} more` : '';
  return `${suggestion}. It has ${named.join(', ')}${more}`;
}

/** What a message calls a place. */
export function namePlace(path: JsonPath): string {
  return path.length === 0 ? 'The result' : `'${abbreviate(writeResultPath(path))}'`;
}
