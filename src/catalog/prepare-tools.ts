import type { Sliced } from '../lib/turns.js';
import { isJsonObject } from '../protocol/json.js';
import { LONGEST_DEFINITION, type RawTool, type ToolSet } from '../protocol/tools.js';
import { describeGaps } from '../schema/schema-gaps.js';
import { splitInSteps } from './grouped-tools/split-tool.js';
import { inspectDefinition } from './integrity/inspect-definition.js';
import { measureDefinition } from './measure-definition.js';

/**
 * Reads what depends on one tool alone, in slices: suspicions, parts, gaps. Each is kept with its tool, so that
 * building the catalog afterwards, and again at the next change, looks them up.
 */
export function* prepareTools(toolSets: readonly ToolSet[]): Sliced<void> {
  for (const { tools } of toolSets) {
    for (const tool of tools) {
      if (isJsonObject(tool)) yield* prepareTool(tool);
      yield;
    }
  }
}

function* prepareTool(tool: RawTool): Sliced<void> {
  if (measureDefinition(tool) > LONGEST_DEFINITION) return;
  inspectDefinition(tool);
  yield;
  yield* splitInSteps(tool);
  yield;
  if (isJsonObject(tool['inputSchema'])) describeGaps(tool['inputSchema']);
}
