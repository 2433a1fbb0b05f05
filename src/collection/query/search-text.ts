import type { TextQuery } from '../collection-query.js';
import { unmarked } from '../desk/exact-numbers.js';
import { foldText } from './fold-text.js';

/** Texts nested deeper are not searched. */
const MAX_DEPTH = 32;

const WORD_OR_PHRASE = /"([^"]*)"|[^\s"]+/g;

/** The words and quoted phrases of a search, each once, as `foldText` has them. */
export function parseTextQuery(text: string): TextQuery {
  const terms = Array.from(text.matchAll(WORD_OR_PHRASE), ([word, phrase]) => oneLine(foldText(phrase ?? word)).trim());
  return { terms: [...new Set(terms.filter((term) => term !== ''))] };
}

/**
 * The items in which any term stands, as part of any text or number, in their order (companion document "collection
 * querying", section 4.1). Keys are not searched.
 */
export function searchText(items: readonly unknown[], { terms }: TextQuery): readonly unknown[] {
  if (terms.length === 0) return items;
  const prepare = terms.some((term) => term.includes(' ')) ? (text: string) => oneLine(foldText(text)) : foldText;
  const isHit = (text: string): boolean => {
    const prepared = prepare(text);
    return terms.some((term) => prepared.includes(term));
  };
  return items.filter((item) => anyTextIn(item, isHit, 0));
}

/** A phrase is found across a line break. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function anyTextIn(value: unknown, isHit: (text: string) => boolean, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'number') return isHit(String(unmarked(value)));
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return false;
  return Object.values(value).some((member) => anyTextIn(member, isHit, depth + 1));
}
