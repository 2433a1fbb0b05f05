import type { Category } from '../protocol/operation.js';
import { effectOfValue, type ToolFacts } from './facts.js';
import { CATEGORY_SEVERITY, EFFECTS, type EffectTraits, leadingCategory, readShare, writeShare } from './lexicon.js';
import { type Diagnostic, RULES, type Rule } from './rules.js';
import { findRunner } from './runner.js';

/** A finding with the weight it has in this tool. */
interface Signal extends Diagnostic {
  readonly rule: Rule;
  readonly weight: number;
}

export interface Decision {
  readonly category: Category;
  /** 0 to 1. */
  readonly confidence: number;
  /** Strongest first. */
  readonly evidence: readonly string[];
  /** All that was found, for what else is judged by it. */
  readonly signals: readonly Signal[];
  /** What it runs, where it runs anything it is given. */
  readonly runner?: string;
}

/** READ needs three times the weight of all that speaks for a write. */
const READ_MAJORITY = 3;
/** And at least this much: more than one weak sign. */
const READ_MINIMUM = 5;
/** Writes within this share of the strongest are in doubt, and doubt takes the more dangerous. */
const CLOSE = 0.8;
/** The weight from which a write is plain: a verb that leads the name, or the description's own. */
const PLAIN = 8;
/** The weight that is as good as any more: name and description agree. */
const SATURATED = 16;

/** Weighs all rules and settles on one category; see `RULES` and `EFFECTS` for what speaks for what. */
export function decideCategory(facts: ToolFacts): Decision {
  const signals = collectSignals(facts);
  const runner = findRunner(facts);
  if (runner !== undefined) {
    const evidence = [`runs ${runner}: whatever it is given`, ...wordEvidence(signals)];
    return { category: 'EXECUTE', confidence: 0.9, evidence, signals, runner };
  }
  return decideGrouped(facts, signals) ?? decideByWeight(signals);
}

/** Everything the rules find, heaviest first; an author's read-only hint yields to a plain write unless trust is high. */
function collectSignals(facts: ToolFacts): readonly Signal[] {
  const rules = facts.input.groupValue === undefined ? RULES : RULES.filter(({ wholeTool }) => wholeTool !== true);
  const signals = rules.flatMap((rule) =>
    rule.find(facts).map((finding) => ({ ...finding, rule, weight: rule.weight * (finding.share ?? 1) })),
  );
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
  const shown = values.slice(0, 8).join(', ');
  const evidence = [
    `parameter '${parameter}' chooses the effect (${shown}): the most dangerous counts`,
    ...wordEvidence(signals),
  ];
  return { category, confidence: 0.6, evidence, signals };
}

function decideByWeight(signals: readonly Signal[]): Decision {
  const reads = sum(signals, ({ effect }) => readShare(effect));
  const writes = sum(signals, ({ effect }) => writeShare(effect));
  const evidence = wordEvidence(signals);
  if (reads >= READ_MINIMUM && reads >= READ_MAJORITY * writes) {
    return { category: 'READ', confidence: confidenceOf(reads, reads + writes), evidence, signals };
  }
  const votes = CATEGORY_SEVERITY.filter((category) => category !== 'READ').map((category) => ({
    category,
    weight: sum(signals, ({ effect }) => (EFFECTS[effect] as EffectTraits).votes[category] ?? 0),
  }));
  const strongest = Math.max(...votes.map(({ weight }) => weight));
  if (strongest === 0) {
    const unknown = 'nothing tells what it does: treated as running something';
    return { category: 'EXECUTE', confidence: 0.1, evidence: [...evidence, unknown], signals };
  }
  const chosen = votes.findLast(({ weight }) => weight >= CLOSE * strongest);
  const doubt = reads > 0 && reads < READ_MAJORITY * writes ? ['doubt between reading and writing: not READ'] : [];
  return {
    category: chosen?.category ?? 'EXECUTE',
    confidence: confidenceOf(chosen?.weight ?? 0, reads + writes),
    evidence: [...evidence, ...doubt],
    signals,
  };
}

/** The winner's part of all weight, lowered where there is little weight at all. */
function confidenceOf(winner: number, total: number): number {
  if (total <= 0) return 0.1;
  const certainty = (winner / total) * Math.min(1, 0.4 + (0.6 * total) / SATURATED);
  return Math.round(Math.max(0.1, Math.min(0.99, certainty)) * 100) / 100;
}

function sum(signals: readonly Signal[], share: (signal: Signal) => number): number {
  return signals.reduce((total, signal) => total + signal.weight * share(signal), 0);
}

function wordEvidence(signals: readonly Signal[]): readonly string[] {
  return signals.map(({ says }) => says);
}
