import type { Category } from '../base/protocol/operation.js';
import { CONFIDENCE_WEIGHTS, ON_NEW_SERVERS } from './confidence-weights.js';
import type { ToolFacts } from './facts.js';
import type { Signal } from './rule.js';
import { hasSenses } from './words/find-verb.js';
import { EFFECTS, type EffectTraits, LEXICON, readShare, writeShare } from './words/lexicon.js';

/** A decided category with all that was weighed for it. */
export interface Weighed {
  readonly category: Category;
  readonly signals: readonly Signal[];
  /** The decided category's share of the weight of all evidence, 0 to 1. */
  readonly share: number;
  /** The share of the category that is next to it. */
  readonly second: number;
  /** The weight of all evidence. */
  readonly total: number;
  /** Whether it is the most dangerous of a grouped tool's values. */
  readonly grouped: boolean;
  /** Whether it runs arbitrary input. */
  readonly runs: boolean;
  /** Whether the author's hint says the contrary. */
  readonly contradicted: boolean;
  /** What the texts and parameters give reason to doubt. */
  readonly doubts: Doubts;
}

/** Reasons to doubt a decision that are no evidence for another one. */
interface Doubts {
  /** It changes something and takes no parameter: what changes something is mostly given what. */
  readonly takesNothing: boolean;
  /** The description says when the tool is of use, not what it does. */
  readonly occasion: boolean;
  /** It changes something, and the description says what it does not do. */
  readonly denies: boolean;
  /** What is run only reads: "Run diagnostics". */
  readonly runsReading: boolean;
  /** It changes something, and the description offers guidance. */
  readonly guides: boolean;
  /** There is a description, and no sentence of it says in known words what the tool does. */
  readonly unread: boolean;
}

/** What the signals of a decision say, read once for all features. */
interface Account {
  readonly weighed: Weighed;
  nameAgrees: boolean;
  nameDisagrees: boolean;
  textAgrees: boolean;
  textDisagrees: boolean;
  manySenses: boolean;
  verbless: boolean;
  unknownDeed: boolean;
  hintAgrees: boolean;
  reads: boolean;
  writes: boolean;
}

/** One property of a decision, 0 to 1, that makes it more or less probable to be right. */
interface Feature {
  readonly id: string;
  readonly of: (account: Account) => number;
}

/** What the confidence is learned from. `confidence-weights.ts` has one weight for each, in this order. */
export const FEATURES: readonly Feature[] = [
  { id: 'always', of: () => 1 },
  { id: 'share of the weight', of: ({ weighed }) => weighed.share },
  { id: 'weight of all evidence', of: ({ weighed }) => Math.min(1, weighed.total / SATURATED) },
  { id: 'the name says so', of: ({ nameAgrees }) => Number(nameAgrees) },
  { id: 'the name says otherwise', of: ({ nameDisagrees }) => Number(nameDisagrees) },
  { id: 'the description says so', of: ({ textAgrees }) => Number(textAgrees) },
  { id: 'the description says otherwise', of: ({ textDisagrees }) => Number(textDisagrees) },
  { id: 'a verb with several senses', of: ({ manySenses }) => Number(manySenses) },
  {
    id: 'a verb that is also a noun',
    of: ({ weighed: { signals } }) => Number(LEXICON.get(signals[0]?.word ?? '')?.nounness !== 'never'),
  },
  { id: 'no verb', of: ({ verbless }) => Number(verbless) },
  { id: 'a verb of which no more is known', of: ({ unknownDeed }) => Number(unknownDeed) },
  { id: 'a hint says so', of: ({ hintAgrees }) => Number(hintAgrees) },
  { id: 'a hint says otherwise', of: ({ weighed }) => Number(weighed.contradicted) },
  { id: 'READ', of: ({ weighed }) => Number(weighed.category === 'READ') },
  { id: 'some evidence changes, some reads', of: ({ reads, writes }) => Number(reads && writes) },
  { id: 'the share of another category', of: ({ weighed }) => weighed.second },
  { id: 'a change that takes nothing', of: ({ weighed: { doubts } }) => Number(doubts.takesNothing) },
  { id: 'an occasion is described', of: ({ weighed: { doubts } }) => Number(doubts.occasion) },
  { id: 'a change whose description denies something', of: ({ weighed: { doubts } }) => Number(doubts.denies) },
  { id: 'what is run reads', of: ({ weighed: { doubts } }) => Number(doubts.runsReading) },
  { id: 'a change whose description guides', of: ({ weighed: { doubts } }) => Number(doubts.guides) },
  { id: 'a description without a known verb', of: ({ weighed: { doubts } }) => Number(doubts.unread) },
  { id: 'one of several values', of: ({ weighed }) => Number(weighed.grouped) },
  { id: 'runs arbitrary input', of: ({ weighed }) => Number(weighed.runs) },
];

