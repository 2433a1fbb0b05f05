import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { joinMembers, lengthOf, type Pieces } from '../../base/json/pieces.js';
import { writeMembers } from '../../base/json/write-in-slices.js';
import { Pauses } from '../../base/pauses/pauses.js';
import type { HandlerCall } from '../../base/protocol/call.js';
import { LARGE_BYTES, LargeAnswer } from '../../base/protocol/large-answer.js';
import type { ContentBlock, ToolCallResult } from '../../base/protocol/result.js';

/** Members of a result that belong to its way over the wire, and to clients that keep it. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['contents', 'messages', 'ttlMs', 'cacheScope', 'resultType']);

/**
 * The contents of a resource as a tool would give them: texts as text, images and sounds as such, other bytes as an embedded
 * resource. So they are shaped, queried, cut and kept as any answer is.
 */
export async function toResourceResult(result: JsonObject): Promise<ToolCallResult> {
  const given = objectsIn(result['contents']);
  const content: ContentBlock[] = [];
  const pauses = new Pauses();
  for (const each of given) {
    content.push(toBlock(each, given.length === 1));
    await pauses.due();
  }
  return { ...others(result), content };
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
export async function toPromptResult(result: JsonObject): Promise<ToolCallResult> {
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
  const shown: JsonObject[] = [];
  const pauses = new Pauses();
  for (const message of objectsIn(messages)) {
    shown.push(show(message));
    await pauses.due();
  }
  const said = typeof description === 'string' ? { description } : {};
  const { description: _description, ...rest } = others(result);
  return { ...rest, content: blocks, structuredContent: { ...said, messages: shown } };
}

function others(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !ON_THE_WAY.has(name)));
}

/** The same bytes in memory of their own, which nothing else lies in: a hundred megabytes of memory that has not been used yet take as many milliseconds. */
async function copyBytes(pieces: Pieces): Promise<Buffer> {
  const copy = Buffer.allocUnsafeSlow(lengthOf(pieces));
  const pauses = new Pauses();
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(copy, at);
    await pauses.due();
  }
  return copy;
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
  const pieces = [await copyBytes(bytes)];
  const { upstream, tool } = operation;
  const failed = { upstream, tool, arguments: args, repeatable: true, words: 'clean' as const };
  return new LargeAnswer({ pieces, id: ID, credentials: [], call: failed });
}
