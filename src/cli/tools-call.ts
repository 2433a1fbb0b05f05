import type { Command } from 'commander';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Gateway } from '../gateway.js';
import type { UserChannel } from '../protocol/consent.js';
import type { JsonObject } from '../protocol/json.js';
import type { Reply } from '../protocol/result.js';
import { terminalUser } from './ask-user.js';
import { callAsCli, endCliSession } from './call-operation.js';
import { type CommonFlags, loadCliConfig, withGateway } from './context.js';
import { EXIT_CODE } from './exit-code.js';
import { parseParams } from './parse-params.js';
import { printJson, printLine, type Terminal } from './terminal.js';

interface CallFlags extends CommonFlags {
  readonly params?: string;
  readonly confirm?: boolean;
}

export function registerToolsCall(tools: Command, terminal: Terminal): void {
  tools
    .command('call <operation>')
    .description('call one operation through the whole pipeline and print its answer')
    .option('--params <json>', 'parameters as a JSON object', '{}')
    .option('--confirm', 'say yes where a confirmation token is asked for; a person is asked at the terminal')
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CallFlags>();
      const params = parseParams(flags.params ?? '{}');
      const config = await loadCliConfig(flags, terminal);
      const reply = await withGateway(sendingAllOf(config), (gateway) =>
        call(gateway, { name, params, user: terminalUser(terminal) }, flags.confirm === true),
      );
      if (flags.json === true) printJson(terminal, toJson(reply));
      else printEnvelope(reply.text, terminal);
      if (reply.code !== 'OK') process.exitCode = EXIT_CODE.refused;
    });
}

/** Parsing would change numbers of so many digits. */
const LONG_NUMBER = /\d{16}/;

/** Indented for people, unless that could alter what the upstream said. */
function printEnvelope(text: string, terminal: Terminal): void {
  if (LONG_NUMBER.test(text)) printLine(terminal, text);
  else printJson(terminal, JSON.parse(text));
}

/** Nobody can read on once this run has ended, so nothing is kept for later. */
function sendingAllOf(config: GatewayConfig): GatewayConfig {
  return { ...config, results: { ...config.results, maxBytes: 0 } };
}

interface CliCall {
  readonly name: string;
  readonly params: JsonObject;
  readonly user: UserChannel | undefined;
}

async function call(gateway: Gateway, { name, params, user }: CliCall, confirm: boolean): Promise<Reply> {
  const placed = gateway
    .operations()
    .find(({ operation }) => operation.name === name || operation.qualifiedName === name);
  // An unknown name goes through the pipeline too: its answer names the nearest ones.
  const tool = placed?.tool ?? gateway.toolList().tools[0]?.name ?? '';
  const reply = await callAsCli(gateway, tool, name, params, user);
  const token = confirm ? tokenIn(reply) : undefined;
  const last =
    token === undefined ? reply : await callAsCli(gateway, tool, name, { ...params, _confirmation: token }, user);
  endCliSession(gateway);
  return last;
}

/** The token that repeating the call needs; a request to an operator is not ours to confirm. */
function tokenIn({ code, text }: Reply): string | undefined {
  if (code !== 'CONFIRMATION_REQUIRED') return undefined;
  const { error } = JSON.parse(text) as {
    readonly error: { readonly details?: { readonly confirmation_token?: string; readonly requires?: string } };
  };
  return error.details?.requires === 'token' ? error.details.confirmation_token : undefined;
}

/** The whole answer: the envelope, and the native content blocks beside it. */
function toJson(reply: Reply): JsonObject {
  const { blocks, meta } = reply;
  return {
    result: JSON.parse(reply.text) as unknown,
    ...(blocks.length === 0 ? {} : { content: blocks }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}
