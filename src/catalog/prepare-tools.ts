import { isJsonObject } from '../base/json/json.js';
import { LONGEST_DEFINITION, type RawTool } from '../base/protocol/tools.js';
import { findKnown } from '../classify/known.js';
import { splitWords } from '../classify/words/vocabulary.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { describeGaps } from '../schema/schema-gaps.js';
import { wordsOf } from './build-guarded-catalog.js';
import { splitTool } from './grouped-tools/split-tool.js';
import { inspectDefinition } from './integrity/inspect-definition.js';
import { measureDefinition } from './integrity/screen-tools.js';
import { runsStatements } from './read-only-part.js';

/**
 * Reads what depends on one tool alone: suspicions, the words of its name, parts, gaps, statements. Each is kept with the tool, so that building the catalog
 * afterwards, and again at the next change, looks them up.
 */
export function prepareTool(tool: RawTool, upstream: UpstreamConfig | undefined): void {
  if (!isJsonObject(tool) || measureDefinition(tool) > LONGEST_DEFINITION) return;
  inspectDefinition(tool);
  splitWords(String(tool['name']));
  wordsOf(tool);
  splitTool(tool);
  findKnown(tool);
  if (isJsonObject(tool['inputSchema'])) describeGaps(tool['inputSchema']);
  if (upstream !== undefined) runsStatements(upstream, { name: String(tool['name']), raw: tool }, {});
}
