import { groupBy } from '../../src/base/lib/collections.js';
import { toSnakeCase } from '../../src/base/lib/names.js';
import { type Classification, dangerRank } from '../../src/base/protocol/operation.js';
import { splitTool } from '../../src/catalog/grouped-tools/split-tool.js';
import { classifyTool } from '../../src/classify/classify-tool.js';
import { type LearnedConfidence, readFeatures } from '../../src/classify/confidence.js';
import { decideCategory } from '../../src/classify/decide-category.js';
import { type ClassificationInput, findGroupingParameter, gatherFacts } from '../../src/classify/facts.js';
import { findEmptyHints, tellsReadsApart } from '../../src/classify/words/default-hints.js';
import { findObjectPrefixes } from '../../src/classify/words/object-prefix.js';
import type { CorpusTool, Label } from './corpus.js';
import type { Example } from './learn-confidence.js';

export interface Judgement {
  readonly label: Label;
  readonly tool: CorpusTool;
  readonly classification: Classification;
}

/** The figures of one run; lists hold the tools that failed. */
export interface ClassificationFigures {
  readonly tools: number;
  /** Share whose category is accepted, 0 to 1. */
  readonly accepted: number;
  readonly notAccepted: readonly Judgement[];
  readonly writesInRead: readonly Judgement[];
  /** Share of pure reads that got another category, 0 to 1. */
  readonly readsElsewhere: number;
  /** Number of tools whose normal use destroys. */
  readonly destroyers: number;
  readonly destroyersUnderrated: readonly Judgement[];
  /** Of the tools whose normal use destroys nothing, the share that is rated destructive or higher, 0 to 1. */
  readonly overrated: number;
  readonly calibration: Calibration;
}

/** Whether the confidence says how many decisions are right. */
export interface Calibration {
  /** The mean distance between confidence and share of right decisions, over ten ranges of confidence (ECE). */
  readonly expectedError: number;
  /** Number of decisions with a confidence of at least 0.9, and the share of them that is right. */
  readonly sure: number;
  readonly sureAndRight: number;
  /** The share of all mistakes that is among the least sure fifth. */
  readonly mistakesInLeastSureFifth: number;
}

/** What is known of all tools of a server together. */
type Habits = Pick<ClassificationInput, 'emptyHints' | 'objectPrefixes' | 'tellsReadsApart'>;

function habitsOf(server: string, all: readonly CorpusTool[]): Habits {
  const tools = all.map(({ tool }) => tool);
  return {
    emptyHints: findEmptyHints(tools),
    tellsReadsApart: tellsReadsApart(tools),
    objectPrefixes: findObjectPrefixes(toSnakeCase(server), tools),
  };
}

/** A captured tool as a tool of an upstream with the default trust. */
function inputOf(
  { tool, server }: CorpusTool,
  ignoreAnnotations: boolean,
  habits: Habits,
  groupValue?: ClassificationInput['groupValue'],
): ClassificationInput {
  return {
    tool,
    name: toSnakeCase(String(tool['name'])),
    upstream: { slug: toSnakeCase(server), trust: 'validated' },
    curation: {},
    ignoreAnnotations,
    ...habits,
    ...(groupValue !== undefined && { groupValue }),
  };
}

/** Classifies one captured tool, or one value of it. */
export function classifyCaptured(
  tool: CorpusTool,
  ignoreAnnotations: boolean,
  groupValue?: ClassificationInput['groupValue'],
): Classification {
  return classifyTool(inputOf(tool, ignoreAnnotations, {}, groupValue));
}

/** A labelled tool, ready to be classified. */
export interface Subject {
  readonly label: Label;
  readonly tool: CorpusTool;
  readonly input: ClassificationInput;
}

/** Every captured tool, ready to be classified. */
export function inputsOf(tools: readonly CorpusTool[], ignoreAnnotations: boolean): readonly Omit<Subject, 'label'>[] {
  const servers = groupBy(tools, ({ server }) => server);
  const habits = new Map([...servers].map(([server, all]) => [server, habitsOf(server, all)] as const));
  return tools.map((tool) => ({
    tool,
    input: inputOf(tool, ignoreAnnotations, habits.get(tool.server) ?? {}),
  }));
}

/** Every labelled tool that is among the captured ones. */
export function readSubjects(
  tools: readonly CorpusTool[],
  labels: readonly Label[],
  ignoreAnnotations: boolean,
): readonly Subject[] {
  const byId = new Map(inputsOf(tools, ignoreAnnotations).map((one) => [one.tool.id, one]));
  return labels.flatMap((label) => {
    const found = byId.get(label.id);
    return found === undefined ? [] : [{ label, ...found }];
  });
}

/** Classifies labelled tools, with what the confidence is rated by that is given or the committed one. */
export function judge(subjects: readonly Subject[], learned?: LearnedConfidence): readonly Judgement[] {
  return subjects.map(({ label, tool, input }) => ({ label, tool, classification: classifyTool(input, learned) }));
}

/** So much less counts a tool of which a part is not listened to. */
const DEAF_WEIGHT = 0.25;
const DEAFNESS = [[], ['name', 'title'], ['description']] as const;

/**
 * What the confidence is learned from: each decision, and how it would be if the name, or the description, were not understood,
 * as is usual on servers that the rules were not written for.
 */
