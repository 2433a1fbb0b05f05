import { Command, CommanderError } from 'commander';
import { escapeInvisible } from '../base/lib/text.js';
import { registerAgents } from './commands/agents.js';
import { registerApprovals } from './commands/approvals.js';
import { registerAudit } from './commands/audit.js';
import { registerClassify } from './commands/classify.js';
import { registerCompare } from './commands/compare.js';
import { registerCompletion } from './commands/completion.js';
import { registerInit, registerValidate } from './commands/config.js';
import { registerConformance } from './commands/conformance.js';
import { registerConnect } from './commands/connect.js';
import { registerCredentials } from './commands/credentials.js';
import { registerDoctor } from './commands/doctor.js';
import { registerExport } from './commands/export.js';
import { registerImport } from './commands/import.js';
import { registerList } from './commands/list.js';
import { registerLock } from './commands/lock.js';
import { registerLogs } from './commands/logs.js';
import { registerModules } from './commands/modules.js';
import { registerPolicy } from './commands/policy.js';
import { registerRestart } from './commands/restart.js';
import { registerServe } from './commands/serve.js';
import { registerServers } from './commands/servers.js';
import { registerStatus } from './commands/status.js';
import { registerStdio } from './commands/stdio.js';
import { registerTokens } from './commands/tokens.js';
import { registerTools } from './commands/tools.js';
import { describeVersion, registerVersion } from './commands/version.js';
import { CliError, EXIT_CODE } from './shared/exit-code.js';
import type { Terminal } from './shared/terminal.js';

const COMMANDS = [
  registerServe,
  registerStdio,
  registerInit,
  registerValidate,
  registerServers,
  registerImport,
  registerConnect,
  registerDoctor,
  registerStatus,
  registerRestart,
  registerList,
  registerTools,
  registerClassify,
  registerExport,
  registerLock,
  registerLogs,
  registerModules,
  registerAudit,
  registerPolicy,
  registerApprovals,
  registerAgents,
  registerCredentials,
  registerTokens,
  registerCompare,
  registerConformance,
  registerVersion,
  registerCompletion,
];

function createProgram(terminal: Terminal): Command {
  const program = new Command('mcp-aql-gateway')
    .description('Every tool of every MCP server behind five semantic tools, or one.')
    .option('-c, --config <file>', 'the configuration file (default: gateway.config.json)')
    .option('--mode <mode>', 'semantic, single, all or passthrough')
    .option('--profile <name>', 'which families of operations are shown (default: crude)')
    .option('--prefix <prefix>', 'what the names of the MCP tools begin with (default: mcp_aql_)')
    .option('--read-only', 'refuse every operation that is not READ')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent')
    .option('--strict', 'refuse a configuration in which one server is misconfigured')
    .option('--json', 'print JSON')
    .version(describeVersion(), '-V, --version', 'show the version of the gateway, of the specification and of Node')
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help to see commands and options)')
    .exitOverride();
  for (const register of COMMANDS) register(program, terminal);
  return program;
}

/** Runs one command line. The exit code is set without ending the process, so that all output is written. */
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
    terminal.err.write(`${escapeInvisible(error.message)}\n`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  terminal.err.write(`mcp-aql-gateway failed: ${message}\n`);
  return EXIT_CODE.failure;
}
