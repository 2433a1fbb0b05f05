import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { nearestSpelling } from '../../base/lib/names.js';
import type { Settings } from '../schema/setting.js';
import type { SchemaFault } from './find-faults.js';
import { BLOCKS } from './server-definition.js';

/** Members by which people and programs write comments into JSON: `_comment`, `//`, `$comment`. */
const COMMENT = /^(_|\/\/|#|\$?comments?$)/;

export const COMMENTED = 'a comment; ignored';
export const IGNORED = 'not used by the gateway; ignored';

export function isComment(name: unknown): boolean {
  return typeof name === 'string' && COMMENT.test(name);
}

/**
 * Why a fault is not one of the gateway's settings but what another program's file has there, so that it is left out with a warning;
 * undefined where it is a fault.
 * @param known the sections and settings of the main file
 */
export function explainForeign(fault: SchemaFault, document: unknown, known: Settings): string | undefined {
  const { path, key, keyword, data } = fault;
  const name = key ?? path.at(-1);
  const value = key === undefined ? data : valueAt(data, [key]);
  // Under a name of one's own choice an object may be an entry.
  if (isComment(name) && (keyword === 'additionalProperties' || !isJsonObject(value))) return COMMENTED;
  if (name === 'trust' && path[0] !== 'defaults' && typeof data === 'boolean') {
    return 'of Gemini CLI, where a boolean says whether to ask; ignored, so that the default holds';
  }
  if (data === null && keyword === 'type' && isInServer(path)) return 'null; as if it were left out';
  const isOfRoot = keyword === 'additionalProperties' && path.length === 0;
  return isOfRoot && isForeignMember(String(key), document, known) ? IGNORED : undefined;
}

/** What Windsurf (`serverUrl`) and Gemini CLI (`httpUrl`) call the address of a server, and what they say with it. */
const ADDRESSES: Readonly<Record<string, JsonObject>> = { serverUrl: {}, httpUrl: { type: 'http' } };

/** An entry with its address under our name. One that it has there already holds. */
export function withOwnAddress(entry: unknown): unknown {
  if (!isJsonObject(entry) || entry['url'] !== undefined) return entry;
  const found = Object.entries(ADDRESSES).find(([name]) => Object.hasOwn(entry, name));
  if (found === undefined) return entry;
  const [name, said] = found;
  const { [name]: url, ...rest } = entry;
  return { ...said, ...rest, url };
}

/** The same for all servers of a main file. */
export function withOwnAddresses(document: unknown): unknown {
  return BLOCKS.reduce((whole: unknown, block) => {
    const servers = valueAt(whole, block);
    if (!isJsonObject(servers)) return whole;
    const own = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [name, withOwnAddress(entry)]));
    return replaceAt(whole, block, own);
  }, document);
}

function replaceAt(whole: unknown, [step, ...rest]: JsonPath, value: JsonObject): unknown {
  if (step === undefined || !isJsonObject(whole)) return value;
  return { ...whole, [step]: replaceAt(whole[step], rest, value) };
}

/** Whether a path leads into the entry of a server, which programs may have written. */
function isInServer(path: JsonPath): boolean {
  return BLOCKS.some((block) => path.length > block.length + 1 && block.every((step, at) => path[at] === step));
}

/**
 * Whether a member of a file with a block of servers belongs to the client that the file was made for, such as `globalShortcut`. One
 * that looks like a misspelled section, or is called as a setting within one, may be a protection that is written in the wrong place.
 */
function isForeignMember(key: string, document: unknown, known: Settings): boolean {
  if (!BLOCKS.some((block) => isJsonObject(valueAt(document, block)))) return false;
  return nearestSpelling(key, Object.keys(known)) === undefined && !listNames(known).includes(key);
}

/** The names of settings and of those within them. */
function listNames(properties: unknown): readonly string[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => [name, ...listNames(valueAt(schema, ['properties']))]);
}
