import type { Command } from 'commander';
import type { UpstreamSummary } from '../../gateway/gateway.js';
import { describeUnmatched } from '../../gateway/operator-api.js';
import { type CommonFlags, gatewayIn, loadCliConfig, VIEW_OPTION, withGateway } from '../shared/context.js';
import { EXIT_CODE } from '../shared/exit-code.js';
import { warnOfOtherConfiguration } from '../shared/running.js';
import { printJson, printTable, printWarning, type Terminal } from '../shared/terminal.js';

export function registerList(program: Command, terminal: Terminal): void {
  program
    .command('list')
    .description('connect the upstreams and show the state of each')
    .option(...VIEW_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { readonly view?: string }>();
      const config = await loadCliConfig(flags, terminal);
      const { upstreams, unmatched } = await withGateway(config, async (gateway) => ({
        ...gatewayIn(gateway, flags.view).status(),
        unmatched: describeUnmatched(
          config,
          gateway.operations().map(({ operation }) => operation),
        ),
      }));
      for (const warning of unmatched) printWarning(terminal, warning);
      await warnOfOtherConfiguration(config, terminal);
      if (flags.json === true) printJson(terminal, upstreams);
      else printTable(terminal, COLUMNS, upstreams.map(toRow));
      const enabled = upstreams.filter(({ state }) => state !== 'disabled');
      if (enabled.length > 0 && enabled.every(({ state }) => state !== 'ready')) {
        process.exitCode = EXIT_CODE.unreachable;
      }
    });
}

const COLUMNS = ['UPSTREAM', 'STATE', 'TRANSPORT', 'TOOLS', 'SERVER', 'ISOLATION', 'NOTE'];

function toRow(upstream: UpstreamSummary): readonly string[] {
  const { name, state, transport, tools, server, protocolVersion, isolation, problem } = upstream;
  const identity = server === undefined ? '' : `${server.name} ${server.version} (${protocolVersion ?? '?'})`;
  const why = isolation?.mode === 'shared' ? isolation.doubt : isolation?.evidence[0];
  return [name, state, transport, String(tools), identity, isolation?.mode ?? '', problem ?? why ?? ''];
}
