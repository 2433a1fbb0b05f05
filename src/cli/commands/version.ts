import type { Command } from 'commander';
import { type CommonFlags, readPackageInfo } from '../shared/context.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

/** The specification this gateway implements. */
const SPECIFICATION = 'MCP-AQL 1.0.0-draft';

export function registerVersion(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('show the version of the gateway, of the specification and of Node')
    .action((_own: unknown, command: Command) => {
      const { name, version } = readPackageInfo();
      const facts = { name, version, specification: SPECIFICATION, node: process.versions.node };
      if (command.optsWithGlobals<CommonFlags>().json === true) printJson(terminal, facts);
      else printLine(terminal, `${name} ${version} (${SPECIFICATION}, Node ${facts.node})`);
    });
}
