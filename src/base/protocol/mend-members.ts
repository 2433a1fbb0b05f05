import { keepTextsOf } from '../json/exact-result.js';
import { isJsonObject } from '../json/json.js';

/** Reads a member as clients check it: undefined where none could. Adds the path of what it had to change to `odd`. */
export type Reader = (value: unknown, path: string, odd: string[]) => unknown;

/** A member that is right as it is, or left out. */
export const only =
  (isRight: (value: unknown) => boolean): Reader =>
  (value, path, odd) => {
    if (isRight(value)) return value;
    odd.push(path);
    return undefined;
  };

export const text = only((value) => typeof value === 'string');

const refuse = only(() => false);

/** What programs say to each other: an object of anything. */
export const meta: Reader = (value, path, odd) => (value === null ? undefined : only(isJsonObject)(value, path, odd));

/** Members that MCP does not define stay as they are, and so does an object of which nothing is changed. */
export function objectOf(members: Readonly<Record<string, Reader>>, required: readonly string[] = []): Reader {
  return (value, path, odd) => {
    if (!isJsonObject(value)) return refuse(value, path, odd);
    let isChanged = false;
    const read = Object.entries(value).flatMap(([name, member]) => {
      const reader = Object.hasOwn(members, name) ? members[name] : undefined;
      const kept = reader === undefined ? member : reader(member, path === '' ? name : `${path}.${name}`, odd);
      isChanged ||= kept !== member;
      return kept === undefined ? [] : [[name, kept] as const];
    });
    const kept = isChanged ? keepTextsOf(value, Object.fromEntries(read)) : value;
    return required.every((name) => Object.hasOwn(kept, name)) ? kept : refuse(value, path, odd);
  };
}

/** An item that no client could read costs itself alone; a list of nothing else says nothing. */
export function listOf(item: Reader): Reader {
  return (value, path, odd) => {
    if (!Array.isArray(value)) return refuse(value, path, odd);
    const kept = value.flatMap((each: unknown) => item(each, path, odd) ?? []);
    if (kept.length === 0 && value.length > 0) return undefined;
    return kept.length === value.length && kept.every((each, index) => each === value[index]) ? value : kept;
  };
}

const role = only((value) => value === 'user' || value === 'assistant');

/** One role is often written without its list. */
const audience: Reader = (value, path, odd) => {
  if (Array.isArray(value)) return listOf(role)(value, path, odd);
  odd.push(path);
  const kept = role(value, path, []);
  return kept === undefined ? undefined : [kept];
};

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Of resources and blocks. */
export const annotations = objectOf({
  audience,
  priority: only((value) => typeof value === 'number' && value >= 0 && value <= 1),
  lastModified: only((value) => typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(Date.parse(value))),
});

const icon = objectOf(
  {
    src: text,
    mimeType: text,
    sizes: listOf(text),
    theme: only((value) => value === 'light' || value === 'dark'),
  },
  ['src'],
);

export const icons = listOf(icon);
