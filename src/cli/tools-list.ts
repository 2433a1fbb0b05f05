import type { Command } from 'commander';
import type { PlacedOperation } from '../gateway.js';
import { FROM_OPTION, type SourceFlags, withSource } from './source.js';
import { printJson, printTable, type Terminal } from './terminal.js';

export function registerToolsList(tools: Command, terminal: Terminal): void {
  tools
    .command('list')
    .description('list every operation with its family and danger')
    .option(...FROM_OPTION)
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
