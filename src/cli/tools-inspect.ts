import type { Command } from 'commander';
import type { Gateway } from '../gateway.js';
import type { JsonObject } from '../protocol/json.js';
import { introspect } from './call-operation.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { FROM_OPTION, type SourceFlags, withSource } from './source.js';
import { printJson, type Terminal } from './terminal.js';

export function registerToolsInspect(tools: Command, terminal: Terminal): void {
  tools
    .command('inspect <operation>')
    .description('explain one operation as a model sees it, with its danger and the evidence')
    .option(...FROM_OPTION)
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SourceFlags>();
      printJson(terminal, await withSource(flags, terminal, (gateway) => explain(gateway, name)));
    });
}

async function explain(gateway: Gateway, name: string): Promise<JsonObject> {
  const { text } = await introspect(gateway, {
    query: 'operations',
    name,
    include: ['danger', 'classification', 'input_schema'],
  });
  const { data } = JSON.parse(text) as { data?: { operation?: JsonObject | null } };
  if (data?.operation) return data.operation;
  const asked = JSON.parse((await introspect(gateway, { query: 'operations', search: name, first: 3 })).text) as {
    data?: { operations?: readonly { readonly name: string }[] };
  };
  const nearest = (asked.data?.operations ?? []).map((operation) => operation.name).join(', ');
  const hint = nearest === '' ? 'see: tools list' : `did you mean ${nearest}?`;
  throw new CliError(EXIT_CODE.refused, `There is no operation '${name}': ${hint}`);
}
