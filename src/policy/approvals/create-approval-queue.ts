import type { ApprovalsConfig } from '../../config/policy-config.js';
import type { StateStore } from '../../store/state-store.js';
import type { AuditActor, AuditTrail } from '../audit/audit-trail.js';
import { failClosed } from '../confirmation/fail-closed.js';
import type {
  Approval,
  ApprovalQueue,
  ApprovalRequest,
  ApprovalStatus,
  Approver,
  DecisionFault,
  DecisionResult,
} from './approval.js';
import { createApprovalId, readApprovalId } from './approval-id.js';
import { DecisionBell, type StartTimer } from './decision-bell.js';
import { createPendingLimit, type PendingLimit } from './pending-limit.js';

export interface ApprovalQueueOptions {
  readonly store: StateStore;
  readonly audit: AuditTrail;
  readonly config: Pick<ApprovalsConfig, 'expireSeconds'>;
  /** Told of each new request; must not throw. */
  readonly notify?: (approval: Approval) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly startTimer?: StartTimer;
}

interface FoundApproval {
  readonly approval: Approval;
  readonly version: number;
}

/** What is written when a request is settled. */
type Verdict = Pick<Approval, 'status' | 'decision'>;

/** How often those who wait look for a decision that another process has taken. */
const POLL_MS = 500;

/** For how long a request can be read after it has expired, decided or not. */
const REMEMBERED_MS = 3_600_000;

/** Requests that lie in a store: operators of any process that shares it see and decide them. */
export function createApprovalQueue(options: ApprovalQueueOptions): ApprovalQueue {
  return new StoredApprovals(options);
}

class StoredApprovals implements ApprovalQueue {
  readonly #store: StateStore;
  readonly #audit: AuditTrail;
  readonly #lifetimeMs: number;
  readonly #notify: (approval: Approval) => void;
  readonly #now: () => number;
  readonly #limit: PendingLimit;
  readonly #bell: DecisionBell;

  constructor(options: ApprovalQueueOptions) {
    const { store, audit, config, notify = () => undefined, now = Date.now, startTimer = startUnheldTimer } = options;
    this.#store = failClosed(store);
    this.#audit = audit;
    this.#lifetimeMs = config.expireSeconds * 1_000;
    this.#notify = notify;
    this.#now = now;
    this.#limit = createPendingLimit(this.#store, config.expireSeconds, now);
    this.#bell = new DecisionBell(startTimer);
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    const { client, clientName, session } = request.requester;
    await this.#limit.take(session);
    const approval = await this.#file(request);
    this.#record('requested', approval, { session, client_name: clientName, ...(client === null ? {} : { client }) });
    this.#notify(approval);
    return approval;
  }

