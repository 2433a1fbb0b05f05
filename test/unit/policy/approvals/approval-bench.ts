import {
  type Approval,
  type ApprovalQueue,
  type ApprovalRequest,
  createApprovalQueue,
} from '../../../../src/policy/approvals/approval-queue.js';
import { type AuditEvent, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';
import { ManualTimers } from './manual-timers.js';

export const START = Date.parse('2026-03-01T12:00:00.000Z');

/** Seconds; a divisor of the start, so that counting windows begin with it. */
export const LIFETIME = 900;

export const OPERATOR = { name: 'alice', way: 'http' } as const;

export function aRequest(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    operation: 'github__delete_repository',
    upstream: 'github',
    category: 'DELETE',
    danger: 'destructive',
    reasons: ['it deletes'],
    message: "Delete repository 'demo'?",
    parameters: { repo: 'demo', token: '[redacted]' },
    requester: { client: 'ci', clientName: 'editor', session: 'session-1' },
    rule: 'people decide',
    ...changes,
  };
}

export function fromSession(session: string): ApprovalRequest {
  return aRequest({ requester: { client: null, clientName: 'editor', session } });
}

export interface ApprovalBench {
  readonly queue: ApprovalQueue;
  readonly store: StateStore;
  readonly events: AuditEvent[];
  readonly notified: Approval[];
  readonly timers: ManualTimers;
  /** The clock, in milliseconds. */
  time: number;
  /** A queue of another process over the same store. */
  elsewhere(): ApprovalQueue;
}

export function createApprovalBench(): ApprovalBench {
  const now = (): number => bench.time;
  const store = new MemoryStore(now);
  const events: AuditEvent[] = [];
  const notified: Approval[] = [];
  const timers = new ManualTimers();
  const audit = {
    ...noAuditTrail,
    record: (event: AuditEvent) => void events.push(event),
    accept: (event: AuditEvent) => events.push(event) > 0,
  };
  const options = {
    store,
    audit,
    config: { expireSeconds: LIFETIME, maxPending: 200, maxPendingPerClient: 20 },
    now,
    startTimer: timers.start,
  };
  const queue = createApprovalQueue({ ...options, notify: (approval) => void notified.push(approval) });
  const elsewhere = (): ApprovalQueue => createApprovalQueue(options);
  const bench: ApprovalBench = { queue, store, events, notified, timers, time: START, elsewhere };
  return bench;
}
