import { createInterface } from 'node:readline';
import { type Command, InvalidArgumentError } from 'commander';
import type { Gateway } from '../gateway.js';
import { FROM_OPTION, type SourceFlags, withSource } from './source.js';
import { printLine, printTable, type Terminal } from './terminal.js';

/** What one request found; one line of `tools search --json`. */
export interface SearchReport {
  readonly query: string;
  readonly results: readonly {
    readonly operation: string;
    /** The upstream's name as configured, or as its captured file is called. */
    readonly upstream: string;
    readonly tool: string;
    /** Comparable within one request alone. */
    readonly score: number;
  }[];
}

interface SearchFlags extends SourceFlags {
  readonly limit: number;
}

export function registerToolsSearch(tools: Command, terminal: Terminal): void {
  tools
    .command('search [query]')
    .description('find operations by what they do; without a query, one is read from each line of standard input')
    .option(...FROM_OPTION)
    .option('--limit <count>', 'operations shown at most for each query', readCount, 10)
    .action(async (query: string | undefined, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SearchFlags>();
      const print = flags.json === true ? printReportLine : printReportTable;
      await withSource(flags, terminal, async (gateway) => {
        const queries = query === undefined ? createInterface({ input: process.stdin }) : [query];
        for await (const text of queries) {
          if (text.trim() !== '') print(terminal, await search(gateway, text, flags.limit));
        }
      });
    });
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 on.');
  return Number(text);
}

async function search(gateway: Gateway, query: string, limit: number): Promise<SearchReport> {
  const names = new Map(gateway.config.upstreams.map(({ slug, name }) => [slug, name]));
  const hits = await gateway.search(query, limit);
  return {
    query,
    results: hits.map(({ operation, score }) => ({
      operation: operation.name,
      upstream: names.get(operation.upstream) ?? operation.upstream,
      tool: operation.tool,
      score,
    })),
  };
}

function printReportLine(terminal: Terminal, report: SearchReport): void {
  printLine(terminal, JSON.stringify(report));
}

function printReportTable(terminal: Terminal, { query, results }: SearchReport): void {
  if (results.length === 0) terminal.err.write(`nothing answers to '${query}'\n`);
  const rows = results.map(({ operation, upstream, tool, score }) => [operation, upstream, tool, score.toFixed(1)]);
  printTable(terminal, ['OPERATION', 'UPSTREAM', 'TOOL', 'SCORE'], rows);
}
