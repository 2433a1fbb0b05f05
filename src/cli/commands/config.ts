import { writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { PACKAGE_DIRECTORY } from '../../base/asset.js';
import { renderInitConfig } from '../../config/edit/init-template.js';
import { maskConfig } from '../../config/load/secrets.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

interface InitFlags extends CommonFlags {
  readonly force?: boolean;
}

export function registerInit(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description('write a gateway.config.json to start from')
    .option('--force', 'replace a file that is already there')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<InitFlags>();
      const file = resolve(flags.config ?? 'gateway.config.json');
      await write(file, flags.force === true);
      if (flags.json === true) printJson(terminal, { file });
      else {
        printLine(
          terminal,
          `Wrote ${file}, with a server that shows what MCP has. Put yours under "mcpServers", or run:`,
        );
        printLine(terminal, '  mcp-aql-gateway import   takes those that clients on this machine have');
        printLine(terminal, '  mcp-aql-gateway serve    serves them');
      }
    });
}

async function write(file: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, renderInitConfig(schemaFor(file)), { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const why = exists ? 'it exists already (use --force to replace it)' : 'the file cannot be written';
    throw new CliError(EXIT_CODE.failure, `Not written: ${file}: ${why}`, { cause });
  }
}

/** The schema of the program that runs: by a relative path where it is installed beside the file, else wherever it is. */
function schemaFor(file: string): string {
  const schema = join(PACKAGE_DIRECTORY, 'docs', 'gateway-config.schema.json');
  const path = relative(dirname(file), schema);
  return path.startsWith('..') || isAbsolute(path) ? pathToFileURL(schema).href : `./${path.replaceAll('\\', '/')}`;
}

interface ValidateFlags extends CommonFlags {
  readonly print?: boolean;
}

export function registerValidate(program: Command, terminal: Terminal): void {
  program
    .command('validate')
    .description('check the configuration and report every problem at once')
    .option('--print', 'show the configuration as it will be used, secrets masked')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ValidateFlags>();
      // This command judges the configuration, so one misconfigured server makes it invalid.
      const config = await loadCliConfig({ ...flags, strict: true }, terminal);
      if (flags.print === true || flags.json === true) {
        printJson(terminal, maskConfig(config, process.env));
        return;
      }
      const enabled = config.upstreams.filter(({ disabled }) => !disabled).length;
      printLine(terminal, `The configuration is valid: ${enabled} of ${config.upstreams.length} upstreams enabled.`);
    });
}
