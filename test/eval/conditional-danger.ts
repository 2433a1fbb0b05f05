import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/base/lib/collections.js';
import { dangerRank, type Operation } from '../../src/base/protocol/operation.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import { operationOfCall } from '../../src/catalog/operation.js';
import { toSlug } from '../../src/config/load/server-definition.js';
import { anUpstream } from '../support/build-test-catalog.js';
import { type CorpusTool, type Label, readAllTools } from './corpus.js';

/** One argument with which a labelled tool destroys, which it does not do with others. */
export interface ConditionalLabel {
  readonly server: string;
  readonly tool: string;
  /** In the upstream's spelling; empty where no argument shows it (a click, a key). */
  readonly parameter: string;
  readonly value: unknown;
}

/** The rows of `conditional-danger.tsv`; a value is JSON where it can be read so, `*` is any. */
export function readConditionalLabels(): readonly ConditionalLabel[] {
  const text = readFileSync(join(import.meta.dirname, 'conditional-danger.tsv'), 'utf8');
  const [, ...rows] = text.trimEnd().split('\n');
  return rows.map((row) => {
    const [server = '', tool = '', parameter = '-', value = ''] = row.split('\t');
    return { server, tool, parameter: parameter === '-' ? '' : parameter, value: readValue(value) };
  });
}

function readValue(text: string): unknown {
  if (text === '*') return 'anything';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every operation of the captured servers, those of `tools-more` included where they are present. */
export function readOperations(directory: string): readonly Operation[] {
  const tools = readAllTools(directory);
  const servers = [...new Set(tools.map(({ server }) => server))];
  return buildCatalog({
    toolSets: servers.map((server) => ({ upstream: toSlug(server), tools: toolsOf(tools, server) })),
    upstreams: servers.map((server) => anUpstream(toSlug(server))),
    builtins: [],
    pins: {},
  }).operations;
}

const toolsOf = (tools: readonly CorpusTool[], server: string) =>
  tools.filter((tool) => tool.server === server).map(({ tool }) => tool);

const DESTRUCTIVE = dangerRank('destructive');

/** Whether a call with the labelled argument is rated destructive or higher. */
export function isRecognised(operations: readonly Operation[], label: ConditionalLabel): boolean {
  const { parameter, value } = label;
  return operationsOf(operations, label)
    .filter(
      ({ fixedArguments = {} }) => !Object.hasOwn(fixedArguments, parameter) || fixedArguments[parameter] === value,
    )
    .some(
      (operation) =>
        dangerRank(operationOfCall(operation, { [parameter]: value }).classification.danger.level) >= DESTRUCTIVE,
    );
}

/** The operations that a labelled tool became. */
function operationsOf(
  operations: readonly Operation[],
  { server, tool }: Pick<ConditionalLabel, 'server' | 'tool'>,
): readonly Operation[] {
  const upstream = toSlug(server);
  return operations.filter((operation) => operation.tool === tool && operation.upstream === upstream);
}

/** What the rating of calls costs where nothing is destroyed: tools that change or destroy nothing and are rated higher. */
export function measureNoise(operations: readonly Operation[], labels: readonly Label[]) {
  const byTool = groupBy(operations, ({ upstream, tool }) => `${upstream} ${tool}`);
  const named = ({ id, server }: Label) => byTool.get(`${toSlug(server)} ${id.slice(server.length + 2)}`) ?? [];
  const harmless = labels.filter(({ destroys }) => destroys === 'n');
  const pureReads = labels.filter(({ category, mutates }) => category === 'READ' && mutates === 'n');
  const asks = ({ classification }: Operation) => dangerRank(classification.danger.level) >= DESTRUCTIVE;
  // A risk that only a value takes which names a loss, or leaves nothing out, is no noise: nothing else asks.
  const mayAsk = ({ classification: { risks = [] } }: Operation) =>
    risks.some(({ when }) => !('loses' in when) && !('selects' in when));
  return {
    pureReads: pureReads.length,
    pureReadsAsking: pureReads.filter((label) => named(label).some(asks)),
    pureReadsAtRisk: pureReads.filter((label) => named(label).some(mayAsk)),
    harmless: harmless.length,
    harmlessAsking: harmless.filter((label) => named(label).some(asks)),
    harmlessAtRisk: harmless.filter((label) => named(label).some(mayAsk)),
  };
}
