import { Command, CommanderError } from 'commander';
import { registerApprovals } from './approvals.js';
import { registerAudit } from './audit.js';
import { registerClassify } from './classify.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { registerInit } from './init.js';
import { registerList } from './list.js';
import { registerLock } from './lock.js';
import { registerPolicy } from './policy.js';
import { registerServe } from './serve.js';
import { registerStdio } from './stdio.js';
import type { Terminal } from './terminal.js';
import { registerTokens } from './tokens.js';
import { registerTools } from './tools.js';
import { registerValidate } from './validate.js';
import { registerVersion } from './version.js';

const COMMANDS = [
  registerServe,
  registerStdio,
  registerInit,
  registerValidate,
  registerList,
  registerTools,
  registerClassify,
  registerLock,
  registerAudit,
  registerPolicy,
  registerApprovals,
  registerTokens,
  registerVersion,
];

function createProgram(terminal: Terminal): Command {
  const program = new Command('mcp-aql-gateway')
    .description('Every tool of every MCP server behind five semantic tools, or one.')
    .option('-c, --config <file>', 'the configuration file (default: gateway.config.json)')
    .option('--mode <mode>', 'semantic, single or all')
    .option('--profile <name>', 'which families of operations are shown (default: crude)')
    .option('--prefix <prefix>', 'what the names of the MCP tools begin with (default: mcp_aql_)')
    .option('--read-only', 'let nothing through that is not READ')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent')
    .option('--json', 'print JSON')
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for what there is)')
    .exitOverride();
  for (const register of COMMANDS) register(program, terminal);
  return program;
}

/** Runs one command line. The exit code is set, not forced, so that what was printed gets out. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<void> {
  try {
    await createProgram(terminal).parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error, terminal);
  }
}

function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODE.ok : EXIT_CODE.usage;
  if (error instanceof CliError) {
    terminal.err.write(`${error.message}\n`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  terminal.err.write(`mcp-aql-gateway failed: ${message}\n`);
  return EXIT_CODE.failure;
}
