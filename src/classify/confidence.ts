import type { Category } from '../protocol/operation.js';
import { CONFIDENCE_WEIGHTS } from './confidence-weights.js';
import type { Signal } from './decide-category.js';
import { EFFECTS, type EffectTraits, hasSenses, LEXICON, writeShare } from './lexicon.js';

/** A decided category with all that was weighed for it. */
export interface Weighed {
  readonly category: Category;
  readonly signals: readonly Signal[];
  /** The decided category's share of the weight of all evidence, 0 to 1. */
  readonly share: number;
  /** The weight of all evidence. */
  readonly total: number;
  /** Whether it is the most dangerous of a grouped tool's values. */
  readonly grouped: boolean;
  /** Whether it runs arbitrary input. */
  readonly runs: boolean;
  /** Whether the author's hint says the contrary. */
  readonly contradicted: boolean;
}

/** One property of a decision, 0 to 1, that makes it more or less probable to be right. */
export interface Feature {
  readonly id: string;
  readonly of: (weighed: Weighed) => number;
}

/** The weight from which one sign is plain, and the total from which more adds nothing. */
const PLAIN = 5;
const SATURATED = 20;

/** What the confidence is learned from. `confidence-weights.ts` has one weight for each, in this order. */
export const FEATURES: readonly Feature[] = [
  { id: 'always', of: () => 1 },
  { id: 'share of the weight', of: ({ share }) => share },
  { id: 'weight of all evidence', of: ({ total }) => Math.min(1, total / SATURATED) },
  { id: 'the name says so', of: has((signal, { category }) => isAbout(signal, 'name') && agrees(signal, category)) },
  {
    id: 'the name says otherwise',
    of: has((signal, { category }) => isPlain(signal, 'name') && !agrees(signal, category)),
  },
  {
    id: 'the description says so',
    of: has((signal, { category }) => isAbout(signal, 'description') && agrees(signal, category)),
  },
  {
    id: 'the description says otherwise',
    of: has((signal, { category }) => isPlain(signal, 'description') && !agrees(signal, category)),
  },
  { id: 'a verb with several senses', of: has(({ word = '', weight }) => weight >= PLAIN && hasSenses(word)) },
  {
    id: 'a verb that is also a noun',
    of: ({ signals: [strongest] }) => Number(LEXICON.get(strongest?.word ?? '')?.nounness !== 'never'),
  },
  { id: 'no verb', of: has(({ rule }) => rule.id === 'description-information' || rule.id === 'name-thing') },
  { id: 'a hint says so', of: has((signal, { category }) => isHint(signal) && agrees(signal, category)) },
  { id: 'a hint says otherwise', of: ({ contradicted }) => Number(contradicted) },
  { id: 'READ', of: ({ category }) => Number(category === 'READ') },
  { id: 'some evidence changes, some reads', of: ({ signals }) => Number(reads(signals) && writes(signals)) },
  { id: 'one of several values', of: ({ grouped }) => Number(grouped) },
  { id: 'runs arbitrary input', of: ({ runs }) => Number(runs) },
];

function has(fits: (signal: Signal, weighed: Weighed) => boolean): Feature['of'] {
  return (weighed) => Number(weighed.signals.some((signal) => fits(signal, weighed)));
}

const isAbout = ({ rule }: Signal, part: 'name' | 'description'): boolean => rule.looksAt === part;
const isPlain = (signal: Signal, part: 'name' | 'description'): boolean =>
  isAbout(signal, part) && signal.weight >= PLAIN;
const isHint = ({ rule }: Signal): boolean => rule.looksAt === 'annotations';
const reads = (signals: readonly Signal[]): boolean => signals.some(({ effect }) => writeShare(effect) === 0);
const writes = (signals: readonly Signal[]): boolean => signals.some(({ effect }) => writeShare(effect) > 0);

/** From this share of its votes an effect stands for a category. */
const STANDS_FOR = 0.4;

function agrees({ effect }: Signal, category: Category): boolean {
  const { votes }: EffectTraits = EFFECTS[effect];
  return (votes[category] ?? 0) >= STANDS_FOR;
}

/** The probability that a decision is right, learned from labelled tools. */
export function rateConfidence(weighed: Weighed, weights: readonly number[] = CONFIDENCE_WEIGHTS): number {
  const score = FEATURES.reduce((sum, { of }, index) => sum + of(weighed) * (weights[index] ?? 0), 0);
  const probability = 1 / (1 + Math.exp(-score));
  return Math.round(Math.max(LEAST, Math.min(MOST, probability)) * 100) / 100;
}

/** No decision of the weighing is certain, and none is worse than a guess. */
const LEAST = 0.1;
const MOST = 0.99;
