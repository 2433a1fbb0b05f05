import { type DangerLevel, dangerRank, type Risk } from '../base/protocol/operation.js';
import type { ArgumentField } from './argument-fields.js';
import { effectOfValue } from './facts.js';
import { losesByState, losesByWord } from './judge-value.js';
import { saidToLose } from './read-value.js';
import { nameOf, type RiskContext, type RiskFinding } from './risk-rule.js';
import { EFFECTS, writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** Enumerations with these names sort, filter or grant; their values do nothing. */
const NO_ACTION =
  /(?:^|_)(?:sort|order|order_by|filter|events?|fields?|scopes?|permissions?|access|roles?|privileges?|format|view|reason|http|headers?)(?:_|$)/;
/** The values of these say how something looks, whatever they are called. */
const LOOKS = /(?:^|_)(?:styles?|transitions?|animations?|effects?|easing|themes?|colou?rs?|fonts?|icons?)(?:_|$)/;
const ACTION_LIST = wordList('action-list');
const ACTION_KEYS = ['type', 'op', 'action', 'operation'];
const LOSING_VALUE = /^(?:hard|forced?|rewrite|archived|hard_\w+|force_\w+)$/;
/** Parameters that hold the state that something takes. */
export const STATE = /(?:^|_)(?:status|state|phase|stage|disposition|resolution)$/;

/** The values of an enumeration that destroy, and those verbs in a list of free operations. */
export function findValues(field: ArgumentField, { category, facts }: RiskContext): RiskFinding | undefined {
  const { description, key, path, values, words } = field;
  const reads = category === 'READ';
  if (values.length === 0) return undefined;
  if (
    NO_ACTION.test(key) ||
    (reads && path.length < 2) ||
    (reads && !ACTION_LIST.has(splitWords(path[0] ?? '').join('_')))
  )
    return undefined;
  const said = path.length === 1 ? description : '';
  const dangerous = values.filter((value) =>
    reads
      ? changes(value)
      : (!LOOKS.test(key) && losesByValue(value, STATE.test(key) ? values : undefined)) ||
        saidToLose(facts.input.tool, said, value, values) !== undefined,
  );
  if (dangerous.length === 0 || words.length === 0) return undefined;
  const danger: DangerLevel = dangerous.some(isRun) || !reads ? 'destructive' : 'reversible';
  const shown = dangerous
    .slice(0, 4)
    .map((value) => `'${value}'`)
    .join(', ');
  return { when: { is: dangerous }, danger, reason: `parameter '${nameOf(field)}' may be ${shown}` };
}

function losesByValue(value: string, states?: readonly string[]): boolean {
  const words = splitWords(value);
  const effect = effectOfValue(value);
  return (
    LOSING_VALUE.test(words.join('_')) ||
    (states === undefined ? words.length === 1 && losesByWord(words[0] ?? '') : losesByState(value, states)) ||
    (effect !== undefined && dangerRank(EFFECTS[effect].danger) >= dangerRank('destructive'))
  );
}

function changes(value: string): boolean {
  const effect = effectOfValue(value);
  return effect !== undefined && writeShare(effect) > 0;
}

function isRun(value: string): boolean {
  const effect = effectOfValue(value);
  return effect === 'run' || (effect !== undefined && EFFECTS[effect].danger === 'destructive');
}

/** A list of operations whose form the schema leaves open: each may remove or replace. */
export function findFreeOperations({ composite, described, key, path }: ArgumentField): readonly Risk[] {
  if (!composite || described || path.length > 1 || !ACTION_LIST.has(key)) return [];
  return ACTION_KEYS.map((member) => ({
    path: [...path, member],
    when: { loses: 'state', listed: [] },
    danger: 'destructive',
    reason: `parameter '${key}' may hold operations that remove or replace`,
    simulated: true,
  }));
}
