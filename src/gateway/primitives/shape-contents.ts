import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { copyPieces, joinMembers } from '../../base/json/pieces.js';
import { writeMembers } from '../../base/json/write-in-slices.js';
import type { HandlerCall } from '../../base/protocol/call.js';
import { LARGE_BYTES, LargeAnswer } from '../../base/protocol/large-answer.js';
import type { ContentBlock, ToolCallResult } from '../../base/protocol/result.js';

/** Members of a result that belong to its way over the wire, and to clients that keep it. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['contents', 'messages', 'ttlMs', 'cacheScope', 'resultType']);

/**
 * The contents of a resource as a tool would give them: texts as text, images and sounds as such, other bytes as an embedded
 * resource. So they are shaped, queried, cut and kept as any answer is.
 */
export function toResourceResult(result: JsonObject): ToolCallResult {
  const given = objectsIn(result['contents']);
  return { ...others(result), content: given.map((each) => toBlock(each, given.length === 1)) };
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
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

/** The messages of a prompt, with each text in its message; images and the like follow, and their messages refer to them. */
export function toPromptResult(result: JsonObject): ToolCallResult {
  const { messages, description } = result;
  const blocks: ContentBlock[] = [];
  const show = ({ role, content }: JsonObject): JsonObject => {
    if (!isJsonObject(content)) return { role, content };
    const { type, text, resource } = content;
    if (type === 'text' && typeof text === 'string') return { role, text };
    blocks.push({ ...content, type: String(type) });
    const block = FIRST_BLOCK + blocks.length - 1;
    const { uri, mimeType } = isJsonObject(resource) ? resource : content;
    return { role, content: { type, ...(uri === undefined ? {} : { uri }), mimeType, block } };
  };
  const shown = objectsIn(messages).map(show);
  const said = typeof description === 'string' ? { description } : {};
  const { description: _description, ...rest } = others(result);
  return { ...rest, content: blocks, structuredContent: { ...said, messages: shown } };
}

function others(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !ON_THE_WAY.has(name)));
}

/**
 * A result that was made of an upstream's answer: a large one as the bytes of an answer to a call, which a thread reads as it does those of
 * tools. Writing it takes slices; reading and querying it here would hold up other calls.
 */
export function handOver(
  result: ToolCallResult,
  call: HandlerCall,
): ToolCallResult | Promise<ToolCallResult | LargeAnswer> {
  if (measureJson(result, LARGE_BYTES) <= LARGE_BYTES) return result;
  return writeAnswer(result, call);
}

const ID = 0;

async function writeAnswer(result: JsonObject, { operation, arguments: args }: HandlerCall): Promise<LargeAnswer> {
  const members = await writeMembers(result);
  const bytes = [Buffer.from(`{"id":${ID},"result":{`), ...joinMembers(members), Buffer.from('}}')];
  const pieces = [copyPieces(bytes)];
  const { upstream, tool } = operation;
  const failed = { upstream, tool, arguments: args, repeatable: true, words: 'clean' as const };
  return new LargeAnswer({ pieces, id: ID, credentials: [], call: failed });
}
