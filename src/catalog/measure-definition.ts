import { measureJson } from '../lib/json-size.js';
import { LONGEST_DEFINITION, type RawTool } from '../protocol/tools.js';

const lengths = new WeakMap<RawTool, number>();

/** About how many characters a tool's definition has; measured once, and no further than to the longest that is read. */
export function measureDefinition(tool: RawTool): number {
  const known = lengths.get(tool);
  if (known !== undefined) return known;
  const length = measureJson(tool, LONGEST_DEFINITION);
  lengths.set(tool, length);
  return length;
}
