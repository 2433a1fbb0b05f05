import type { Sliced } from '../lib/turns.js';
import { isJsonObject } from '../protocol/json.js';
import { LONGEST_DEFINITION, type RawTool, type ToolSet } from '../protocol/tools.js';
import { describeGaps } from '../schema/schema-gaps.js';
import { splitTool } from './grouped-tools/split-tool.js';
import { fingerprintTool } from './integrity/compare-tools.js';
import { inspectDefinition } from './integrity/inspect-definition.js';
import { measureDefinition } from './measure-definition.js';

/** Characters of definitions that are read in one slice: some milliseconds. */
const SLICE_CHARACTERS = 30_000;

/** Counted beside a definition's characters: a tool costs something even if it says nothing. */
const TOOL_CHARACTERS = 500;

/**
 * Reads what depends on one tool alone, in slices: fingerprints, suspicions, parts, gaps. Each is kept with its tool, so that
 * building the catalog afterwards, and again at the next change, looks them up.
 */
export function* prepareTools(toolSets: readonly ToolSet[]): Sliced<void> {
  yield* inSlices(
    toolSets.flatMap(({ tools }) => tools.filter(isJsonObject)),
    (tool) => tool,
    prepareTool,
  );
}

function prepareTool(tool: RawTool): void {
  if (measureDefinition(tool) > LONGEST_DEFINITION) return;
  fingerprintTool(tool);
  inspectDefinition(tool);
  splitTool(tool);
  if (isJsonObject(tool['inputSchema'])) describeGaps(tool['inputSchema']);
}

/** Does something with each item, and stops after tools of so many characters. */
export function* inSlices<Item, Result>(
  items: readonly Item[],
  toolOf: (item: Item) => RawTool,
  work: (item: Item, index: number) => Result,
): Sliced<readonly Result[]> {
  const results: Result[] = [];
  let characters = 0;
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    characters += TOOL_CHARACTERS + measureDefinition(toolOf(item));
    if (characters < SLICE_CHARACTERS) continue;
    characters = 0;
    yield;
  }
  return results;
}
