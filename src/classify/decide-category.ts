import type { Category } from '../base/protocol/operation.js';
import { type LearnedConfidence, rateConfidence, readDoubts, UNDERSTOOD, type Weighed } from './confidence.js';
import { findRunner } from './deciding.js';
import { effectOfValue, type ToolFacts } from './facts.js';
import { findReadingChoice } from './reading-choice.js';
import type { Rule, Signal } from './rule.js';
import { RULES } from './rules.js';
import {
  CATEGORY_SEVERITY,
  EFFECTS,
  type EffectTraits,
  leadingCategory,
  readShare,
  writeShare,
} from './words/lexicon.js';

export interface Decision {
  readonly category: Category;
  /** 0 to 1. */
  readonly confidence: number;
  /** Strongest first. */
  readonly evidence: readonly string[];
  /** Every match; the danger is assessed from them too. */
  readonly signals: readonly Signal[];
  /** What the tool runs, where it runs arbitrary input. */
  readonly runner?: string;
  /** What the confidence was rated by; nothing where nothing says what the tool does. */
  readonly weighed?: Weighed;
}

const WRITES = CATEGORY_SEVERITY.filter((category) => category !== 'READ');
/** READ needs three times the weight of all evidence for a write. */
const READ_MAJORITY = 3;
/** READ also needs at least this weight: more than one weak sign. */
const READ_MINIMUM = 5;
/** Categories of writes within this share of the strongest are in doubt, and doubt takes the most dangerous. */
const CLOSE = 0.8;
/** The weight from which a write is plain: the leading verb of the name, or the verb of the description. */
const PLAIN = 8;

/** What is not listened to, which shows what a rule yields, and how decisions go wrong where a name is not understood. */
interface Deaf {
  readonly to?: (rule: Rule) => boolean;
}

/** Weighs all rules and decides one category; `RULES` and `EFFECTS` define what counts for what. */
export function decideCategory(facts: ToolFacts, learned?: LearnedConfidence, deaf: Deaf = {}): Decision {
  const decision = weigh(facts, deaf);
  const { weighed } = decision;
  if (weighed === undefined) return decision;
  const confidence = rateConfidence(weighed, learned);
  if (contradictingHint(facts, decision.category) === undefined) return { ...decision, confidence };
  // A contradiction by itself does not make a decision one that is not understood.
  const contradicted = { ...weighed, contradicted: true };
  const least = Math.min(confidence, UNDERSTOOD);
  return { ...decision, confidence: Math.max(rateConfidence(contradicted, learned), least), weighed: contradicted };
}

/** The author's hint that says the contrary of a category. */
export function contradictingHint({ annotations }: ToolFacts, category: Category): string | undefined {
  const { readOnlyHint, destructiveHint } = annotations;
  if (category !== 'READ') return readOnlyHint === true ? 'readOnlyHint=true' : undefined;
  if (readOnlyHint === false) return 'readOnlyHint=false';
  return destructiveHint === true ? 'destructiveHint=true' : undefined;
}

function weigh(facts: ToolFacts, { to }: Deaf): Decision {
  const signals = collectSignals(facts).filter(({ rule }) => to?.(rule) !== true);
  const runner = findRunner(facts);
  if (runner !== undefined) {
    const evidence = [`runs arbitrary ${runner}`, ...wordEvidence(signals)];
    return { ...decided('EXECUTE', signals, evidence, facts, { runs: true }), runner };
  }
  return decideGrouped(facts, signals) ?? decideReadingChoice(facts, signals) ?? decideByWeight(facts, signals);
}

/** The matches of all rules, heaviest first. A read-only hint does not count beside a plain write unless trust is high. */
function collectSignals(facts: ToolFacts): readonly Signal[] {
  const rules = facts.input.groupValue === undefined ? RULES : RULES.filter(({ wholeTool }) => wholeTool !== true);
  const signals: Signal[] = [];
  // Most rules find nothing: loops without a copy for each of them halve what a large catalog costs here.
  for (const rule of rules) {
    for (const { effect, says, word, share } of rule.find(facts)) {
      signals.push({ effect, says, word, share, rule, weight: rule.weight * (share ?? 1) });
    }
  }
  const plain = signals.some((signal) => isPlainWrite(signal) && signal.rule.looksAt !== 'annotations');
  const kept = plain
    ? signals.filter(({ rule, share }) => rule.id !== 'annotation-read-only' || (share ?? 1) > 1)
    : signals;
  return kept.sort((a, b) => b.weight - a.weight);
}

/** Whether a signal by itself is enough to call the tool a write. */
function isPlainWrite(signal: Signal): boolean {
  return signal.weight >= PLAIN && writeShare(signal.effect) > 0;
}

/** A grouped tool that was not split can do all that its values do: it takes the most dangerous of their categories. */
function decideGrouped(facts: ToolFacts, signals: readonly Signal[]): Decision | undefined {
  if (facts.grouping === null) return undefined;
  const { parameter, values } = facts.grouping;
  const categories = values
    .map(effectOfValue)
    .flatMap((effect) => (effect === undefined ? [] : [leadingCategory(effect)]));
  const category = CATEGORY_SEVERITY.findLast((one) => categories.includes(one));
  if (category === undefined) return undefined;
  const examples = values.slice(0, 8).join(', ');
  const evidence = [
    `parameter '${parameter}' chooses the effect (${examples}): the most dangerous counts`,
    ...wordEvidence(signals),
  ];
  return decided(category, signals, evidence, facts, { grouped: true });
}

