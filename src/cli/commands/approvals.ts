import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { escapeInvisible } from '../../base/lib/text.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type {
  Approval,
  ApprovalService,
  ApprovalStatus,
  DecisionFault,
  ShownUpdate,
} from '../../gateway/operator-api.js';
import { type CommonFlags, withShared } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { oneLine, printJson, printLine, printTable, type Terminal } from '../shared/terminal.js';

interface ApprovalFlags extends CommonFlags {
  readonly status?: string;
  readonly reason?: string;
  readonly full?: boolean;
}

const STATUSES: readonly ApprovalStatus[] = ['pending', 'approved', 'denied', 'expired'];

const FAULTS: Readonly<Record<DecisionFault, string>> = {
  unknown: 'There is no such request; see: approvals list',
  expired: 'The request has expired; the client can send its call again',
  decided: 'The request is already decided',
  'own-request': 'You cannot decide about a request of your own',
};

export function registerApprovals(program: Command, terminal: Terminal): void {
  const approvals = program.command('approvals').description('decide about calls that wait for a person');
  approvals
    .command('list')
    .description('list the requests that wait, or those of another status')
    .option('--status <status>', `${STATUSES.join(', ')} or all`, 'pending')
    .action((_own: unknown, command: Command) =>
      withShared(APPROVALS, command, terminal, ({ service }, flags: ApprovalFlags) =>
        listApprovals(service, flags, terminal),
      ),
    );
  approvals
    .command('show <id>')
    .description('show one request')
    .option('--full', 'with all of its parameters, however long')
    .action((id: string, _own: unknown, command: Command) =>
      withShared(APPROVALS, command, terminal, async ({ service }, flags: ApprovalFlags) => {
        const approval = await service.find(id, flags.full === true);
        if (approval === undefined) throw new CliError(EXIT_CODE.refused, FAULTS.unknown);
        printApproval(approval, flags, terminal);
      }),
    );
  for (const [verb, verdict] of VERBS) {
    approvals
      .command(`${verb} <id>`)
      .description(`${verb} the request`)
      .option('--reason <text>', 'why; for the client and the audit record')
      .action((id: string, _own: unknown, command: Command) =>
        withShared(APPROVALS, command, terminal, async ({ service }, flags: ApprovalFlags) => {
          printApproval(await decide(service, id, verdict, flags.reason), flags, terminal);
        }),
      );
  }
}

const VERBS = [
  ['approve', 'approved'],
  ['deny', 'denied'],
] as const;

const APPROVALS = {
  open: (config: GatewayConfig) =>
    import('../../gateway/operator-api.js').then((api) => api.openSharedApprovals(config, () => undefined)),
  notShared:
    "The gateway's state is in memory (store.type), which no other process can see. Decide over its HTTP API or page " +
    '(policy.approvals.operators), or set store.type to sqlite or redis',
};

async function listApprovals(
  service: ApprovalService,
  { status = 'pending', json }: ApprovalFlags,
  terminal: Terminal,
): Promise<void> {
  const wanted = STATUSES.find((each) => each === status);
  if (wanted === undefined && status !== 'all') {
    throw new CliError(EXIT_CODE.usage, `--status must be one of: ${STATUSES.join(', ')}, all`);
  }
  const approvals = await service.list(wanted);
  if (json === true) {
    printJson(terminal, approvals);
    return;
  }
  if (approvals.length === 0)
    terminal.err.write(status === 'pending' ? 'No request waits.\n' : 'There is no such request.\n');
  const header = ['ID', 'STATUS', 'OPERATION', 'DANGER', 'ASKED BY', 'EXPIRES', 'WHAT'];
  printTable(terminal, header, approvals.map(toRow));
}

function toRow({ id, status, operation, danger, requester, expiresAt, message }: Approval): readonly string[] {
  const cells = [
    id,
    status,
    operation,
    danger,
    requester.user ?? requester.client ?? requester.clientName,
    expiresAt,
    message,
  ];
  return cells.map(oneLine);
}

async function decide(
  service: ApprovalService,
  id: string,
  verdict: 'approved' | 'denied',
  reason: string | undefined,
): Promise<Approval> {
  const result = await service.decide(id, verdict, { name: userInfo().username, way: 'cli' }, reason);
  if (result.ok) return result.approval;
  const state = result.approval?.decision;
  const detail = state === null || state === undefined ? '' : `: ${result.approval?.status} by ${state.by}`;
  throw new CliError(EXIT_CODE.refused, `${FAULTS[result.fault]}${detail}`);
}

function printApproval(approval: Approval, { json }: ApprovalFlags, terminal: Terminal): void {
  if (json === true) {
    printJson(terminal, approval);
    return;
  }
  const { requester, decision } = approval;
  const lines: readonly (readonly [string, string])[] = [
    ['request', `${approval.id} (${approval.status})`],
    ['what', approval.message],
    ['operation', `${approval.operation}, ${approval.category}, ${approval.danger}`],
    ['why asked', [...approval.reasons, ...(approval.rule === null ? [] : [`rule '${approval.rule}'`])].join('; ')],
    [
      'asked by',
      `${requester.user ?? requester.client ?? 'an unauthenticated client'} (calls itself '${requester.clientName}')`,
    ],
    ['asked at', approval.requestedAt],
    ['expires', approval.expiresAt],
    ...(decision === null
      ? []
      : [
          [
            'decided',
            `by ${decision.by} at ${decision.at}${decision.reason === null ? '' : `: ${decision.reason}`}`,
          ] as const,
        ]),
  ];
  for (const [label, text] of lines) printLine(terminal, `${label.padEnd(11)} ${oneLine(text)}`);
  if (approval.update !== undefined) printUpdate(approval.update, terminal);
  // JSON escapes line feeds within values, so that a value cannot imitate a line of its own.
  printLine(terminal, `parameters  ${escapeInvisible(JSON.stringify(approval.full ?? approval.parameters, null, 2))}`);
}

/** What an update would change, as JSON: a value cannot imitate a line of its own. */
function printUpdate(update: ShownUpdate, terminal: Terminal): void {
  const text = update.known ? { ...update, known: undefined } : `not known: ${update.why}`;
  printLine(terminal, `changes     ${escapeInvisible(JSON.stringify(text, null, 2))}`);
}
