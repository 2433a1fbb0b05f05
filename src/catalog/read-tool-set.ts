import { isJsonObject } from '../protocol/json.js';
import type { RawTool, ToolSet } from '../protocol/raw-tool.js';

/**
 * A captured tool list as an upstream's tool set: an array of tools, or an object that holds one as `tools` (what a server
 * answers, with or without the JSON-RPC envelope). Undefined where there is no list; entries are not judged here.
 */
export function readToolSet(upstream: string, json: unknown): ToolSet | undefined {
  const tools = findTools(json);
  return tools === undefined ? undefined : { upstream, tools: tools as readonly RawTool[] };
}

function findTools(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isJsonObject(json)) return undefined;
  if (Array.isArray(json['tools'])) return json['tools'];
  return isJsonObject(json['result']) ? findTools(json['result']) : undefined;
}