  async list(status?: ApprovalStatus): Promise<readonly Approval[]> {
    const records = await this.#store.list('approval');
    const approvals = records.map(({ value }) => this.#read(value));
    return status === undefined ? approvals : approvals.filter((approval) => approval.status === status);
  }

  async find(id: string): Promise<Approval | undefined> {
    return (await this.#find(id))?.approval;
  }

  async decide(
    id: string,
    verdict: 'approved' | 'denied',
    by: Approver,
    reason: string | null = null,
  ): Promise<DecisionResult> {
    const found = await this.#find(id);
    if (found === undefined) return { ok: false, fault: 'unknown' };
    const fault = faultOf(found.approval, by);
    if (fault !== undefined) return this.#refuse(found.approval, fault, by);
    const decision = { by: by.name, at: new Date(this.#now()).toISOString(), reason };
    const decided = await this.#settle(found, { status: verdict, decision });
    if (decided === undefined) {
      const standing = await this.find(id);
      return standing === undefined ? { ok: false, fault: 'unknown' } : this.#refuse(standing, 'decided', by);
    }
    this.#record(verdict, decided, { operator: by.name, transport: by.way }, reason);
    return { ok: true, approval: decided };
  }

  async waitForDecision(
    id: string,
    waitMs: number,
    signal: { readonly cancelled: boolean; onCancel(listener: () => void): void },
  ): Promise<Approval | undefined> {
    const until = this.#now() + waitMs;
    const listener = this.#bell.listen(readApprovalId(id));
    signal.onCancel(listener.hear);
    try {
      for (;;) {
        const approval = await this.find(id);
        const remaining = until - this.#now();
        if (approval?.status !== 'pending' || signal.cancelled || remaining <= 0) return approval;
        const toExpiry = Date.parse(approval.expiresAt) - this.#now();
        await listener.pause(Math.max(0, Math.min(POLL_MS, remaining, toExpiry)));
      }
    } finally {
      listener.close();
    }
  }

  /** Denies what the session still waits for; nobody would use the yes. */
  async endSession(sessionId: string): Promise<void> {
    // Most sessions never ask, and there are many.
    if (!(await this.#limit.mayWait(sessionId))) return;
    const decision = { by: 'gateway', at: new Date(this.#now()).toISOString(), reason: 'the session ended' };
    for (const { value, version } of await this.#store.list('approval')) {
      const approval = this.#read(value);
      if (approval.status !== 'pending' || approval.requester.session !== sessionId) continue;
      const denied = await this.#settle({ approval, version }, { status: 'denied', decision });
      if (denied !== undefined) this.#record('denied', denied, { session: sessionId }, decision.reason);
    }
  }

  async #file(request: ApprovalRequest): Promise<Approval> {
    const at = this.#now();
    const expiresAt = at + this.#lifetimeMs;
    for (;;) {
      const approval: Approval = {
        ...request,
        id: createApprovalId(),
        status: 'pending',
        requestedAt: new Date(at).toISOString(),
        expiresAt: new Date(expiresAt).toISOString(),
        decision: null,
      };
      // Not tagged with its session: what was decided is to be read after the session has ended.
      const options = { expiresAt: expiresAt + REMEMBERED_MS };
      if (await this.#store.insert('approval', approval.id, { ...approval }, options)) return approval;
    }
  }

  async #find(id: string): Promise<FoundApproval | undefined> {
    const record = await this.#store.get('approval', readApprovalId(id));
    return record === undefined ? undefined : { approval: this.#read(record.value), version: record.version };
  }

  /** Nobody writes down that a request has expired: it is so for every reader at the same moment. */
  #read(value: object): Approval {
    // Only this class writes the collection.
    const approval = value as Approval;
    const expired = approval.status === 'pending' && this.#now() >= Date.parse(approval.expiresAt);
    return expired ? { ...approval, status: 'expired' } : approval;
  }

  /** Writes a verdict and wakes whoever waits for it; undefined when somebody else was faster. */
  async #settle({ approval, version }: FoundApproval, verdict: Verdict): Promise<Approval | undefined> {
    const settled: Approval = { ...approval, ...verdict };
    if (!(await this.#store.replace('approval', approval.id, version, { ...settled }))) return undefined;
    this.#bell.ring(approval.id);
    // The verdict stands even where the place cannot be given back; it comes back by itself.
    await this.#limit.free(settled).catch(() => undefined);
    return settled;
  }

  #refuse(approval: Approval, fault: DecisionFault, by: Approver): DecisionResult {
    if (fault === 'own-request') {
      const actor = { operator: by.name, transport: by.way };
      this.#audit.record({
        type: 'admin',
        action: 'approval_refused',
        details: { approval: approval.id, fault },
        actor,
      });
    }
    return { ok: false, fault, approval };
  }

  #record(
    event: 'requested' | 'approved' | 'denied',
    { id, operation }: Approval,
    actor: AuditActor,
    reason: string | null = null,
  ): void {
    const why = reason === null ? {} : { reason };
    this.#audit.record({ type: 'approval', event, approval: id, operation, ...why, actor });
  }
}

/** Why this approver may not decide, if so. */
function faultOf({ status, requester }: Approval, by: Approver): DecisionFault | undefined {
  if (status === 'expired') return 'expired';
  if (status !== 'pending') return 'decided';
  return requester.client === by.name ? 'own-request' : undefined;
}

/** A call that waits does not keep a process alive that has nothing else to do. */
function startUnheldTimer(fire: () => void, ms: number): () => void {
  const timer = setTimeout(fire, ms).unref();
  return () => clearTimeout(timer);
}
