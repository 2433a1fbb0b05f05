import { quoteValue, quoteValues } from '../../catalog/schema/quote-value.js';
import type { ParamCondition } from '../../config/policy-config.js';

/** What a condition asks: `is greater than 100`, and `be greater than 100` after a verb such as `may`. */
export interface ConditionWords {
  readonly does: string;
  readonly would: string;
}

const IS = ['is', 'be'] as const;

type Phrase = readonly [does: string, would: string, rest: string];

const PHRASES = {
  present: (expected: boolean): Phrase => [...IS, expected ? 'given' : 'absent'],
  equals: (expected: unknown): Phrase => ['equals', 'equal', quoteValue(expected)],
  in: (expected: readonly unknown[]): Phrase => [...IS, `one of ${quoteValues(expected)}`],
  gt: (bound: number): Phrase => [...IS, `greater than ${bound}`],
  gte: (bound: number): Phrase => [...IS, `at least ${bound}`],
  lt: (bound: number): Phrase => [...IS, `less than ${bound}`],
  lte: (bound: number): Phrase => [...IS, `at most ${bound}`],
  glob: (patterns: readonly string[]): Phrase => ['matches', 'match', quoteValues(patterns, ' or ')],
} satisfies {
  readonly [Key in keyof Required<ParamCondition>]: (expected: NonNullable<ParamCondition[Key]>) => Phrase;
};

export function conditionInWords(condition: ParamCondition): ConditionWords {
  const asked = Object.keys(condition).length > 0 ? condition : { present: true };
  const phrases = Object.entries(asked).flatMap(([key, expected]) =>
    expected === undefined ? [] : [phraseOf(key as keyof ParamCondition, expected)],
  );
  const join = (verb: 0 | 1): string => phrases.map((phrase) => `${phrase[verb]} ${phrase[2]}`).join(' and ');
  return { does: join(0), would: join(1) };
}

function phraseOf(key: keyof ParamCondition, expected: unknown): Phrase {
  const phrase = PHRASES[key] as (expected: unknown) => Phrase;
  return phrase(expected);
}
