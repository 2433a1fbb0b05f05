import type { Command } from 'commander';
import { type CommonFlags, readPackageInfo } from '../shared/context.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

/** The specification this gateway implements. */
const SPECIFICATION = 'MCP-AQL 1.0.0-draft';

interface Versions {
  readonly name: string;
  readonly version: string;
  readonly specification: string;
  readonly node: string;
}

export function registerVersion(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('show the version of the gateway, of the specification and of Node')
    .action((_own: unknown, command: Command) => {
      if (command.optsWithGlobals<CommonFlags>().json === true) printJson(terminal, readVersions());
      else printLine(terminal, describeVersion());
    });
}

/** One line for people. */
export function describeVersion(): string {
  const { name, version, specification, node } = readVersions();
  return `${name} ${version} (${specification}, Node ${node})`;
}

function readVersions(): Versions {
  return { ...readPackageInfo(), specification: SPECIFICATION, node: process.versions.node };
}
