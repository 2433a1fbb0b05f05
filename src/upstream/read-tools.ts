import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { RawTool } from '../protocol/raw-tool.js';
import { UpstreamFault } from './upstream-fault.js';

/** Pages are the server's choice; a server that never comes to an end is stopped here. */
const MAX_PAGES = 1_000;

export interface ToolReading {
  /** Exactly as sent, in the server's order; entries may be anything, the catalog judges them. */
  readonly tools: readonly RawTool[];
  /** What was odd about the list; undefined when nothing was. */
  readonly oddity?: string;
}

/**
 * Reads all pages of `tools/list`. Not by the SDK's `listTools`, whose schema throws away a whole list for one tool that is
 * off the specification, and drops keys that it does not know.
 *
 * @param request sends one `tools/list` with these parameters.
 */
export async function readTools(request: (params: JsonObject) => Promise<JsonObject>): Promise<ToolReading> {
  const tools: RawTool[] = [];
  const cursors = new Set<string>();
  let params: JsonObject = {};
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const result = await readPage(request, params);
    if (result === undefined) return { tools };
    const { tools: some, nextCursor } = result;
    if (!Array.isArray(some)) throw new UpstreamFault('rubbish', "its answer to 'tools/list' holds no list of tools");
    tools.push(...some);
    // The end is the absence of a cursor, but null and the empty string are common too.
    if (typeof nextCursor !== 'string' || nextCursor === '') return { tools };
    if (cursors.has(nextCursor)) return { tools, oddity: "its 'tools/list' came back to a page it had already sent" };
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return { tools, oddity: `its 'tools/list' has more than ${MAX_PAGES} pages; the rest was not read` };
}

/** A server without tools may say so by not knowing the method. */
async function readPage(
  request: (params: JsonObject) => Promise<JsonObject>,
  params: JsonObject,
): Promise<JsonObject | undefined> {
  try {
    const result = await request(params);
    return isJsonObject(result) ? result : undefined;
  } catch (error) {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return undefined;
    throw error;
  }
}
