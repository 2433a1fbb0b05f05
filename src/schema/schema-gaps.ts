import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { quoteValue } from '../base/lib/text.js';
import { measureSchema } from './schema-size.js';
import { translatePattern } from './translate-pattern.js';

const MOST_NAMED = 3;

/** What of a schema is not checked before a call is sent, in words for operators; undefined where all of it is. */
export const describeGaps = oncePer((schema: JsonSchema): string | undefined => {
  const { excess } = measureSchema(schema);
  if (excess !== undefined) {
    return `its schema is too large to check (${excess}): names, required parameters and plain types are checked`;
  }
  const gaps = findPatternGaps(schema);
  if (gaps.length === 0) return undefined;
  const named = gaps.slice(0, MOST_NAMED).join(', ');
  const more = gaps.length > MOST_NAMED ? ` and ${gaps.length - MOST_NAMED} more` : '';
  return `texts are not held against ${gaps.length === 1 ? 'its pattern' : 'its patterns'} ${named}${more}: the upstream does`;
});

function findPatternGaps(schema: JsonSchema): readonly string[] {
  const gaps = new Set<string>();
  const open: unknown[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const pattern of isJsonObject(next) ? patternsOf(next) : []) {
      const { gap } = translatePattern(pattern);
      if (gap !== undefined) gaps.add(`${quoteValue(pattern)} (${gap})`);
    }
    for (const member of Object.values(next)) open.push(member ?? false);
  }
  return [...gaps].sort();
}

function patternsOf({ pattern, patternProperties }: JsonSchema): readonly string[] {
  const keys = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === 'string' ? [pattern, ...keys] : keys;
}
