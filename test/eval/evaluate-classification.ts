import { classifyTool } from '../../src/catalog/classify/classify-tool.js';
import { findGroupingParameter } from '../../src/catalog/classify/find-grouping-parameter.js';
import { dangerRank } from '../../src/protocol/danger.js';
import type { Classification } from '../../src/protocol/operation.js';
import { toSnakeCase } from '../../src/protocol/snake-case.js';
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
  /** Share of pure reads that landed elsewhere, 0 to 1. */
  readonly readsElsewhere: number;
  readonly destroyersUnderrated: readonly Judgement[];
  /** Tools whose normal use destroys nothing and that were rated destructive or higher all the same. */
  readonly overrated: number;
}

/** Classifies one captured tool as an upstream of the default trust would have it. */
export function classifyCaptured({ tool, server }: CorpusTool, ignoreAnnotations: boolean): Classification {
  return classifyTool({
    tool,
    name: toSnakeCase(String(tool['name'])),
    upstream: { slug: toSnakeCase(server), trust: 'validated' },
    curation: {},
    ignoreAnnotations,
  });
}

/** Judges every labelled tool that is among the captured ones. */
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

/** Holds judgements against their labels. */
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

/** Labelled grouped tools whose parameter was not found, and tools where one was found that readers did not see. */
export function measureGrouping(judgements: readonly Judgement[]): {
  readonly missed: string[];
  readonly invented: string[];
} {
  const missed: string[] = [];
  const invented: string[] = [];
  for (const { label, tool } of judgements) {
    const found = findGroupingParameter(tool.tool)?.parameter ?? null;
    if (label.groupedBy !== null && found !== label.groupedBy) missed.push(`${label.id} by ${label.groupedBy}`);
    if (label.groupedBy === null && found !== null) invented.push(`${label.id} by ${found}`);
  }
  return { missed, invented };
}

/** Whether a classification asks for care: destructive or worse. */
export function isDestructive({ danger }: Classification): boolean {
  return dangerRank(danger.level) >= dangerRank('destructive');
}

function isWriteInRead({ label, classification }: Judgement): boolean {
  return classification.category === 'READ' && label.mutates === 'y' && !label.accepted.includes('READ');
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
