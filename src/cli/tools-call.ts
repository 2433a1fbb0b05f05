import type { Command } from 'commander';
import type { Gateway } from '../gateway.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Reply } from '../protocol/result.js';
import { callAsCli } from './call-operation.js';
import { type CommonFlags, loadCliConfig, withGateway } from './context.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { printJson, type Terminal } from './terminal.js';

interface CallFlags extends CommonFlags {
  readonly params?: string;
}

export function registerToolsCall(tools: Command, terminal: Terminal): void {
  tools
    .command('call <operation>')
    .description('call one operation through the whole pipeline and print its answer')
    .option('--params <json>', 'parameters as a JSON object', '{}')
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CallFlags>();
      const params = parseParams(flags.params ?? '{}');
      const config = await loadCliConfig(flags, terminal);
      const reply = await withGateway(config, (gateway) => call(gateway, name, params));
      printJson(terminal, flags.json === true ? toJson(reply) : JSON.parse(reply.text));
      if (reply.code !== 'OK') process.exitCode = EXIT_CODE.refused;
    });
}

function call(gateway: Gateway, name: string, params: JsonObject): Promise<Reply> {
  const placed = gateway
    .operations()
    .find(({ operation }) => operation.name === name || operation.qualifiedName === name);
  // An unknown name goes through the pipeline too: its answer names the nearest ones.
  return callAsCli(gateway, placed?.tool ?? gateway.toolList().tools[0]?.name ?? '', name, params);
}

function parseParams(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--params is not JSON: ${text}`, { cause });
  }
  throw new CliError(EXIT_CODE.usage, '--params must be a JSON object, for example \'{"path": "notes.txt"}\'');
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
