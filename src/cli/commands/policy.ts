import type { Command } from 'commander';
import type { JsonObject } from '../../base/json/json.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { Inspected } from '../../gateway/gateway.js';
import { parseParams } from '../shared/call-operation.js';
import { VIEW_OPTION } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { warnOfOtherConfiguration } from '../shared/running.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

interface ExplainFlags extends SourceFlags {
  readonly params?: string;
  readonly client?: string;
  readonly user?: string;
  readonly group?: readonly string[];
  readonly scope?: readonly string[];
}

type Explanation = ReturnType<Inspected['explainPolicy']>;

export function registerPolicy(program: Command, terminal: Terminal): void {
  program
    .command('policy')
    .description('explain which calls are allowed')
    .command('explain <operation>')
    .description('show which rule decides about a call, and why')
    .option('--params <json>', "the call's parameters as a JSON object", '{}')
    .option('--client <name>', 'the authenticated client that would call')
    .option('--user <name>', 'the authenticated user that would call')
    .option('--group <name...>', 'groups of the caller')
    .option('--scope <name...>', "scopes of the caller's token")
    .option(...FROM_OPTION)
    .option(...VIEW_OPTION)
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ExplainFlags>();
      const params = parseParams(flags.params ?? '{}');
      const ask = async (gateway: Inspected): Promise<Explanation> => {
        await warnOfOtherConfiguration(gateway.config, terminal);
        return explain(gateway, name, params, flags);
      };
      const explanation = await withSource(flags, terminal, ask);
      if (flags.json === true) printJson(terminal, explanation);
      else printExplanation(explanation, terminal);
    });
}

async function explain(
  gateway: Inspected,
  name: string,
  params: JsonObject,
  { client, user, group, scope }: ExplainFlags,
): Promise<Explanation> {
  const found = await gateway.findOperation(name);
  if (found.kind === 'none') throw new CliError(EXIT_CODE.refused, found.explanation);
  return gateway.explainPolicy({
    operation: found.placed.operation,
    params,
    ...(client === undefined ? {} : { client }),
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { groups: group }),
    ...(scope === undefined ? {} : { scopes: scope }),
  });
}

function printExplanation({ operation, decision, matrix, rules, summary }: Explanation, terminal: Terminal): void {
  const agreement =
    whenRuns(decision.effect) === 'when agreed' ? ` (by ${decision.requires === 'human' ? 'a person' : 'token'})` : '';
  printLine(terminal, `${operation}: ${decision.effect}${agreement}`);
  printLine(terminal, summary);
  printLine(terminal);
  const lifted = matrix.lifted ? ', lifted by a rule' : '';
  printLine(
    terminal,
    `trust matrix: ${decision.trust} upstream, ${decision.danger} operation -> ${matrix.decision}${lifted}`,
  );
  for (const { rule, decision, matches, why } of rules) {
    printLine(terminal, `${matches ? '*' : ' '} ${rule} (${decision}): ${why}`);
  }
}
