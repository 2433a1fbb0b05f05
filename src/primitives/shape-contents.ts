import { filterInSteps, mapInSteps, type Sliced } from '../lib/turns.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { ContentBlock, ToolCallResult } from '../protocol/result.js';

/** Members of a result that belong to its way over the wire, and to clients that keep it. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['contents', 'messages', 'ttlMs', 'cacheScope', 'resultType']);

/**
 * The contents of a resource as a tool would give them: texts as text, images and sounds as such, other bytes as an embedded
 * resource. So they are shaped, queried, cut and kept as any answer is. Stops after each of the contents.
 */
export function* toResourceResult(result: JsonObject): Sliced<ToolCallResult> {
  const given = yield* objectsIn(result['contents']);
  const content = yield* mapInSteps(given, (each) => toBlock(each, given.length === 1));
  return { ...others(result), content };
}

function* objectsIn(list: unknown): Sliced<readonly JsonObject[]> {
  return Array.isArray(list) ? ((yield* filterInSteps<unknown>(list, isJsonObject)) as JsonObject[]) : [];
}

function toBlock(contents: JsonObject, isOnly: boolean): ContentBlock {
  const { text, blob, uri, mimeType } = contents;
  if (typeof text === 'string') return isOnly ? { type: 'text', text } : { ...contents, type: 'text', text };
  const media = typeof mimeType === 'string' ? /^(image|audio)\//.exec(mimeType)?.[1] : undefined;
  if (media === undefined || typeof blob !== 'string') return { type: 'resource', resource: contents };
  return { type: media, data: blob, mimeType, ...(isOnly ? {} : { uri }) };
}

/** The index of the first block that follows the envelope's own. */
const FIRST_BLOCK = 1;

/** The messages of a prompt, with each text in its message; images and the like follow, and their messages refer to them. Stops after each message. */
export function* toPromptResult(result: JsonObject): Sliced<ToolCallResult> {
  const { messages, description } = result;
  const blocks: ContentBlock[] = [];
  const given = yield* objectsIn(messages);
  const shown = yield* mapInSteps(given, ({ role, content }) => {
    if (!isJsonObject(content)) return { role, content };
    const { type, text, resource } = content;
    if (type === 'text' && typeof text === 'string') return { role, text };
    blocks.push({ ...content, type: String(type) });
    const block = FIRST_BLOCK + blocks.length - 1;
    const { uri, mimeType } = isJsonObject(resource) ? resource : content;
    return { role, content: { type, ...(uri === undefined ? {} : { uri }), mimeType, block } };
  });
  const said = typeof description === 'string' ? { description } : {};
  const { description: _description, ...rest } = others(result);
  return { ...rest, content: blocks, structuredContent: { ...said, messages: shown } };
}

function others(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !ON_THE_WAY.has(name)));
}
