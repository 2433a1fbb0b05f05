import { groupBy } from '../../src/base/lib/collections.js';
import { type DangerLevel, dangerRank } from '../../src/base/protocol/operation.js';
import { splitTool } from '../../src/catalog/grouped-tools/split-tool.js';
import { classifyTool } from '../../src/classify/classify-tool.js';
import { decideCategory } from '../../src/classify/decide-category.js';
import { type ClassificationInput, gatherFacts } from '../../src/classify/facts.js';
import { type CorpusTool, isOnlyScored } from './corpus.js';
import { inputsOf } from './evaluate-classification.js';

/** The danger of one operation, and the verb that it is mostly rated by. */
interface Rated {
  readonly id: string;
  readonly verb: string;
  readonly effect: string;
  readonly level: DangerLevel;
  readonly reason: string;
}

const LEVELS: readonly DangerLevel[] = ['safe', 'reversible', 'destructive', 'dangerous', 'forbidden'];
const UNKNOWN = '(none)';

/** Rates every tool, and every part of a grouped one, of the servers that are worked on; those that are only scored are left out. */
export function rateTools(tools: readonly CorpusTool[], hidden: boolean): readonly Rated[] {
  const shown = tools.filter(({ server }) => !isOnlyScored(server));
  return inputsOf(shown, hidden).flatMap(({ tool, input }) => {
    const split = splitTool(tool.tool);
    if (split?.differs !== true) return [rate(tool.id, input)];
    const { parameter, values } = split;
    return values.map(({ value }) =>
      rate(`${tool.id} ${parameter}=${value}`, { ...input, groupValue: { parameter, value } }),
    );
  });
}

function rate(id: string, input: ClassificationInput): Rated {
  const { danger, category } = classifyTool(input);
  const [first] = decideCategory(gatherFacts(input)).signals.filter(({ word }) => word !== undefined);
  return {
    id,
    verb: `${first?.word ?? UNKNOWN} ${category}`,
    effect: first?.effect ?? UNKNOWN,
    level: danger.level,
    reason: danger.reasons[0] ?? '',
  };
}

/** How many tools of each effect and verb have each danger, and the tools that are rated unlike most of their verb. */
export function describeDanger(rated: readonly Rated[]): string {
  const byEffect = groupBy(rated, ({ effect }) => effect);
  const lines = [...byEffect].map(([effect, some]) => `${effect.padEnd(28)}${countLevels(some)}`);
  const byVerb = [...groupBy(rated, ({ effect, verb }) => `  ${effect}: ${verb}`)].sort(([a], [b]) => (a < b ? -1 : 1));
  const verbs = byVerb.map(([verb, some]) => `${verb.padEnd(40)}${countLevels(some)}`);
  const outliers = byVerb.flatMap(([, some]) => findOutliers(some));
  return [
    `${'effect'.padEnd(28)}${LEVELS.map((level) => level.padStart(12)).join('')}`,
    ...lines.sort(),
    'by verb and category',
    ...verbs,
    'rated unlike most of their verb and category',
    ...outliers.map(({ id, verb, level, reason }) => `  ${level.padEnd(12)} ${verb.padEnd(24)} ${id}: ${reason}`),
  ].join('\n');
}

function countLevels(rated: readonly Rated[]): string {
  return LEVELS.map((level) => String(rated.filter((one) => one.level === level).length || '').padStart(12)).join('');
}

function findOutliers(rated: readonly Rated[]): readonly Rated[] {
  const usual = Math.max(...LEVELS.map((level) => rated.filter((one) => one.level === level).length));
  const level = LEVELS.find((one) => rated.filter((some) => some.level === one).length === usual);
  if (level === undefined) return [];
  return rated
    .filter((one) => one.level !== level)
    .sort((a, b) => dangerRank(b.level) - dangerRank(a.level) || (a.id < b.id ? -1 : 1));
}
