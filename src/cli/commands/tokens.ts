import type { Command } from 'commander';
import type { JsonObject } from '../../base/json/json.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { EndpointMode } from '../../config/gateway-config.js';
import type { Inspected } from '../../gateway/gateway.js';
import { MODULES } from '../../modules/modules.js';
import { introspect } from '../shared/call-operation.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { printJson, printTable, type Terminal } from '../shared/terminal.js';
import { type CountTokens, loadTokenCounter } from '../shared/token-count.js';

interface Registration {
  readonly tools: number;
  readonly tokens: number;
}

/** What a model's context holds with and without the gateway; the shape of `tokens --json`. Tokens are o200k_base. */
interface TokenReport {
  readonly discrete: Registration;
  readonly semantic: Registration;
  readonly single: Registration;
  /** What each view registers, by name; absent where there are none. */
  readonly views?: Readonly<Record<string, ViewRegistration>>;
  readonly map: { readonly upstreams: number; readonly tokens: number };
  readonly list_page: { readonly operations: number; readonly tokens: number };
  /** Of searches for the words of operations' names. */
  readonly search: Spread;
  readonly detail: Spread;
}

interface ViewRegistration extends Registration {
  /** The view's `tokenBudget`. */
  readonly budget?: number;
}

interface Spread {
  readonly median: number;
  readonly p90: number;
  readonly max: number;
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

async function measure(gateway: Inspected, count: CountTokens): Promise<TokenReport> {
  const tools = gateway.toolSets().flatMap((set) => set.tools);
  const page = await readPage(gateway, { query: 'operations' });
  const map = await introspect(gateway, { query: 'upstreams' });
  return {
    discrete: { tools: tools.length, tokens: sum(tools.map((tool) => count(JSON.stringify(tool)))) },
    semantic: await measureMode(gateway, 'semantic', count),
    single: await measureMode(gateway, 'single', count),
    ...(gateway.config.views.length === 0 ? {} : { views: await measureViews(gateway, count) }),
    map: { upstreams: gateway.toolSets().length, tokens: count(map.text) },
    list_page: { operations: page.data.operations.length, tokens: count(JSON.stringify(page)) },
    search: await measureSearches(gateway, count),
    detail: await measureDetails(gateway, count),
  };
}

async function readPage(gateway: Inspected, params: JsonObject): Promise<{ data: { operations: readonly unknown[] } }> {
  return JSON.parse((await introspect(gateway, params)).text);
}

async function measureMode(gateway: Inspected, mode: EndpointMode, count: CountTokens): Promise<Registration> {
  const { openCapturedGateway } = await import('../../gateway/captured-gateway.js');
  const config = { ...gateway.config, endpoint: { ...gateway.config.endpoint, mode } };
  const { tools, toolsJson } = await openCapturedGateway(config, gateway.toolSets(), { modules: MODULES }).toolList(
    undefined,
  );
  return { tools: tools.length, tokens: count(toolsJson) };
}

async function measureViews(gateway: Inspected, count: CountTokens): Promise<Record<string, ViewRegistration>> {
  const measured: Record<string, ViewRegistration> = {};
  for (const { name, tokenBudget } of gateway.config.views) {
    const list = await gateway.inView(name)?.toolList(undefined);
    if (list === undefined) continue;
    const budget = tokenBudget === undefined ? {} : { budget: tokenBudget };
    measured[name] = { tools: JSON.parse(list.toolsJson).length, tokens: count(list.toolsJson), ...budget };
  }
  return measured;
}

async function measureDetails(gateway: Inspected, count: CountTokens): Promise<Spread> {
  const sizes: number[] = [];
  for (const { operation } of foreignOperations(gateway)) {
    const { text } = await introspect(gateway, { query: 'operations', name: operation.name });
    sizes.push(count(text));
  }
  return spreadOf(sizes);
}

function foreignOperations(gateway: Inspected): ReturnType<Inspected['operations']> {
  return gateway.operations().filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE);
}

/** Searches are made for this many operations, evenly spread. */
const SAMPLE = 100;

async function measureSearches(gateway: Inspected, count: CountTokens): Promise<Spread> {
  const sizes: number[] = [];
  for (const { operation } of sampleOf(foreignOperations(gateway))) {
    const search = operation.name.replace(/_+/g, ' ');
    sizes.push(count((await introspect(gateway, { query: 'operations', search })).text));
  }
  return spreadOf(sizes);
}

function sampleOf<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(all.length / SAMPLE));
  return all.filter((_, index) => index % step === 0);
}

function spreadOf(sizes: readonly number[]): Spread {
  const sorted = sizes.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), max: sorted.at(-1) ?? 0 };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function printReport(terminal: Terminal, report: TokenReport): void {
  const { discrete, semantic, single, map, list_page: page, search, detail } = report;
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
      ...Object.entries(report.views ?? {}).map(([name, { tools, tokens, budget }]) => [
        `view ${name}${budget === undefined ? '' : ` (budget ${budget})`}`,
        String(tools),
        String(tokens),
        saved(tokens),
      ]),
    ],
  );
  const lines: readonly (readonly [what: string, spread: Spread])[] = [
    [`the map of ${map.upstreams} upstreams`, same(map.tokens)],
    [`a page of ${page.operations} operations`, same(page.tokens)],
    ['a search', search],
    ['details of one operation', detail],
  ];
  printTable(
    terminal,
    ['ANSWER', 'MEDIAN', 'P90', 'MAX'],
    lines.map(([what, { median, p90, max }]) => [what, String(median), String(p90), String(max)]),
  );
}

function same(tokens: number): Spread {
  return { median: tokens, p90: tokens, max: tokens };
}
