import { type Budget, compileNameGlob, type Match, matchBudget, type NameGlob } from '../../base/lib/glob.js';
import { spellAsRead } from '../../base/lib/text.js';
import { type DangerLevel, type Operation, restrictedNames } from '../../base/protocol/operation.js';
import { type AgentSettings, RISK_TOLERANCES, type RiskTolerance } from '../../config/safety-config.js';
import { actionOf, alarmOf, type WordedDanger, worstOf } from './alarming-words.js';
import { type Hint, type MeantOperation, worstMeant } from './hints.js';

/** How the last step ended, as its agent says. */
export const OUTCOMES = ['success', 'failure', 'skipped'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What holds an agent up: a pause until a person confirms, one until a code is entered, or a block until a code is entered. */
export type Hold = 'confirm' | 'verify' | 'block';

/** What is known when an agent reports a step. */
export interface StepFacts {
  /** Steps since a person last confirmed that it may go on, with this one. */
  readonly count: number;
  readonly maxAutonomousSteps: number;
  readonly outcome?: Outcome | undefined;
  readonly pattern?: PatternMatch | undefined;
  readonly riskTolerance: RiskTolerance;
  /** What a person has agreed to of this very action: `confirm` all but codes, `verify` all but a pattern that denies. */
  readonly agreed?: 'confirm' | 'verify' | undefined;
  /** Rates the action; asked only where a stage needs it. */
  readonly risk: () => Risk;
}

/** What the evaluation of one step says. */
export interface Verdict {
  /** Absent where the agent may go on. */
  readonly hold?: Hold;
  readonly reason?: string;
  readonly factors: readonly string[];
  readonly score?: number;
  readonly tier?: SafetyTier;
}

/** An agent's patterns, compiled once. */
export type ActionPatterns = Readonly<Record<PatternList, readonly ActionPattern[]>>;

/** How an action of some risk is treated (specification, section 8.7.2). */
export type SafetyTier = 'advisory' | 'confirm' | 'verify' | 'danger_zone';

/** What a stage says; undefined where it has nothing to say and the next one follows. */
type Stage = (facts: StepFacts) => Verdict | undefined;

/** The highest score of each tier. */
const TIERS: readonly (readonly [SafetyTier, number])[] = [
  ['advisory', 30],
  ['confirm', 60],
  ['verify', 85],
  ['danger_zone', 100],
];

/** The stages of the specification, section 8.7.2, in their order: the first that says something ends the evaluation. */
const STAGES: readonly Stage[] = [limitSteps, readOutcome, applyPattern, applyTier, applyTolerance];

export function evaluateStep(facts: StepFacts): Verdict {
  for (const stage of STAGES) {
    const verdict = stage(facts);
    if (verdict !== undefined) return verdict;
  }
  return { ...rated(facts.risk()) };
}

function limitSteps({ count, maxAutonomousSteps }: StepFacts): Verdict | undefined {
  if (count <= maxAutonomousSteps) return undefined;
  const factors = [`step ${count}, and ${maxAutonomousSteps} are allowed without a person`];
  return { hold: 'confirm', reason: 'Step limit exceeded', factors };
}

function readOutcome({ outcome, agreed }: StepFacts): Verdict | undefined {
  if (outcome !== 'failure' || agreed !== undefined) return undefined;
  return { hold: 'confirm', reason: 'The previous step failed', factors: ["the previous step's outcome is 'failure'"] };
}

function applyPattern({ pattern, agreed }: StepFacts): Verdict | undefined {
  if (pattern === undefined) return undefined;
  const factors = [`the action matches '${pattern.pattern}' of ${pattern.list}`];
  if (pattern.list === 'deny') return { hold: 'block', reason: 'The operator denies this action', factors };
  if (pattern.list === 'autoApprove') return { factors };
  if (agreed !== undefined) return undefined;
  return { hold: 'confirm', reason: 'A person has to approve this action', factors };
}

function applyTier({ risk, agreed }: StepFacts): Verdict | undefined {
  const verdict = rated(risk());
  if (agreed === 'verify') return { ...verdict, factors: [...verdict.factors, 'a person verified this action'] };
  if (verdict.tier === 'danger_zone') return { ...verdict, hold: 'block', reason: 'The action is in the danger zone' };
  if (verdict.tier === 'verify') return { ...verdict, hold: 'verify', reason: 'A person has to verify this action' };
  return undefined;
}

/** Decides what tiers leave open: an advisory score only pauses where the tolerance is below it, a confirm score only where it is too. */
function applyTolerance({ risk, riskTolerance, agreed }: StepFacts): Verdict | undefined {
  const verdict = rated(risk());
  const most = RISK_TOLERANCES[riskTolerance];
  if (verdict.score <= most) return undefined;
  if (agreed !== undefined) return { ...verdict, factors: [...verdict.factors, 'a person confirmed this action'] };
  const factors = [...verdict.factors, `above ${most}, the most for risk tolerance '${riskTolerance}'`];
  return { ...verdict, hold: 'confirm', reason: 'A person has to confirm this action', factors };
}

function rated({ score, factors }: Risk): Verdict & { readonly score: number } {
  const tier = tierOf(score);
  return { score, tier, factors: [`risk ${score} of 100 (${tier})`, ...factors] };
}

/** The three lists of patterns, the strictest first: the first that matches counts. */
const LISTS = ['deny', 'requiresApproval', 'autoApprove'] as const;

const RESTRICTING = ['deny', 'requiresApproval'] as const satisfies readonly PatternList[];

type PatternList = (typeof LISTS)[number];

/** A pattern that an action matches. */
interface PatternMatch {
  readonly list: PatternList;
  readonly pattern: string;
}

interface ActionPattern {
  readonly pattern: string;
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

/** The strictest list that restricts an operation by any of its names, or of those of what it is a part of; undefined where none does. */
export function restrictionOn(operation: Operation, patterns: ActionPatterns): PatternMatch | undefined {
  const [budget, names] = [matchBudget(), wordsFor(operation)];
  for (const list of RESTRICTING) {
    const found = patterns[list].find(({ ofWord }) => names.some((name) => ofWord.match(name, budget) !== 'no'));
    if (found !== undefined) return { list, pattern: found.pattern };
  }
  return undefined;
}

/** Its names as patterns are written: `git push*` is about `git_push`, too. */
function wordsFor(operation: Operation): readonly string[] {
  return restrictedNames(operation).flatMap((name) => [name.toLowerCase(), name.toLowerCase().replaceAll('_', ' ')]);
}

/**
 * What decides about a step: the strictest list that matches what the agent said, what people are shown of it, or an operation that it names.
 * What the text names in other words is looked up, so a pattern holds whatever an operation is called.
 */
export function matchStep(
  said: readonly Hint[],
  meants: readonly MeantOperation[],
  patterns: ActionPatterns,
): PatternMatch | undefined {
  const ofNames = meants.flatMap(({ by, operation }) =>
    by === 'named' ? (restrictionOn(operation, patterns) ?? []) : [],
  );
  const ofTexts = said.map((hint) => matchPatterns(hint, patterns));
  const all = [...ofNames, ...ofTexts];
  const strictest = LISTS.flatMap((list) => all.find((match) => match?.list === list) ?? [])[0];
  // What one of the texts does not approve is not approved.
  return strictest?.list === 'autoApprove' && ofTexts.includes(undefined) ? undefined : strictest;
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

export function tierOf(score: number): SafetyTier {
  return TIERS.find(([, most]) => score <= most)?.[0] ?? 'danger_zone';
}

/** What an action risks, from 0 to 100, and why. */
interface Risk {
  readonly score: number;
  readonly factors: readonly string[];
}

/** What is known of the agent that is about to act. */
interface AgentHistory {
  /** How often it reported the same action before. */
  readonly repeated: number;
  /** How many of its steps have failed. */
  readonly failures: number;
}

/** The score of a danger level, within the range that the companion document "danger levels" gives it. */
const BASELINE: Readonly<Record<DangerLevel, number>> = {
  safe: 5,
  reversible: 22,
  destructive: 55,
  dangerous: 73,
  forbidden: 95,
};

/** An action of which nothing is known. */
const UNKNOWN = 28;

/** What repetition and failures add at most: they alone bring no action into the danger zone, and none that reads to a pause. */
const MOST_ADDED = 12;
const PER_REPETITION = 2;
const PER_FAILURE = 3;

/** Rates an action by the operation that it is about, by its words, and by what the agent did before. */
export function rateRisk(hint: Hint, meants: readonly MeantOperation[], { repeated, failures }: AgentHistory): Risk {
  const base = baseOf(hint, meants);
  const added = Math.min(MOST_ADDED, PER_REPETITION * Math.max(0, repeated - 1) + PER_FAILURE * failures);
  const isHeld = base.score > MOST_ADDED;
  return {
    score: isHeld ? Math.min(100, base.score + added) : base.score,
    factors: [
      ...base.factors,
      ...(isHeld && repeated > 1 ? [`the same action was reported ${repeated} times before`] : []),
      ...(isHeld && failures > 0 ? [`${failures} earlier step(s) failed`] : []),
    ],
  };
}

function baseOf(hint: Hint, meants: readonly MeantOperation[]): Risk {
  const operation = worstMeant(meants);
  const alarm = alarmOf(hint.words, hint.plain);
  const known = operation === undefined ? actionOf(hint.words) : describeOperation(operation);
  const worst = worstOf([known, alarm].filter((each): each is WordedDanger => each !== undefined));
  if (worst === undefined) return { score: UNKNOWN, factors: ['nothing is known of this action'] };
  return { score: BASELINE[worst.level], factors: [worst.reason] };
}

function describeOperation({ operation, danger, by, risks }: MeantOperation): WordedDanger {
  const subject = by === 'named' ? `operation '${operation.name}'` : `likely operation '${operation.name}'`;
  const why = [...risks, ...operation.classification.danger.reasons].slice(0, 2).join('; ');
  return { level: danger, reason: `${subject} is ${danger}: ${why}` };
}