const DENIAL = /\b(?:does not|doesn't|will not|won't|cannot|NOT)\b/;
const GUIDING =
  /\b(?:guidance|guidelines?|instructions|runbook|best practices|step-by-step|points you|tells you|workflow)\b/i;
/** What a tool does is said in so many first characters. */
const SAID_WITHIN = 400;

/** What in a tool gives reason to doubt whatever is decided. */
export function readDoubts({ parameters, description, descriptionText, input }: ToolFacts, category: Category): Doubts {
  const [head] = description.matches;
  const changes = category !== 'READ';
  const text = changes ? descriptionText.slice(0, SAID_WITHIN) : '';
  return {
    takesNothing: changes && parameters.length === 0,
    occasion: head?.occasion === true,
    denies: DENIAL.test(text),
    runsReading: changes && head?.objectEffect !== undefined && readShare(head.objectEffect) > 0,
    guides: GUIDING.test(text),
    unread: head === undefined && descriptionText !== '' && input.groupValue === undefined,
  };
}

/** The weight from which one sign is plain, and the total from which more adds nothing. */
const PLAIN = 5;
const SATURATED = 20;
/** From this share of its votes an effect stands for a category. */
const STANDS_FOR = 0.4;

function readAccount(weighed: Weighed): Account {
  const account: Account = {
    weighed,
    nameAgrees: false,
    nameDisagrees: false,
    textAgrees: false,
    textDisagrees: false,
    manySenses: false,
    verbless: false,
    unknownDeed: false,
    hintAgrees: false,
    reads: false,
    writes: false,
  };
  for (const signal of weighed.signals) addSignal(account, signal);
  return account;
}

function addSignal(account: Account, { effect, rule, weight, word = '' }: Signal): void {
  const { votes }: EffectTraits = EFFECTS[effect];
  const agrees = (votes[account.weighed.category] ?? 0) >= STANDS_FOR;
  const plain = weight >= PLAIN;
  if (rule.looksAt === 'name') {
    account.nameAgrees ||= agrees;
    account.nameDisagrees ||= plain && !agrees;
  } else if (rule.looksAt === 'description') {
    account.textAgrees ||= agrees;
    account.textDisagrees ||= plain && !agrees;
  } else if (rule.looksAt === 'annotations') {
    account.hintAgrees ||= agrees;
  }
  account.manySenses ||= plain && hasSenses(word);
  account.verbless ||= rule.id === 'description-information';
  account.unknownDeed ||= rule.id === 'description-deed' || rule.id === 'name-deed';
  const changes = writeShare(effect) > 0;
  account.writes ||= changes;
  account.reads ||= !changes;
}

/** The features of a decision, in the order of `FEATURES`. */
export function readFeatures(weighed: Weighed): readonly number[] {
  const account = readAccount(weighed);
  return FEATURES.map(({ of }) => of(account));
}

/** What the confidence is rated by. */
export interface LearnedConfidence {
  /** One for each feature. */
  readonly weights: readonly number[];
  readonly calibration: typeof ON_NEW_SERVERS;
}

const LEARNED: LearnedConfidence = { weights: CONFIDENCE_WEIGHTS, calibration: ON_NEW_SERVERS };

/** The sum that the weights give for a decision: the log odds that it is right, on servers that the rules were written for. */
export function scoreOf(features: readonly number[], weights: readonly number[]): number {
  return features.reduce((sum, feature, index) => sum + feature * (weights[index] ?? 0), 0);
}

/** The probability that a decision is right on a server that nobody had in view, learned from labelled tools. */
export function rateConfidence(
  weighed: Weighed,
  { weights, calibration: { offset, slope } }: LearnedConfidence = LEARNED,
): number {
  const probability = 1 / (1 + Math.exp(-(offset + slope * scoreOf(readFeatures(weighed), weights))));
  return Math.round(Math.max(LEAST, Math.min(MOST, probability)) * 100) / 100;
}

/** A decision that is less probably right than this counts as not understood. */
export const UNDERSTOOD = 0.16;

/** No decision of the weighing is certain, and none is worse than a guess. */
const LEAST = 0.1;
const MOST = 0.99;
