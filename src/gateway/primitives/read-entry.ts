import { withoutNulls } from '../../base/json/absent-nulls.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanSchema } from '../../base/lib/text.js';

/** Reads a member as clients check it: undefined where none could. Adds the path of what it had to change to `odd`. */
type Reader = (value: unknown, path: string, odd: string[]) => unknown;

const only =
  (isRight: (value: unknown) => boolean): Reader =>
  (value, path, odd) => {
    if (isRight(value)) return value;
    odd.push(path);
    return undefined;
  };

const text = only((value) => typeof value === 'string');

/** Members that MCP does not define stay as they are. */
function objectOf(members: Readonly<Record<string, Reader>>, required: readonly string[] = []): Reader {
  return (value, path, odd) => {
    if (!isJsonObject(value)) return only(() => false)(value, path, odd);
    const read = Object.entries(value).flatMap(([name, member]) => {
      const reader = Object.hasOwn(members, name) ? members[name] : undefined;
      const kept = reader === undefined ? member : reader(member, path === '' ? name : `${path}.${name}`, odd);
      return kept === undefined ? [] : [[name, kept] as const];
    });
    const kept = Object.fromEntries(read);
    const lacking = required.find((name) => !Object.hasOwn(kept, name));
    return lacking === undefined ? kept : only(() => false)(value, path, odd);
  };
}

/** An item that no client could read costs itself alone; a list of nothing else says nothing. */
function listOf(item: Reader): Reader {
  return (value, path, odd) => {
    if (!Array.isArray(value)) return only(() => false)(value, path, odd);
    const kept = value.flatMap((each: unknown) => item(each, path, odd) ?? []);
    return kept.length === 0 && value.length > 0 ? undefined : kept;
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

const annotations = objectOf({
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

const argument = objectOf(
  { name: text, title: text, description: text, required: only((value) => typeof value === 'boolean') },
  ['name'],
);

/** The members that MCP defines, with what clients check of them: one that is of another type costs them the whole list. */
const readMembers = objectOf({
  title: text,
  description: text,
  mimeType: text,
  size: only((value) => typeof value === 'number'),
  icons: listOf(icon),
  annotations,
  _meta: only(isJsonObject),
  arguments: listOf(argument),
});

/** An entry as every client can read it, and the paths of what had to be mended or left out for that. */
export function readEntry(value: JsonObject): { readonly kept: JsonObject; readonly odd: readonly string[] } {
  const present = Object.entries(value).flatMap(([name, member]) => {
    // What programs say to each other in `_meta` may hold a null that means something.
    const kept = name === '_meta' ? member : withoutNulls(member);
    return kept === null ? [] : [[name, kept] as const];
  });
  const odd: string[] = [];
  const kept = readMembers(Object.fromEntries(present), '', odd);
  return { kept: isJsonObject(kept) ? kept : value, odd };
}

/** What programs read, and by which servers know things: it is shown exactly as it is. */
const EXACT: ReadonlySet<string> = new Set(['uri', 'uriTemplate', 'icons', '_meta']);

/**
 * An entry as it is shown: its texts without invisible characters, each at most 4,000 characters long. URIs, and the names of prompts and
 * of their arguments, are what requests repeat, and stay as they are.
 * @param key the member that holds the entry's id
 */
export function cleanEntry(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === key || EXACT.has(name)) return [name, member];
      if (name === 'arguments' && Array.isArray(member)) return [name, member.map(cleanArgument)];
      return [name, cleanSchema({ member })['member']];
    }),
  );
}

function cleanArgument(argument: unknown): unknown {
  return isJsonObject(argument) ? { ...cleanSchema(argument), name: argument['name'] } : argument;
}
