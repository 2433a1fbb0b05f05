import { createInterface } from 'node:readline';
import { type Command, InvalidArgumentError } from 'commander';
import { mayChangeNumbers } from '../../base/json/exact-result.js';
import type { JsonObject } from '../../base/json/json.js';
import type { UserChannel } from '../../base/protocol/consent.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { Reply } from '../../base/protocol/result.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway, Inspected, PlacedOperation } from '../../gateway/gateway.js';
import {
  assertOffered,
  callAsCli,
  endCliSession,
  introspect,
  parseParams,
  terminalUser,
} from '../shared/call-operation.js';
import { type CommonFlags, gatewayIn, loadCliConfig, VIEW_OPTION, withGateway } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { printJson, printJsonText, printLine, printTable, type Terminal, writeJson } from '../shared/terminal.js';

export function registerTools(program: Command, terminal: Terminal): void {
  const tools = program.command('tools').description('list, find, explain and call operations');
  registerToolsList(tools, terminal);
  registerToolsSearch(tools, terminal);
  registerToolsInspect(tools, terminal);
  registerToolsCall(tools, terminal);
}

function registerToolsList(tools: Command, terminal: Terminal): void {
  tools
    .command('list')
    .description('list every operation with its family and danger')
    .option(...FROM_OPTION)
    .option(...VIEW_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SourceFlags>();
      const operations = await withSource(flags, terminal, async (gateway) => gateway.operations().map(toListed));
      if (flags.json === true) printJson(terminal, operations);
      else {
        const rows = operations.map((entry) => [
          entry.operation,
          entry.family,
          entry.danger,
          entry.upstream,
          entry.tool,
        ]);
        printTable(terminal, ['OPERATION', 'FAMILY', 'DANGER', 'UPSTREAM', 'TOOL'], rows);
      }
    });
}

function toListed({ operation, family, tool }: PlacedOperation) {
  const { category, danger } = operation.classification;
  return {
    operation: operation.name,
    category,
    family,
    mcp_tool: tool,
    danger: danger.level,
    upstream: operation.upstream,
    tool: operation.tool,
    description: operation.description,
  };
}

/** The results of one query; one line of `tools search --json`. */
interface SearchReport {
  readonly query: string;
  readonly results: readonly {
    readonly operation: string;
    /** The upstream's configured name, or the name of its captured file. */
    readonly upstream: string;
    readonly tool: string;
    /** Comparable only within one query. */
    readonly score: number;
  }[];
  /** Where likely nothing fits: says so, and names the servers. */
  readonly no_fit?: string;
}

interface SearchFlags extends SourceFlags {
  readonly limit: number;
}

function registerToolsSearch(tools: Command, terminal: Terminal): void {
  tools
    .command('search [query]')
    .description('find operations by what they do; without a query, one is read from each line of standard input')
    .option(...FROM_OPTION)
    .option(...VIEW_OPTION)
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

async function search(gateway: Inspected, query: string, limit: number): Promise<SearchReport> {
  const names = new Map(gateway.config.upstreams.map(({ slug, name }) => [slug, name]));
  const { hits, noFit } = await gateway.search(query, limit);
  return {
    query,
    results: hits.map(({ operation, score }) => ({
      operation: operation.name,
      upstream: names.get(operation.upstream) ?? operation.upstream,
      tool: operation.tool,
      score,
    })),
    ...(noFit !== undefined && { no_fit: noFit }),
  };
}

function printReportLine(terminal: Terminal, report: SearchReport): void {
  printLine(terminal, writeJson(report));
}

function printReportTable(terminal: Terminal, { results, no_fit }: SearchReport): void {
  if (no_fit !== undefined) terminal.err.write(`${no_fit}\n`);
  const rows = results.map(({ operation, upstream, tool, score }) => [operation, upstream, tool, score.toFixed(1)]);
  printTable(terminal, ['OPERATION', 'UPSTREAM', 'TOOL', 'SCORE'], rows);
}

function registerToolsInspect(tools: Command, terminal: Terminal): void {
  tools
    .command('inspect <operation>')
    .description('explain one operation as a model sees it, with its danger and the evidence')
    .option(...FROM_OPTION)
    .option(...VIEW_OPTION)
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SourceFlags>();
      printJson(terminal, await withSource(flags, terminal, (gateway) => explain(gateway, name)));
    });
}

async function explain(gateway: Inspected, name: string): Promise<JsonObject> {
  const found = await gateway.findOperation(name);
  if (found.kind === 'none') throw new CliError(EXIT_CODE.refused, found.explanation);
  const { text } = await introspect(gateway, {
    query: 'operations',
    name,
    include: ['danger', 'classification', 'input_schema'],
  });
  const { data } = JSON.parse(text) as { data?: { operation?: JsonObject | null } };
  if (data?.operation) return data.operation;
  throw new CliError(EXIT_CODE.refused, `Operation '${name}' cannot be explained: ${text}`);
}

