import type { Command } from 'commander';
import type { Gateway, PlacedOperation } from '../gateway.js';
import { GATEWAY_SOURCE } from '../protocol/operation.js';
import { FROM_OPTION, type SourceFlags, withSource } from './source.js';
import { printJson, printTable, type Terminal } from './terminal.js';

/** How one tool was understood; the shape of `classify --json`. */
export interface ClassifiedTool {
  readonly upstream: string;
  readonly tool: string;
  readonly operation: string;
  readonly category: string;
  readonly danger: string;
  readonly family: string;
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly grouped_by: string | null;
  readonly identifiers: readonly string[];
}

export function registerClassify(program: Command, terminal: Terminal): void {
  program
    .command('classify')
    .description('show how every tool is classified, and why')
    .option(...FROM_OPTION)
    .option('--ignore-annotations', "leave the upstreams' own hints out")
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SourceFlags>();
      const classified = await withSource(flags, terminal, async (gateway) => classifyAll(gateway));
      if (flags.json === true) printJson(terminal, classified);
      else
        printTable(
          terminal,
          ['UPSTREAM', 'OPERATION', 'CATEGORY', 'DANGER', 'FAMILY', 'SURE', 'WHY'],
          classified.map(toRow),
        );
    });
}

function classifyAll(gateway: Gateway): readonly ClassifiedTool[] {
  const names = new Map(gateway.config.upstreams.map(({ slug, name }) => [slug, name]));
  return gateway
    .operations()
    .filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE)
    .map((placed) => toClassified(placed, names));
}

function toClassified({ operation, family }: PlacedOperation, names: ReadonlyMap<string, string>): ClassifiedTool {
  const { category, danger, confidence, evidence } = operation.classification;
  return {
    upstream: names.get(operation.upstream) ?? operation.upstream,
    tool: operation.tool,
    operation: operation.name,
    category,
    danger: danger.level,
    family,
    confidence,
    evidence: [...evidence, ...danger.reasons],
    grouped_by: operation.groupedBy,
    identifiers: operation.identifiers,
  };
}

function toRow({ upstream, operation, category, danger, family, confidence, evidence }: ClassifiedTool): string[] {
  return [upstream, operation, category, danger, family, `${Math.round(confidence * 100)}%`, evidence[0] ?? ''];
}
