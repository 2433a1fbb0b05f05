import type { Category, DangerLevel } from '../../base/protocol/operation.js';
import { wordEntries } from './word-lists.js';

/**
 * How often a word of a tool's name is a noun although it is a verb too: `never` (delete), `often` (list, run: a verb when
 * the name has no clearer one), `mostly` (issue, log: a verb only where the grammar leaves no choice).
 */
export type Nounness = 'never' | 'often' | 'mostly';

export interface Verb {
  readonly lemma: string;
  readonly effect: Effect;
  readonly nounness: Nounness;
}

/** What one effect means for an operation. */
export interface EffectTraits {
  /** How strongly it counts for each category, 0 to 1. */
  readonly votes: Readonly<Partial<Record<Category, number>>>;
  /** The lowest danger of an operation that plainly has this effect. */
  readonly danger: DangerLevel;
  /** How it is worded in evidence: "verb 'list' reads". */
  readonly phrase: string;
}

/** How a verb is inflected; coordinated verbs of one sentence share it ("Gets ... or creates"). */
export type VerbForm = 'base' | 'third' | 'gerund';

export interface InflectedVerb extends Verb {
  readonly form: VerbForm;
}

/** Every known verb by its base form: English API verbs, each in one list. */
export const LEXICON: ReadonlyMap<string, Verb> = new Map(
  wordEntries('verbs').flatMap(([key, lemmas]) => {
    const [nounness, effect] = key.split(' ') as [Nounness, Effect];
    return lemmas.map((lemma) => [lemma, { lemma, effect, nounness }] as const);
  }),
);

const effect = (votes: EffectTraits['votes'], phrase: string, danger: DangerLevel = 'reversible'): EffectTraits => ({
  votes,
  danger,
  phrase,
});

/**
 * What verbs do, finer than the five categories: two effects of one category can differ in danger, and some verbs are
 * between two categories. Votes follow MCP-AQL 8.1 and the CRUDE guide 6.4 (an upsert creates, sending is external).
 */
export const EFFECTS = {
  read: effect({ READ: 1 }, 'reads', 'safe'),
  check: effect({ READ: 1 }, 'checks without changing', 'safe'),
  compute: effect({ READ: 1 }, 'computes an answer', 'safe'),
  download: effect({ READ: 1 }, 'hands out a copy', 'safe'),
  create: effect({ CREATE: 1 }, 'creates'),
  add: effect({ CREATE: 1, UPDATE: 0.4 }, 'adds'),
  upsert: effect({ CREATE: 1, UPDATE: 0.6 }, 'creates or updates', 'destructive'),
  update: effect({ UPDATE: 1 }, 'changes'),
  sync: effect({ UPDATE: 1, EXECUTE: 0.6 }, 'brings another side up to date'),
  overwrite: effect({ UPDATE: 1 }, 'overwrites', 'destructive'),
  reset: effect({ UPDATE: 1, EXECUTE: 0.4 }, 'throws away the present state', 'destructive'),
  detach: effect({ UPDATE: 1, DELETE: 0.5 }, 'takes apart what belonged together'),
  delete: effect({ DELETE: 1 }, 'removes', 'destructive'),
  purge: effect({ DELETE: 1 }, 'removes everything', 'destructive'),
  send: effect({ EXECUTE: 1, CREATE: 0.4 }, 'sends to others'),
  publish: effect({ EXECUTE: 1, UPDATE: 0.6 }, 'makes effective for others'),
  lifecycle: effect({ EXECUTE: 1 }, 'drives something that runs'),
  interact: effect({ EXECUTE: 1 }, 'acts on a user interface'),
  run: effect({ EXECUTE: 1 }, 'runs'),
  rebuild: effect({ EXECUTE: 1, UPDATE: 0.4 }, 'replaces by a rebuilt one', 'destructive'),
  pay: effect({ EXECUTE: 1 }, 'commits money or a contract', 'destructive'),
  /** A write of an unknown kind. */
  write: effect({ EXECUTE: 1, UPDATE: 0.9, CREATE: 0.7, DELETE: 0.5 }, 'writes'),
  /** A deed of which English says that it is one, and no more. */
  act: effect({ EXECUTE: 1, UPDATE: 0.6, CREATE: 0.6 }, 'does something'),
  end: effect({ EXECUTE: 1, DELETE: 0.6 }, 'ends for good', 'destructive'),
  manage: effect({ UPDATE: 1, EXECUTE: 0.6 }, 'manages'),
} as const satisfies Readonly<Record<string, EffectTraits>>;

export type Effect = keyof typeof EFFECTS;

/** Writes from the least to the most dangerous, READ first: doubt takes the later one. */
export const CATEGORY_SEVERITY: readonly Category[] = ['READ', 'CREATE', 'UPDATE', 'EXECUTE', 'DELETE'];

/** How strongly an effect counts for READ, 0 to 1. */
export function readShare(name: Effect): number {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  return votes.READ ?? 0;
}

/** How strongly an effect counts for any write, 0 to 1. */
export function writeShare(name: Effect): number {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  return Math.max(votes.CREATE ?? 0, votes.UPDATE ?? 0, votes.DELETE ?? 0, votes.EXECUTE ?? 0);
}

/** The category that an effect counts for most; a tie takes the more dangerous. */
export function leadingCategory(name: Effect): Category {
  const votes: EffectTraits['votes'] = EFFECTS[name].votes;
  const strength = (category: Category): number => votes[category] ?? 0;
  return CATEGORY_SEVERITY.reduce((best, category) => (strength(category) >= strength(best) ? category : best));
}

/** What a second verb means behind a first: "create or update" is one upsert. */
export function joinEffects(first: Effect, second: Effect, word: string): Effect {
  const creates = first === 'create' || first === 'add' || first === 'upsert';
  return creates && second === 'update' && REPLACING.has(word) ? 'upsert' : second;
}

/** "Create or update" is one upsert; "creates and moves" is none. */
const REPLACING: ReadonlySet<string> = new Set(['update', 'modify', 'edit', 'change', 'set', 'replace', 'patch']);

export const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
