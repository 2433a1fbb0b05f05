import { isJsonObject } from '../base/json/json.js';
import { findKnown } from '../classify/known.js';
import { splitWords } from '../classify/words/vocabulary.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { describeGaps } from '../schema/schema-gaps.js';
import type { ToolRecord } from './integrity/tool-record.js';
import { runsStatements } from './read-only-part.js';

/**
 * Works out what depends on one tool alone: suspicions, the words of its name, parts, gaps, statements. Each stands on its record, so that
 * building the catalog afterwards, and again at the next change, only looks it up.
 */
export function prepareTool(tool: ToolRecord, upstream: UpstreamConfig | undefined): void {
  if (tool.isTooLong) return;
  const { name, inputSchema } = tool.raw;
  splitWords(String(name));
  void [tool.suspicions, tool.nameWords, tool.split];
  findKnown(tool);
  if (isJsonObject(inputSchema)) describeGaps(inputSchema);
  if (upstream !== undefined) runsStatements(upstream, tool, {});
}
