import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { JsonObject } from '../../base/json/json.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { withShared } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { oneLine, printJson, printTable, type Terminal } from '../shared/terminal.js';

const AGENTS = {
  open: (config: GatewayConfig) => import('../../gateway/operator-api.js').then((api) => api.openSharedAgents(config)),
  notShared:
    "The gateway's state is in memory (store.type), which no other process can see. Use its HTTP API, /admin/agents " +
    '(policy.approvals.operators), or set store.type to sqlite or redis',
};

const BLOCKED = ['subject', 'agent', 'since', 'reason', 'challenge'] as const;
const WAITING = ['id', 'kind', 'subject', 'agent', 'expiresAt', 'action'] as const;

/** A model with a shell reads what commands print, so no command shows a code (docs/safety-loop.md). */
export function registerAgents(program: Command, terminal: Terminal): void {
  const agents = program.command('agents').description('the agents that the safety loop holds up');
  agents
    .command('list')
    .description('list the agents that are blocked, and the questions that wait for a person')
    .action((_own: unknown, command: Command) =>
      withShared(AGENTS, command, terminal, async ({ operators }, { json }) => {
        const overview = await operators.overview();
        if (json === true) {
          printJson(terminal, overview);
          return;
        }
        printRecords(terminal, 'BLOCKED', BLOCKED, overview.blocked);
        if (overview.blocked.length > 0 && overview.challenges.length > 0) terminal.out.write('\n');
        printRecords(terminal, 'WAITING', WAITING, overview.challenges);
      }),
    );
  agents
    .command('unblock <subject> [agent]')
    .description("let the agents of a client, as 'agents list' writes it, go on; the audit trail records who did")
    .action((subject: string, agent: string | undefined, _own: unknown, command: Command) =>
      withShared(AGENTS, command, terminal, async ({ operators }) => {
        const lifted = await operators.unblock(subject, agent, { name: userInfo().username, way: 'cli' });
        if (lifted.length === 0) throw new CliError(EXIT_CODE.refused, 'No such agent is blocked; see: agents list');
        terminal.err.write(`Lifted ${lifted.length === 1 ? 'a block' : `${lifted.length} blocks`}.\n`);
      }),
    );
}

function printRecords(
  terminal: Terminal,
  title: string,
  columns: readonly string[],
  records: readonly JsonObject[],
): void {
  if (records.length === 0) {
    terminal.err.write(`${title}: none\n`);
    return;
  }
  const rows = records.map((record) => columns.map((column) => oneLine(String(record[column] ?? ''))));
  printTable(
    terminal,
    [title, ...columns.slice(1)].map((column) => column.toUpperCase()),
    rows,
  );
}
