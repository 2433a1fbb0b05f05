import type { Approval, ApprovalService, Approver, DecisionFault } from '../../src/base/protocol/approval.js';

export interface Decision {
  readonly id: string;
  readonly verdict: 'approved' | 'denied';
  readonly by: Approver;
  readonly reason: string | undefined;
}

/** An approval service whose requests and refusals the test chooses. */
export interface FakeApprovals extends ApprovalService {
  readonly decisions: readonly Decision[];
}

export function anApproval(more: Partial<Approval> = {}): Approval {
  return {
    id: 'a1b2c3',
    status: 'pending',
    operation: 'delete_file',
    upstream: 'files',
    category: 'DELETE',
    danger: 'destructive',
    reasons: ['the name begins with delete'],
    message: "Delete 'report.txt'?",
    parameters: { path: 'report.txt' },
    requester: { client: 'ci', clientName: 'a model', session: 'client:ci' },
    rule: 'deletes need a person',
    requestedAt: '2026-11-02T10:00:00.000Z',
    expiresAt: '2026-11-02T10:15:00.000Z',
    decision: null,
    ...more,
  };
}

/** @param faults why a decision about an id is refused */
export function createFakeApprovals(
  approvals: readonly Approval[],
  faults: Readonly<Record<string, DecisionFault>> = {},
): FakeApprovals {
  const decisions: Decision[] = [];
  const byId = new Map(approvals.map((approval) => [approval.id, approval]));
  return {
    decisions,
    list: async (status) => [...byId.values()].filter((each) => status === undefined || each.status === status),
    find: async (id) => byId.get(id),
    async decide(id, verdict, by, reason) {
      const approval = byId.get(id);
      const fault = approval === undefined ? 'unknown' : faults[id];
      if (fault !== undefined) return { ok: false, fault, ...(approval === undefined ? {} : { approval }) };
      decisions.push({ id, verdict, by, reason });
      const decision = { by: by.name, at: '2026-11-02T10:05:00.000Z', reason: reason ?? null };
      const decided = { ...anApproval(approval), status: verdict, decision };
      byId.set(id, decided);
      return { ok: true, approval: decided };
    },
  };
}
