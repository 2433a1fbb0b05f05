import { type DangerLevel, dangerRank, type Risk } from '../base/protocol/operation.js';
import type { ArgumentField } from './argument-fields.js';
import { effectOfValue } from './facts.js';
import { losesByState, losesByWord } from './judge-value.js';
import { saidToLose } from './read-value.js';
import { nameOf, type RiskContext, type RiskFinding } from './risk-rule.js';
import { ACTION_KEYS, ACTION_LIST, LOOKS, LOSING_VALUE, NO_ACTION, STATE } from './risk-words.js';
import { EFFECTS, writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';

/** The values of an enumeration that destroy, and those verbs in a list of free operations. */
export function findValues(field: ArgumentField, { category, facts }: RiskContext): RiskFinding | undefined {
  const { description, key, path, values, words } = field;
  const reads = category === 'READ';
  if (values.length === 0) return undefined;
  if (
    NO_ACTION.test(key) ||
    (reads && path.length < 2) ||
    (reads && !ACTION_LIST.test(splitWords(path[0] ?? '').join('_')))
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
  if (!composite || described || path.length > 1 || !ACTION_LIST.test(key)) return [];
  return ACTION_KEYS.map((member) => ({
    path: [...path, member],
    when: { loses: 'state', listed: [] },
    danger: 'destructive',
    reason: `parameter '${key}' may hold operations that remove or replace`,
    simulated: true,
  }));
}
