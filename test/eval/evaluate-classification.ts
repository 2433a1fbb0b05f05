import { splitTool } from '../../src/catalog/grouped-tools/split-tool.js';
import { classifyTool } from '../../src/classify/classify-tool.js';
import { type ClassificationInput, findGroupingParameter } from '../../src/classify/facts.js';
import { toSnakeCase } from '../../src/lib/names.js';
import { type Classification, dangerRank } from '../../src/protocol/operation.js';
import type { CorpusTool, Label } from './corpus.js';

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
  readonly destroyersUnderrated: readonly Judgement[];
  /** Tools that are rated destructive or higher although their normal use destroys nothing. */
  readonly overrated: number;
}

/** Classifies one captured tool, or one value of it, as a tool of an upstream with the default trust. */
export function classifyCaptured(
  { tool, server }: CorpusTool,
  ignoreAnnotations: boolean,
  groupValue?: ClassificationInput['groupValue'],
): Classification {
  return classifyTool({
    tool,
    name: toSnakeCase(String(tool['name'])),
    upstream: { slug: toSnakeCase(server), trust: 'validated' },
    curation: {},
    ignoreAnnotations,
    ...(groupValue !== undefined && { groupValue }),
  });
}

/** Classifies every labelled tool that is among the captured ones. */
export function judgeTools(
  tools: readonly CorpusTool[],
  labels: readonly Label[],
  ignoreAnnotations: boolean,
): readonly Judgement[] {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  return labels.flatMap((label) => {
    const tool = byId.get(label.id);
    return tool === undefined ? [] : [{ label, tool, classification: classifyCaptured(tool, ignoreAnnotations) }];
  });
}

/** Compares the classifications with the labels. */
export function measureClassification(judgements: readonly Judgement[]): ClassificationFigures {
  const notAccepted = judgements.filter(
    ({ label, classification }) => !label.accepted.includes(classification.category),
  );
  const pureReads = judgements.filter(({ label }) => label.mutates === 'n' && label.category === 'READ');
  const elsewhere = pureReads.filter(({ classification }) => classification.category !== 'READ');
  return {
    tools: judgements.length,
    accepted: share(judgements.length - notAccepted.length, judgements.length),
    notAccepted,
    writesInRead: judgements.filter(isWriteInRead),
    readsElsewhere: share(elsewhere.length, pureReads.length),
    destroyersUnderrated: judgements.filter(
      ({ label, classification }) => label.destroys === 'y' && !isDestructive(classification),
    ),
    overrated: judgements.filter(({ label, classification }) => label.destroys === 'n' && isDestructive(classification))
      .length,
  };
}

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
