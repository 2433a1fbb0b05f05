import type { Operator } from '../collection-query.js';

export const OPERATORS = [
  'equals',
  'in',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'exists',
  'pattern',
] as const satisfies readonly Operator[];

/**
 * What other query languages call their operators, and ours of that meaning, where there is one. Such a key is a mistaken
 * operator and no nested field: the answer is then one about operators.
 */
const FOREIGN: ReadonlyMap<string, Operator | undefined> = new Map<string, Operator | undefined>([
  ['=', 'equals'],
  ['==', 'equals'],
  ['eq', 'equals'],
  ['is', 'equals'],
  ['equal', 'equals'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['ge', 'gte'],
  ['le', 'lte'],
  ['greater_than', 'gt'],
  ['less_than', 'lt'],
  ['after', 'gt'],
  ['before', 'lt'],
  ['min', 'gte'],
  ['max', 'lte'],
  ['any', 'in'],
  ['any_of', 'in'],
  ['one_of', 'in'],
  ['includes', 'contains'],
  ['icontains', 'contains'],
  ['like', 'pattern'],
  ['ilike', 'pattern'],
  ['regex', 'pattern'],
  ['matches', 'pattern'],
  ['glob', 'pattern'],
  ['starts_with', 'pattern'],
  ['startswith', 'pattern'],
  ['ends_with', 'pattern'],
  ['endswith', 'pattern'],
  ['between', 'gte'],
  ['!=', undefined],
  ['ne', undefined],
  ['neq', undefined],
  ['not', undefined],
  ['not_equals', undefined],
  ['not_in', undefined],
  ['nin', undefined],
  ['and', undefined],
  ['or', undefined],
]);

export function isOperator(key: string): key is Operator {
  return (OPERATORS as readonly string[]).includes(key);
}

/** Whether a key is some language's operator: `$gt`, `not_in`, `>=`, or one of ours. */
export function looksLikeOperator(key: string): boolean {
  return isOperator(key) || key.startsWith('$') || FOREIGN.has(key.toLowerCase());
}

/** Our operator of the same meaning. */
export function nearestOperator(key: string): Operator | undefined {
  const word = key.replace(/^\$/, '').toLowerCase();
  return isOperator(word) ? word : FOREIGN.get(word);
}