interface CallFlags extends CommonFlags {
  readonly params?: string;
  readonly confirm?: boolean;
  readonly view?: string;
}

function registerToolsCall(tools: Command, terminal: Terminal): void {
  tools
    .command('call <operation>')
    .description('call one operation through the whole pipeline and print its answer')
    .option('--params <json>', 'parameters as a JSON object, or @FILE', '{}')
    .option(...VIEW_OPTION)
    .option('--confirm', 'send a required confirmation token back; a required person is asked at the terminal')
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CallFlags>();
      const params = parseParams(flags.params ?? '{}');
      const config = await loadCliConfig(flags, terminal);
      const request = { name, params, user: terminalUser(terminal) };
      const reply = await withGateway(
        sendingAllOf(config),
        (gateway) => call(gatewayIn(gateway, flags.view), request, flags.confirm === true),
        // Nobody answers a server's question at the terminal.
        { servesClients: false },
      );
      if (flags.json === true) printReply(reply, terminal);
      else printEnvelope(reply, terminal);
      if (reply.code !== 'OK') process.exitCode = EXIT_CODE.refused;
      // The answer is for clients, whose session goes on.
      if (tokenIn(reply) !== undefined && flags.confirm !== true)
        terminal.err.write('A token is good in its own run only: to agree to the call, run it with --confirm.\n');
    });
}

/** The answer as JSON; that of a server's own tool is the server's. */
function textOf({ text, passthrough }: Reply): string {
  return passthrough === undefined ? text : `{${text}}`;
}

/** Prints the answer indented, unless parsing could alter a number of the upstream. */
function printEnvelope(reply: Reply, terminal: Terminal): void {
  const text = textOf(reply);
  if (mayChangeNumbers(text)) printJsonText(terminal, text);
  else printJson(terminal, JSON.parse(text));
}

/** A configuration that sends results whole: a later run cannot read the next part, as the session has ended. */
function sendingAllOf(config: GatewayConfig): GatewayConfig {
  return { ...config, results: { ...config.results, maxTokens: 0 } };
}

interface CliCall {
  readonly name: string;
  readonly params: JsonObject;
  readonly user: UserChannel | undefined;
}

async function call(gateway: Gateway, { name, params, user }: CliCall, confirm: boolean): Promise<Reply> {
  const { tool, write } = await placeCall(gateway, name);
  const reply = await callAsCli(gateway, tool, write(params), user);
  const token = confirm ? tokenIn(reply) : undefined;
  const last =
    token === undefined ? reply : await callAsCli(gateway, tool, write({ ...params, _confirmation: token }), user);
  endCliSession(gateway);
  return last;
}

interface CallPlace {
  readonly tool: string;
  /** The tool's arguments of a call with these parameters. */
  readonly write: (params: JsonObject) => JsonObject;
}

/** Which MCP tool a call goes to. In passthrough that is the server's own, by the name of the operation or its own. */
async function placeCall(gateway: Gateway, name: string): Promise<CallPlace> {
  const found = await gateway.findOperation(name);
  const placed = found.kind === 'found' ? found.placed : undefined;
  if (gateway.shown().mode === 'passthrough') {
    if (placed?.operation.upstream === GATEWAY_SOURCE) assertOffered(gateway);
    return { tool: placed?.tool ?? name, write: (params) => ({ ...placed?.operation.fixedArguments, ...params }) };
  }
  // An unknown name goes through the pipeline too, because its answer suggests similar names.
  const tool = placed?.tool ?? (await gateway.toolList(undefined)).tools[0]?.name ?? '';
  return { tool, write: (params) => ({ operation: name, params }) };
}

/** The token with which to repeat the call; undefined where a person has to agree. */
function tokenIn({ code, text }: Reply): string | undefined {
  if (code !== 'CONFIRMATION_REQUIRED') return undefined;
  const { error } = JSON.parse(text) as {
    readonly error: { readonly details?: { readonly confirmation_token?: string; readonly requires?: string } };
  };
  return error.details?.requires === 'token' ? error.details.confirmation_token : undefined;
}

/** Prints the whole answer: the envelope, and the native content blocks beside it. */
function printReply(reply: Reply, terminal: Terminal): void {
  const { blocks, meta } = reply;
  const text = textOf(reply);
  const beside = { content: blocks.length === 0 ? undefined : blocks, _meta: meta };
  if (mayChangeNumbers(text)) {
    const members = JSON.stringify(beside).slice(1);
    printJsonText(terminal, `{"result":${text}${members === '}' ? '' : ','}${members}`);
  } else printJson(terminal, { result: JSON.parse(text) as unknown, ...beside });
}