export function readExamples(subjects: readonly Subject[]): readonly Example[] {
  return subjects.flatMap(({ label, input }) => {
    const facts = gatherFacts(input);
    return DEAFNESS.flatMap((to) => {
      const { weighed, category } = decideCategory(facts, undefined, {
        to: ({ looksAt }) => to.some((part) => part === looksAt),
      });
      const right = label.accepted.includes(to.length === 0 ? classifyTool(input).category : category);
      const weight = to.length === 0 ? 1 : DEAF_WEIGHT;
      return weighed === undefined ? [] : [{ server: label.server, features: readFeatures(weighed), right, weight }];
    });
  });
}

/** Compares the classifications with the labels. */
export function measureClassification(judgements: readonly Judgement[]): ClassificationFigures {
  const notAccepted = judgements.filter((one) => !isRight(one));
  const pureReads = judgements.filter(({ label }) => label.mutates === 'n' && label.category === 'READ');
  const elsewhere = pureReads.filter(({ classification }) => classification.category !== 'READ');
  const destroyers = judgements.filter(({ label }) => label.destroys === 'y');
  const harmless = judgements.filter(({ label }) => label.destroys === 'n');
  return {
    tools: judgements.length,
    accepted: share(judgements.length - notAccepted.length, judgements.length),
    notAccepted,
    writesInRead: judgements.filter(isWriteInRead),
    readsElsewhere: share(elsewhere.length, pureReads.length),
    destroyers: destroyers.length,
    destroyersUnderrated: destroyers.filter(({ classification }) => !isDestructive(classification)),
    overrated: share(harmless.filter(({ classification }) => isDestructive(classification)).length, harmless.length),
    calibration: measureCalibration(judgements),
  };
}

const RANGES = 10;
const SURE = 0.9;

function measureCalibration(judgements: readonly Judgement[]): Calibration {
  const ranges = groupBy(judgements, ({ classification }) =>
    Math.min(RANGES - 1, Math.floor(classification.confidence * RANGES)),
  );
  const distances = [...ranges.values()].map((some) => {
    const claimed = some.reduce((sum, { classification }) => sum + classification.confidence, 0);
    return Math.abs(claimed - some.filter(isRight).length);
  });
  const sure = judgements.filter(({ classification }) => classification.confidence >= SURE);
  const leastSure = [...judgements]
    .sort((a, b) => a.classification.confidence - b.classification.confidence)
    .slice(0, Math.round(judgements.length / 5));
  const mistakes = (some: readonly Judgement[]): number => some.filter((one) => !isRight(one)).length;
  return {
    expectedError: share(
      distances.reduce((sum, distance) => sum + distance, 0),
      judgements.length,
    ),
    sure: sure.length,
    sureAndRight: share(sure.length - mistakes(sure), sure.length),
    mistakesInLeastSureFifth: share(mistakes(leastSure), mistakes(judgements)),
  };
}

const isRight = ({ label, classification }: Judgement): boolean => label.accepted.includes(classification.category);

/** How well grouped tools are distinguished from others; lists hold ids. */
export interface GroupingFigures {
  readonly labelled: number;
  /** Of those that are found grouped, the share that readers called so, 0 to 1. */
  readonly precision: number;
  /** Of those that readers called grouped, the share that is found so, 0 to 1. */
  readonly recall: number;
  /** Labelled, but not found, or found by another parameter. */
  readonly missed: readonly string[];
  /** Found where readers found none. */
  readonly invented: readonly string[];
  /** Split into one operation per value. */
  readonly split: readonly string[];
  /** Found, and offered whole, as their values do not differ in effect. */
  readonly whole: readonly string[];
  /** Number of operations that the split tools become. */
  readonly parts: number;
}

/** Compares the grouping parameters that are found, and the tools that are split by them, with the labels. */
export function measureGrouping(judgements: readonly Judgement[]): GroupingFigures {
  const judged = judgements.map(({ label, tool }) => {
    const grouping = findGroupingParameter(tool.tool);
    return { label, found: grouping?.parameter ?? null, split: splitTool(tool.tool) };
  });
  const labelled = judged.filter(({ label }) => label.groupedBy !== null);
  const found = judged.filter((one) => one.found !== null);
  const right = labelled.filter((one) => one.found === one.label.groupedBy);
  const isSplit = found.filter(({ split }) => split?.differs === true);
  const idOf = ({ label, found: by }: (typeof judged)[number]): string => `${label.id} by ${label.groupedBy ?? by}`;
  return {
    labelled: labelled.length,
    precision: share(right.length, found.length),
    recall: share(right.length, labelled.length),
    missed: labelled.filter((one) => !right.includes(one)).map(idOf),
    invented: found.filter((one) => !right.includes(one)).map(idOf),
    split: isSplit.map(idOf),
    whole: found.filter((one) => !isSplit.includes(one)).map(idOf),
    parts: isSplit.reduce((sum, { split }) => sum + (split?.values.length ?? 0), 0),
  };
}

/** Whether a tool is rated destructive or higher. */
export function isDestructive({ danger }: Classification): boolean {
  return dangerRank(danger.level) >= dangerRank('destructive');
}

function isWriteInRead({ label, classification }: Judgement): boolean {
  return classification.category === 'READ' && label.mutates === 'y' && !label.accepted.includes('READ');
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
