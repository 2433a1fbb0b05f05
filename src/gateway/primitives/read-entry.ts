import { withoutNulls } from '../../base/json/absent-nulls.js';
import { keepTextsOf } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanSchema } from '../../base/lib/text.js';
import { annotations, icons, listOf, meta, objectOf, only, text } from '../../base/protocol/mend-members.js';

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
  icons,
  annotations,
  _meta: meta,
  arguments: listOf(argument),
});

/** What programs say to each other may hold a null that means something, and so may what a host compares with the file of a skill. */
const META: ReadonlySet<string> = new Set(['_meta', 'frontmatter']);

/** An entry as every client can read it, and the paths of what had to be mended or left out for that. */
export function readEntry(value: JsonObject): { readonly kept: JsonObject; readonly odd: readonly string[] } {
  const odd: string[] = [];
  const kept = readMembers(withoutNulls(value, META), '', odd);
  return { kept: isJsonObject(kept) ? kept : value, odd };
}

/** What programs read, and by which servers know things: it is shown exactly as it is. */
const EXACT: ReadonlySet<string> = new Set(['uri', 'uriTemplate', 'icons', '_meta', 'frontmatter', 'resources']);

/**
 * An entry as it is shown: its texts without invisible characters, each at most 4,000 characters long. URIs, and the names of prompts and
 * of their arguments, are what requests repeat, and stay as they are.
 * @param key the member that holds the entry's id
 */
export function cleanEntry(value: JsonObject, key: string): JsonObject {
  const clean = Object.entries(value).map(([name, member]) => {
    if (name === key || EXACT.has(name)) return [name, member];
    if (name === 'arguments' && Array.isArray(member)) return [name, member.map(cleanArgument)];
    return [name, cleanSchema({ member })['member']];
  });
  return keepTextsOf(value, Object.fromEntries(clean));
}

function cleanArgument(argument: unknown): unknown {
  return isJsonObject(argument) ? { ...cleanSchema(argument), name: argument['name'] } : argument;
}
