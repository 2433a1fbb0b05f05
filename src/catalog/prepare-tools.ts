import { isJsonObject } from '../base/json/json.js';
import { LONGEST_DEFINITION, type ToolSet } from '../base/protocol/tools.js';
import type { Sliced } from '../base/turns/turns.js';
import { describeGaps } from '../schema/schema-gaps.js';
import { splitTool } from './grouped-tools/split-tool.js';
import { inspectDefinition } from './integrity/inspect-definition.js';
import { measureDefinition } from './integrity/screen-tools.js';

/**
 * Reads what depends on one tool alone, with a stop after each: suspicions, parts, gaps. Each is kept with its tool, so that
 * building the catalog afterwards, and again at the next change, looks them up.
 */
export function* prepareTools(toolSets: readonly ToolSet[]): Sliced<void> {
  for (const { tools } of toolSets) {
    for (const tool of tools) {
      if (!isJsonObject(tool) || measureDefinition(tool) > LONGEST_DEFINITION) continue;
      yield;
      inspectDefinition(tool);
      yield;
      splitTool(tool);
      yield;
      if (isJsonObject(tool['inputSchema'])) describeGaps(tool['inputSchema']);
    }
  }
}
