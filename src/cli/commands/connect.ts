import type { Command } from 'commander';
import { programFile } from '../../base/asset.js';
import { maskSecrets } from '../../base/protocol/secret-forms.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { JsoncSyntaxError } from '../../config/load/parse-jsonc.js';
import { type GatewayAddress, MCP_CLIENTS, type McpClient } from '../clients/client-table.js';
import {
  applyClientEdit,
  applyUndo,
  backupOf,
  type ClientEdit,
  planClientEdit,
  planUndo,
} from '../clients/connect-client.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { warnOfReaders } from '../shared/readers.js';
import { listRunning } from '../shared/running.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';
import { thisMachine } from './import.js';

interface ConnectFlags extends CommonFlags {
  readonly name: string;
  readonly stdio?: boolean;
  readonly url?: string;
  readonly tokenEnv?: string;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
}

const IDS = [...MCP_CLIENTS.keys()].join(', ');

export function registerConnect(program: Command, terminal: Terminal): void {
  program
    .command('connect')
    .description("write this gateway into an MCP client's configuration, with a backup")
    .argument('<client>', IDS)
    .option('--name <name>', 'what the client calls the gateway', 'aql')
    .option('--stdio', 'let the client start a gateway of its own instead of using the one that serves')
    .option('--url <url>', 'where the gateway is reached; the running one or the configured port unless given')
    .option(
      '--token-env <variable>',
      'the environment variable whose token is written, where clients of the gateway need one',
    )
    .option('--dry-run', 'show the file as it would be, secrets masked, and write nothing')
    .option('--undo', 'put back what the last change replaced')
    .action(async (id: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ConnectFlags>();
      await act(id, flags, terminal, async (client) => client.write(await addressFor(client, flags, terminal)));
    });
  program
    .command('disconnect')
    .description("take this gateway out of an MCP client's configuration, with a backup")
    .argument('<client>', IDS)
    .option('--name <name>', 'what the client calls the gateway', 'aql')
    .option('--dry-run', 'show the file as it would be, and write nothing')
    .option('--undo', 'put back what the last change replaced')
    .action(async (id: string, _own: unknown, command: Command) => {
      await act(id, command.optsWithGlobals<ConnectFlags>(), terminal, async () => undefined);
    });
}

type Entry = ReturnType<McpClient['write']>;

async function act(
  id: string,
  flags: ConnectFlags,
  terminal: Terminal,
  entryFor: (client: McpClient) => Promise<Entry | undefined>,
): Promise<void> {
  const client = MCP_CLIENTS.get(id);
  if (client === undefined) throw new CliError(EXIT_CODE.usage, `There is no client '${id}'; expected one of ${IDS}`);
  const machine = thisMachine();
  const isUndo = flags.undo === true;
  const entry = isUndo ? undefined : await entryFor(client);
  const edit = await (isUndo ? planUndo(client, machine) : planClientEdit(client, machine, flags.name, entry)).catch(
    (cause: unknown) => {
      const place = isUndo ? '' : `${client.files(machine)[0]}: `;
      throw new CliError(EXIT_CODE.failure, `Not written: ${place}${explain(cause)}`, { cause });
    },
  );
  const isChanged = edit.before !== edit.after;
  if (isChanged && flags.dryRun !== true) await (isUndo ? applyUndo(edit) : applyClientEdit(edit));
  if (isChanged && flags.dryRun !== true && !isUndo) await warnOfReaders(edit.file, terminal);
  printOutcome({ edit, client, isChanged, isUndo, isAdded: entry !== undefined }, flags, terminal);
}

function explain(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return cause instanceof JsoncSyntaxError ? `line ${cause.line}, column ${cause.column}: ${message}` : message;
}

interface Outcome {
  readonly edit: ClientEdit;
  readonly client: McpClient;
  readonly isChanged: boolean;
  readonly isUndo: boolean;
  readonly isAdded: boolean;
}

function printOutcome(
  { edit, client, isChanged, isUndo, isAdded }: Outcome,
  flags: ConnectFlags,
  terminal: Terminal,
): void {
  const { file, after } = edit;
  const isDryRun = flags.dryRun === true;
  if (flags.json === true) {
    printJson(terminal, { client: client.id, file, changed: isChanged, written: isChanged && !isDryRun });
    return;
  }
  if (isDryRun) {
    terminal.out.write(maskSecrets(after ?? '', () => false));
    return;
  }
  if (!isChanged) {
    printLine(terminal, `${file} is as it should be; nothing was changed.`);
    return;
  }
  const done = isUndo
    ? 'is again what it was'
    : isAdded
      ? `has the gateway as '${flags.name}'`
      : 'has the gateway no more';
  printLine(terminal, `${file} ${done}. Restart ${client.title} to use it.`);
  if (!isUndo) printLine(terminal, `What was there before is in ${backupOf(file)}; --undo puts it back.`);
}

async function addressFor(client: McpClient, flags: ConnectFlags, terminal: Terminal): Promise<GatewayAddress> {
  const config = await loadCliConfig(flags, terminal);
  if (flags.stdio === true || client.onlyStdio === true) return ownProcess(config);
  const running = (await listRunning(config.dataDir)).find(({ address }) => address !== 'stdio');
  const url = flags.url ?? running?.address ?? urlOf(config);
  return { kind: 'http', url, token: readToken(config, flags.tokenEnv) };
}

/** The program as it runs now, so that the client finds it wherever it is started. */
function ownProcess({ file }: GatewayConfig): GatewayAddress {
  const program = programFile('cli/main.js');
  return {
    kind: 'stdio',
    command: process.execPath,
    args: [program, 'stdio', ...(file === null ? [] : ['--config', file])],
  };
}

function urlOf({ server: { host, port } }: GatewayConfig): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/mcp`;
}

/** The configuration may hold only the hashes of tokens, so the token itself comes from the one who connects. */
function readToken({ clients, server }: GatewayConfig, variable: string | undefined): string | undefined {
  if (variable !== undefined) {
    const token = process.env[variable];
    if (token) return token;
    throw new CliError(EXIT_CODE.usage, `--token-env: the environment variable '${variable}' is not set`);
  }
  // Clients that can use an identity provider find it by themselves.
  if (clients.length === 0 || server.oauth !== undefined) return undefined;
  throw new CliError(
    EXIT_CODE.usage,
    'Clients of this gateway need a token: put it into an environment variable, and name that with --token-env',
  );
}
