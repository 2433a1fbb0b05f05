import type { JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';

/** What a schema comes to; measured without recursion, since nothing is known of it yet. */
interface SchemaSize {
  /** Which bound it exceeds, in words. */
  readonly excess?: string;
  /** Whether it holds `unevaluatedItems` or `unevaluatedProperties`, for which a check keeps books. */
  readonly asksForUnseen: boolean;
}

/** The largest schema of 2,600 public tools has 1,236 parts in 84,000 characters. */
const MOST_PARTS = 20_000;
const MOST_CHARACTERS = 1_000_000;
const MOST_DEPTH = 200;

/** Measures a schema once; ends at the first bound. */
export const measureSchema = oncePer((schema: JsonSchema): SchemaSize => {
  let [parts, characters, asksForUnseen] = [0, 0, false];
  const open: (readonly [value: unknown, depth: number])[] = [[schema, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    const isPart = typeof value === 'object' && value !== null;
    const names = isPart && !Array.isArray(value) ? Object.keys(value) : [];
    parts += isPart ? 1 : 0;
    characters += lengthOf(value, names);
    asksForUnseen ||= names.some((name) => name === 'unevaluatedProperties' || name === 'unevaluatedItems');
    const excess = findExcess(parts, characters, depth);
    if (excess !== undefined) return { excess, asksForUnseen };
    if (!isPart) continue;
    for (const member of Object.values(value)) open.push([member, depth + 1]);
  }
  return { asksForUnseen };
});

/** Characters of the value itself; what a list or an object holds has its turn later, and counts one each for now. */
function lengthOf(value: unknown, names: readonly string[]): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.length;
  return names.reduce((sum, name) => sum + name.length, names.length);
}

function findExcess(parts: number, characters: number, depth: number): string | undefined {
  if (parts > MOST_PARTS) return `it has more than ${MOST_PARTS} parts`;
  if (characters > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`;
  return depth > MOST_DEPTH ? `it is nested more than ${MOST_DEPTH} deep` : undefined;
}
