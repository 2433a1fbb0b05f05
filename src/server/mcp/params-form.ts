import { isJsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';

/** What is wrong with a value at a path, a clause for each fault. */
export type Form = (value: unknown, path: string) => readonly string[];

const FINE: readonly string[] = [];
/** Of a large value no more is told than a reader takes in. */
const MOST_FAULTS = 10;

export const text: Form = (value, path) => (typeof value === 'string' ? FINE : [expected(path, 'string', value)]);

export const bool: Form = (value, path) => (typeof value === 'boolean' ? FINE : [expected(path, 'boolean', value)]);

/** An object with these members; others may be beside them. */
export function object(members: Readonly<Record<string, Form>> = {}): Form {
  const forms = Object.entries(members);
  return (value, path) => {
    if (!isJsonObject(value)) return [expected(path, 'object', value)];
    let faults = FINE;
    for (const [name, form] of forms) {
      const found = form(value[name], path === '' ? name : `${path}.${name}`);
      if (found.length > 0) faults = [...faults, ...found];
    }
    return faults;
  };
}

/** An object whose members are all of one form, whatever their names. */
export function record(form: Form): Form {
  return (value, path) => {
    if (!isJsonObject(value)) return [expected(path, 'object', value)];
    return Object.entries(value)
      .flatMap(([name, each]) => form(each, `${path}.${echoName(name)}`))
      .slice(0, MOST_FAULTS);
  };
}

export function list(form: Form): Form {
  return (value, path) => {
    if (!Array.isArray(value)) return [expected(path, 'array', value)];
    return value.flatMap((each, at) => form(each, `${path}.${at}`)).slice(0, MOST_FAULTS);
  };
}

export function optional(form: Form): Form {
  return (value, path) => (value === undefined ? FINE : form(value, path));
}

export function oneOf(values: readonly string[]): Form {
  return (value, path) =>
    values.some((each) => each === value) ? FINE : [`'${path}': expected one of ${values.join(', ')}`];
}

export function expected(path: string, type: string, value: unknown): string {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return `'${path}': expected ${type}, received ${actual}`;
}
