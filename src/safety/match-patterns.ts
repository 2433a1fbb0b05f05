import type { AgentSettings } from '../config/safety-config.js';
import { type Budget, compileNameGlob, type Match, matchBudget, type NameGlob } from '../lib/glob.js';
import { spellAsRead } from '../lib/look-alikes.js';
import { alarmOf } from './alarming-words.js';
import type { Hint } from './read-hint.js';

/** The three lists of patterns, the strictest first: the first that matches counts. */
const LISTS = ['deny', 'requiresApproval', 'autoApprove'] as const;

type PatternList = (typeof LISTS)[number];

/** A pattern that an action matches. */
export interface PatternMatch {
  readonly list: PatternList;
  readonly pattern: string;
}

/** An agent's patterns, compiled once. */
export type ActionPatterns = Readonly<Record<PatternList, readonly ActionPattern[]>>;

interface ActionPattern {
  readonly pattern: string;
  /** Of one name or word. */
  readonly ofWord: NameGlob;
  /** The pattern anywhere in a text, where it begins and ends with a word. */
  readonly inText: readonly NameGlob[];
}

export function compilePatterns(settings: Pick<AgentSettings, PatternList>): ActionPatterns {
  return {
    deny: settings.deny.map(compilePattern),
    requiresApproval: settings.requiresApproval.map(compilePattern),
    autoApprove: settings.autoApprove.map(compilePattern),
  };
}

function compilePattern(pattern: string): ActionPattern {
  const plain = spellAsRead(pattern.normalize('NFKC')).toLowerCase();
  return {
    pattern,
    ofWord: compileNameGlob(plain),
    inText: [plain, `${plain} *`, `* ${plain}`, `* ${plain} *`].map(compileNameGlob),
  };
}

/**
 * The list that decides about an action, and its pattern; undefined where none matches. A pattern is held against the whole text, each part of
 * it that begins and ends with a word, and each name of a call: `delete_*` matches "calling delete_user on 5", and `rm -rf*` "then rm -rf /".
 * What cannot be decided in bounded work counts as denied and as needing approval, and not as approved.
 */
export function matchPatterns(hint: Hint, patterns: ActionPatterns): PatternMatch | undefined {
  const budget = matchBudget();
  for (const list of LISTS) {
    const isCertain = list === 'autoApprove';
    const counts = (match: Match): boolean => (isCertain ? match === 'yes' : match !== 'no');
    const found = patterns[list].find((pattern) => counts(matchAnywhere(pattern, hint, budget)));
    if (found === undefined) continue;
    if (isCertain && !approvesAll(hint, patterns.autoApprove, budget)) return undefined;
    return { list, pattern: found.pattern };
  }
  return undefined;
}

function matchAnywhere({ ofWord, inText }: ActionPattern, { plain, words, calls }: Hint, budget: Budget): Match {
  const names = new Set([...words, ...calls.flatMap(({ forms }) => forms)]);
  let doubt = false;
  for (const match of matchesOf(ofWord, inText, plain, names, budget)) {
    if (match === 'yes') return 'yes';
    doubt ||= match === 'doubt';
  }
  return doubt ? 'doubt' : 'no';
}

function* matchesOf(
  ofWord: NameGlob,
  inText: readonly NameGlob[],
  plain: string,
  names: ReadonlySet<string>,
  budget: Budget,
): Generator<Match> {
  for (const glob of inText) yield glob.match(plain, budget);
  for (const name of names) yield ofWord.match(name, budget);
}

/** An approved name must not carry another action with it: every call of the text is approved, and no word of it says that something is lost. */
function approvesAll(hint: Hint, approved: readonly ActionPattern[], budget: Budget): boolean {
  const isApproved = (form: string): boolean => approved.some(({ ofWord }) => ofWord.match(form, budget) === 'yes');
  const others = hint.calls.filter(({ forms }) => !forms.some(isApproved));
  if (others.length > 0) return false;
  const names = new Set(hint.calls.map(({ written }) => written.toLowerCase()));
  const prose = hint.words.filter((word) => !names.has(word) && !isApproved(word));
  return alarmOf(prose, prose.join(' ')) === undefined;
}
