import type { Command } from 'commander';
import type { EndpointMode } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import { GATEWAY_SOURCE } from '../../protocol/operation.js';
import { introspect } from '../call-operation.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../source.js';
import { printJson, printLine, printTable, type Terminal } from '../terminal.js';
import { type CountTokens, loadTokenCounter } from '../token-count.js';

interface Registration {
  readonly tools: number;
  readonly tokens: number;
}

/** What a model's context holds with and without the gateway; the shape of `tokens --json`. Tokens are o200k_base. */
interface TokenReport {
  readonly discrete: Registration;
  readonly semantic: Registration;
  readonly single: Registration;
  readonly list_page: { readonly operations: number; readonly tokens: number };
  readonly detail: { readonly median: number; readonly p90: number; readonly max: number };
}

export function registerTokens(program: Command, terminal: Terminal): void {
  program
    .command('tokens')
    .description("count the tokens of the upstreams' tools, of the gateway's tools and of introspection")
    .option(...FROM_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SourceFlags>();
      const count = await loadTokenCounter();
      const report = await withSource(flags, terminal, (gateway) => measure(gateway, count));
      if (flags.json === true) printJson(terminal, report);
      else printReport(terminal, report);
    });
}

async function measure(gateway: Gateway, count: CountTokens): Promise<TokenReport> {
  const tools = gateway.toolSets().flatMap((set) => set.tools);
  const page = JSON.parse((await introspect(gateway, { query: 'operations' })).text) as {
    data: { operations: readonly unknown[] };
  };
  return {
    discrete: { tools: tools.length, tokens: sum(tools.map((tool) => count(JSON.stringify(tool)))) },
    semantic: await measureMode(gateway, 'semantic', count),
    single: await measureMode(gateway, 'single', count),
    list_page: { operations: page.data.operations.length, tokens: count(JSON.stringify(page)) },
    detail: await measureDetails(gateway, count),
  };
}

async function measureMode(gateway: Gateway, mode: EndpointMode, count: CountTokens): Promise<Registration> {
  const { openCapturedGateway } = await import('../../gateway/captured-gateway.js');
  const config = { ...gateway.config, endpoint: { ...gateway.config.endpoint, mode } };
  const { tools, toolsJson } = await openCapturedGateway(config, gateway.toolSets()).toolList();
  return { tools: tools.length, tokens: count(toolsJson) };
}

async function measureDetails(gateway: Gateway, count: CountTokens): Promise<TokenReport['detail']> {
  const sizes: number[] = [];
  for (const { operation } of gateway.operations()) {
    if (operation.upstream === GATEWAY_SOURCE) continue;
    const { text } = await introspect(gateway, { query: 'operations', name: operation.name });
    sizes.push(count(text));
  }
  sizes.sort((a, b) => a - b);
  return { median: quantile(sizes, 0.5), p90: quantile(sizes, 0.9), max: sizes.at(-1) ?? 0 };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function printReport(terminal: Terminal, report: TokenReport): void {
  const { discrete, semantic, single, list_page: page, detail } = report;
  const saved = (tokens: number): string =>
    // Beside a few small tools the gateway's own take more.
    tokens >= discrete.tokens ? 'none' : `${(100 - (tokens / discrete.tokens) * 100).toFixed(1)} %`;
  printTable(
    terminal,
    ['REGISTRATION', 'TOOLS', 'TOKENS', 'SAVED'],
    [
      ["the upstreams' tools", String(discrete.tools), String(discrete.tokens), ''],
      ['semantic mode', String(semantic.tools), String(semantic.tokens), saved(semantic.tokens)],
      ['single mode', String(single.tools), String(single.tokens), saved(single.tokens)],
    ],
  );
  printLine(terminal, `introspect: a page of ${page.operations} operations takes ${page.tokens} tokens;`);
  printLine(
    terminal,
    `details of one operation take ${detail.median} (median), ${detail.p90} (p90), ${detail.max} (max).`,
  );
}
