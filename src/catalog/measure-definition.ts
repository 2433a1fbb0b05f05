import type { RawTool } from '../protocol/tools.js';

/** The longest of 2,600 public tools has 84,000 characters. No model reads a definition of this length. */
export const LONGEST_DEFINITION = 1_000_000;

const lengths = new WeakMap<RawTool, number>();

/** About how many characters a tool's definition has; measured once, and no further than to the longest that is read. */
export function measureDefinition(tool: RawTool): number {
  const known = lengths.get(tool);
  if (known !== undefined) return known;
  const length = measure(tool);
  lengths.set(tool, length);
  return length;
}

/** Without recursion: nothing is known of the depth yet. */
function measure(tool: RawTool): number {
  let length = 0;
  const open: unknown[] = [tool];
  while (open.length > 0 && length <= LONGEST_DEFINITION) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length + 2;
    else if (Array.isArray(next)) {
      length += next.length;
      if (length <= LONGEST_DEFINITION) for (const item of next) open.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        length += name.length + 4;
        open.push(member);
      }
    } else length += 4;
  }
  return length;
}
