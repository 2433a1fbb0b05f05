import type { Command } from 'commander';
import { maskConfig } from '../config/mask-config.js';
import { type CommonFlags, loadCliConfig } from './context.js';
import { printJson, printLine, type Terminal } from './terminal.js';

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
      const config = await loadCliConfig(flags, terminal);
      if (flags.print === true || flags.json === true) {
        printJson(terminal, maskConfig(config));
        return;
      }
      const enabled = config.upstreams.filter(({ disabled }) => !disabled).length;
      printLine(terminal, `The configuration is valid: ${enabled} of ${config.upstreams.length} upstreams enabled.`);
    });
}
