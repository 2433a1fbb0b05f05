import { withoutNulls } from '../json/absent-nulls.js';
import { exactTextOf, withExactText, writeExactMembers } from '../json/exact-result.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import { annotations, icons, meta, objectOf, text } from './mend-members.js';
import { type ContentBlock, OWN_META_PREFIX } from './result.js';
import { RELATED_TASK } from './tasks.js';

/** Members that every block may have, and what clients check of them. */
const readCommon = objectOf({ annotations, _meta: meta, icons, title: text, description: text });

const META: ReadonlySet<string> = new Set(['_meta']);

/** The blocks of an answer as clients can read them. One that nobody knows is told as a text; nothing is left out. */
export function mendBlocks(content: unknown): readonly ContentBlock[] {
  const given: readonly unknown[] = Array.isArray(content) ? content : (content ?? null) === null ? [] : [content];
  return given.filter((block) => block !== null).map(mendBlock);
}

function mendBlock(value: unknown): ContentBlock {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (!isJsonObject(value)) return asText(value);
  // As most are.
  if (value['type'] === 'text' && typeof value['text'] === 'string' && Object.keys(value).length === 2)
    return value as ContentBlock;
  const block = readCommon(withoutNulls(value, META), '', []) as ContentBlock;
  const { type } = block;
  if (type === 'text' || (type === undefined && typeof block['text'] === 'string'))
    return typeof block['text'] !== 'string' ? asText(value) : type === 'text' ? block : { ...block, type: 'text' };
  if (type === 'image' || type === 'audio') return mendMedia(block) ?? asText(value);
  if (type === 'resource_link' && typeof block['uri'] === 'string')
    return typeof block['name'] === 'string' ? block : { ...block, name: block['uri'] };
  if (type === 'resource' && isJsonObject(block['resource']))
    return mendResource(block, block['resource']) ?? asText(value);
  return asText(value);
}

function asText(value: unknown): ContentBlock {
  return { type: 'text', text: JSON.stringify(value) ?? 'null' };
}

function mendMedia(block: ContentBlock): ContentBlock | undefined {
  const read = readBase64(block['data']);
  if (read === undefined) return undefined;
  const said = block['mimeType'];
  const mimeType = typeof said === 'string' ? said : (read.mimeType ?? guessType(read.data));
  return read.data === block['data'] && mimeType === said ? block : { ...block, data: read.data, mimeType };
}

/** What has no address of its own gets one that nobody can ask for. */
const NO_URI = 'urn:mcp-aql:embedded';

function mendResource(block: ContentBlock, resource: JsonObject): ContentBlock | undefined {
  const { uri: said, mimeType, blob, text: words, ...rest } = resource;
  const uri = typeof said === 'string' ? said : NO_URI;
  const type = typeof mimeType === 'string' ? { mimeType } : {};
  if (typeof words === 'string') {
    const isRight = uri === said && (mimeType === undefined || 'mimeType' in type) && blob === undefined;
    return isRight ? block : { ...block, resource: { ...rest, uri, ...type, text: words } };
  }
  const read = readBase64(blob);
  if (read === undefined) return undefined;
  if (read.data === blob && uri === said && type.mimeType === mimeType) return block;
  const known = read.mimeType === undefined ? type : { mimeType: read.mimeType, ...type };
  return { ...block, resource: { ...rest, uri, ...known, blob: read.data } };
}

const DATA_URI = /^data:([^;,]*)(?:;[^,]*)?;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 in the one form that clients take: without lines, prefix, or the letters of URLs. Undefined where it is none. */
function readBase64(value: unknown): { readonly data: string; readonly mimeType?: string } | undefined {
  if (typeof value !== 'string') return undefined;
  if (BASE64.test(value) && value.length % 4 === 0) return { data: value };
  const [prefix = '', type = ''] = DATA_URI.exec(value) ?? [];
  const bare = value
    .slice(prefix.length)
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/=+$/, '');
  if (!BASE64.test(bare) || bare.length % 4 === 1) return undefined;
  const data = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
  return type === '' ? { data } : { data, mimeType: type };
}

/** By which the usual formats begin, in base64. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['SUQz', 'audio/mpeg'],
  ['T2dnUw', 'audio/ogg'],
];

function guessType(data: string): string {
  return BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'application/octet-stream';
}

/** The base64 that a block holds. */
export function binaryOf({ type, data, resource }: ContentBlock): string | undefined {
  const held = type === 'resource' && isJsonObject(resource) ? resource['blob'] : data;
  return type !== 'text' && typeof held === 'string' ? held : undefined;
}

/** What MCP says in `_meta` of who answers and of the task that is answered: to its clients the gateway is the server, with tasks of its own. */
const OF_THE_SERVER: ReadonlySet<string> = new Set(['io.modelcontextprotocol/serverInfo', RELATED_TASK]);

/**
 * A server's result without the members of its `_meta` that only the gateway gives: no server may forge them. The same result where
 * there are none. Numbers keep their digits.
 */
export function withoutForgedMeta(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isJsonObject(meta)) return result;
  const names = Object.keys(meta).filter((name) => name.startsWith(OWN_META_PREFIX) || OF_THE_SERVER.has(name));
  if (names.length === 0) return result;
  const others = { ...meta };
  for (const name of names) delete others[name];
  const { _meta: _all, ...rest } = result;
  if (Object.keys(others).length === 0) return rest;
  const changed = { ...rest, _meta: others };
  if (exactTextOf(result, '_meta') === undefined) return changed;
  return withExactText(changed, '_meta', `{${writeExactMembers(others)}}`);
}