/** Whether the author says that the tool changes something, and tells such tools from others. */
function isDenied({ annotations, input, name, parameters }: ToolFacts): boolean {
  // What plainly gets or lists may leave a trace, and reads all the same.
  if (name.some(({ role, effect }) => role !== 'inner' && effect === 'read')) return false;
  // So does what works on a text that it is given.
  if (parameters.some(({ material }) => material)) return false;
  return annotations['readOnlyHint'] === false && input.tellsReadsApart === true && input.groupValue === undefined;
}

/** A tool that only bundles reads ("Manage crews: list, get") reads, where no other verb of its texts changes something. */
function decideReadingChoice(facts: ToolFacts, signals: readonly Signal[]): Decision | undefined {
  const { input, parameters } = facts;
  if (input.groupValue !== undefined) return undefined;
  const parameter = findReadingChoice(input.tool, parameters);
  const changes = ({ effect, rule, word }: Signal): boolean =>
    writeShare(effect) > 0 &&
    effect !== 'manage' &&
    word !== 'select' &&
    (rule.looksAt !== 'description' || rule.id === 'description-head');
  if (parameter === undefined || signals.some(changes) || isDenied(facts)) return undefined;
  const evidence = [`parameter '${parameter}' chooses among actions that all read`, ...wordEvidence(signals)];
  return decided('READ', signals, evidence, facts, { grouped: true });
}

function decideByWeight(facts: ToolFacts, signals: readonly Signal[]): Decision {
  const reads = sum(signals, ({ effect }) => readShare(effect));
  const writes = sum(signals, ({ effect }) => writeShare(effect));
  const evidence = wordEvidence(signals);
  if (reads >= READ_MINIMUM && reads >= READ_MAJORITY * writes && saysItReads(signals, facts) && !isDenied(facts)) {
    return decided('READ', signals, evidence, facts);
  }
  const votes = WRITES.map((category) => ({
    category,
    weight: sum(signals, ({ effect }) => (EFFECTS[effect] as EffectTraits).votes[category] ?? 0),
  }));
  const strongest = Math.max(...votes.map(({ weight }) => weight));
  if (strongest === 0) {
    const unknown = 'no evidence of what it does: treated as EXECUTE';
    return { category: 'EXECUTE', confidence: 0.1, evidence: [...evidence, unknown], signals };
  }
  const chosen = votes.findLast(({ weight }) => weight >= CLOSE * strongest);
  const doubt = reads > 0 && reads < READ_MAJORITY * writes ? ['doubt between reading and writing: not READ'] : [];
  const category = chosen?.category ?? 'EXECUTE';
  if (!isStated(signals)) return { category, confidence: UNSTATED, evidence: [...evidence, ...doubt], signals };
  return decided(category, signals, [...evidence, ...doubt], facts);
}

/** A decision with what its confidence is rated by. */
function decided(
  category: Category,
  signals: readonly Signal[],
  evidence: readonly string[],
  facts: ToolFacts,
  { grouped = false, runs = false } = {},
): Decision {
  const total = sum(signals, ({ effect }) => readShare(effect) + writeShare(effect));
  const votesFor = (one: Category): number =>
    sum(signals, ({ effect }) => (EFFECTS[effect] as EffectTraits).votes[one] ?? 0);
  const others = CATEGORY_SEVERITY.filter((one) => one !== category).map(votesFor);
  const share = total === 0 ? 0 : votesFor(category) / total;
  const second = total === 0 ? 0 : Math.max(...others) / total;
  return {
    category,
    confidence: 0,
    evidence,
    signals,
    weighed: {
      category,
      signals,
      share,
      second,
      total,
      grouped,
      runs,
      contradicted: false,
      doubts: readDoubts(facts, category),
    },
  };
}

/** Whether a word says what the tool does; parameters only suggest it, and an author who says that it writes does not say what. */
function isStated(signals: readonly Signal[]): boolean {
  return signals.some(({ rule }) => rule.looksAt !== 'parameters' && rule.looksAt !== 'annotations');
}

/**
 * Whether the name, the title, the first sentence or the author says that it reads. A verb that is not known is a doubt, and so is
 * a sentence that is not understood beside a name that only names a thing, or that begins with what may be a verb of change
 * (`record_view`).
 */
function saysItReads(signals: readonly Signal[], { name, words, description, descriptionText }: ToolFacts): boolean {
  const unread = descriptionText !== '' && description.matches.length === 0;
  const may = name.some(({ role, word, effect }) => role === 'possible' && word === words[0] && writeShare(effect) > 0);
  return signals.some(
    ({ rule, effect }) =>
      readShare(effect) > 0 && rule.looksAt !== 'parameters' && !(unread && may && rule.id === 'name-likely'),
  );
}

/** The confidence where parameters and hints only suggest what the tool does. */
const UNSTATED = 0.15;

function sum(signals: readonly Signal[], share: (signal: Signal) => number): number {
  return signals.reduce((total, signal) => total + signal.weight * share(signal), 0);
}

function wordEvidence(signals: readonly Signal[]): readonly string[] {
  return signals.map(({ says }) => says);
}
