import { randomBytes } from 'node:crypto';
import { getOrMake } from '../../base/lib/collections.js';
import type {
  Approval,
  ApprovalService,
  ApprovalStatus,
  Approver,
  DecisionFault,
  DecisionResult,
} from '../../base/protocol/approval.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ApprovalsConfig } from '../../config/policy-config.js';
import { failClosed } from '../../store/fail-closed.js';
import type { StateStore } from '../../store/state-store.js';
import type { AuditActor, AuditTrail } from '../audit/audit-trail.js';

export type {
  Approval,
  ApprovalService,
  ApprovalStatus,
  Approver,
  DecisionFault,
} from '../../base/protocol/approval.js';

export interface ApprovalRequest extends Omit<Approval, 'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decision'> {}

/** The requests for approval, as the gatekeeper uses them. */
export interface ApprovalQueue extends ApprovalService {
  /**
   * Stores a request and sends the configured notification; of equal requests that wait, the first stands for all.
   * @param key identifies equal requests of one caller
   */
  request(request: ApprovalRequest, key?: string): Promise<Approval>;
  /** Uses up an approved request: true for the first caller alone, since one approval is for one call. */
  claim(id: string): Promise<boolean>;
  /** Resolves when the request is decided or expires, at the latest after `waitMs`; polls for decisions of other processes. */
  waitForDecision(
    id: string,
    waitMs: number,
    signal: { readonly cancelled: boolean; onCancel(listener: () => void): void },
  ): Promise<Approval | undefined>;
  endSession(sessionId: string): Promise<void>;
}

interface ApprovalQueueOptions {
  readonly store: StateStore;
  readonly audit: AuditTrail;
  readonly config: Pick<ApprovalsConfig, 'expireSeconds' | 'maxPending' | 'maxPendingPerClient'>;
  /** Called with each new request; must not throw. */
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

/** How often a waiting call looks for a decision of another process. */
const POLL_MS = 500;

/** Of the tokens that approvals are redeemed with: nobody has those of other releases any more, so that what waits for them is over. */
const TOKENS_OF = 2;

/** How long a request can be read after it has expired, decided or not. */
const REMEMBERED_MS = 3_600_000;

/** Requests in a store: operators of any process that shares it see and decide them. */
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
  readonly #waiters: DecisionWaiters;

  constructor(options: ApprovalQueueOptions) {
    const { store, audit, config, notify = () => undefined, now = Date.now, startTimer = startUnrefTimer } = options;
    this.#store = failClosed(store);
    this.#audit = audit;
    this.#lifetimeMs = config.expireSeconds * 1_000;
    this.#notify = notify;
    this.#now = now;
    this.#limit = createPendingLimit(this.#store, config, now);
    this.#waiters = new DecisionWaiters(startTimer);
  }

  async request(request: ApprovalRequest, key?: string): Promise<Approval> {
    const { client, user, clientName, session } = request.requester;
    const equal = key === undefined ? undefined : await this.#findEqual(key);
    if (equal?.approval.status === 'pending') return summaryOf(equal.approval);
    await this.#limit.take(request.requester);
    const approval = await this.#file(request);
    if (key !== undefined) await this.#remember(key, approval);
    this.#record('requested', approval, {
      session,
      client_name: clientName,
      ...(client === null ? {} : { client }),
      ...(user === undefined ? {} : { user }),
    });
    this.#notify(summaryOf(approval));
    return approval;
  }

  async list(status?: ApprovalStatus): Promise<readonly Approval[]> {
    const records = await this.#store.list('approval');
    const approvals = records.map(({ value }) => summaryOf(this.#read(value)));
    return status === undefined ? approvals : approvals.filter((approval) => approval.status === status);
  }

  async find(id: string, full = false): Promise<Approval | undefined> {
    const found = (await this.#find(id))?.approval;
    return found === undefined || full ? found : withoutFull(found);
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
      const state = await this.find(id);
      return state === undefined ? { ok: false, fault: 'unknown' } : this.#refuse(state, 'decided', by);
    }
    this.#record(verdict, decided, { operator: by.name, transport: by.way }, reason);
    return { ok: true, approval: withoutFull(decided) };
  }

  async waitForDecision(
    id: string,
    waitMs: number,
    signal: { readonly cancelled: boolean; onCancel(listener: () => void): void },
  ): Promise<Approval | undefined> {
    const until = this.#now() + waitMs;
    const listener = this.#waiters.listen(readApprovalId(id));
    signal.onCancel(listener.onNotified);
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

  /** Denies the pending requests of the session, because nothing can use an approval any more. */
  async endSession(sessionId: string): Promise<void> {
    // An authenticated client can use an approval in its other sessions; those of its own are named after it.
    // Most sessions file no request, so the list is not read for them.
    if (!(await this.#limit.mayWait(`session/${sessionId}`))) return;
    const decision = { by: 'gateway', at: new Date(this.#now()).toISOString(), reason: 'the session ended' };
    for (const { value, version } of await this.#store.list('approval')) {
      const approval = this.#read(value);
      const { session } = approval.requester;
      if (approval.status !== 'pending' || principalIn(approval) !== undefined || session !== sessionId) continue;
      const denied = await this.#settle({ approval, version }, { status: 'denied', decision });
      if (denied !== undefined) this.#record('denied', denied, { session: sessionId }, decision.reason);
    }
  }

  async claim(id: string): Promise<boolean> {
    const record = await this.#store.get('approval', readApprovalId(id));
    if (record === undefined || record.value['claimed'] === true) return false;
    return this.#store.replace('approval', record.key, record.version, { ...record.value, claimed: true });
  }

  async #findEqual(key: string): Promise<FoundApproval | undefined> {
    const known = await this.#store.get('approval_key', key);
    return known === undefined ? undefined : this.#find(String(known.value['id']));
  }

  async #remember(key: string, { id, expiresAt }: Approval): Promise<void> {
    await this.#store.remove('approval_key', key);
    await this.#store.insert('approval_key', key, { id }, { expiresAt: Date.parse(expiresAt) });
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
      // Not tagged with its session: a decided request stays readable after the session has ended.
      const options = { expiresAt: expiresAt + REMEMBERED_MS };
      if (await this.#store.insert('approval', approval.id, { ...approval, tokensOf: TOKENS_OF }, options))
        return approval;
    }
  }

  async #find(id: string): Promise<FoundApproval | undefined> {
    const record = await this.#store.get('approval', readApprovalId(id));
    return record === undefined ? undefined : { approval: this.#read(record.value), version: record.version };
  }

  /** Expiry is computed by the reader and never written, so that a request expires for every reader at the same moment. */
  #read(value: object): Approval {
    // Only this class writes the collection.
    const { claimed: _claimed, tokensOf, ...approval } = value as Approval & Stored;
    const isOver = tokensOf !== TOKENS_OF || this.#now() >= Date.parse(approval.expiresAt);
    const expired = approval.status === 'pending' && isOver;
    return expired ? { ...approval, status: 'expired' } : approval;
  }

  /** Writes a verdict and notifies the waiting calls; undefined when the request was decided meanwhile. */
  async #settle({ approval, version }: FoundApproval, verdict: Verdict): Promise<Approval | undefined> {
    const settled: Approval = { ...approval, ...verdict };
    if (!(await this.#store.replace('approval', approval.id, version, { ...settled }))) return undefined;
    this.#waiters.notifyAll(approval.id);
    // The verdict is valid even where the count cannot be reduced; the count expires by itself.
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
    { id, operation, requester: { request } }: Approval,
    who: AuditActor,
    reason: string | null = null,
  ): void {
    const why = reason === null ? {} : { reason };
    // With the call's id, that what was decided about it is found with the call.
    const actor = request === undefined ? who : { ...who, request };
    this.#audit.record({ type: 'approval', event, approval: id, operation, ...why, actor });
  }
}

/** What is kept beside a request. */
interface Stored {
  readonly claimed?: true;
  /** Absent in requests that an earlier release has filed. */
  readonly tokensOf?: number;
}

/** Who requested it, where somebody was authenticated. */
function principalIn({ requester: { client, user } }: Pick<Approval, 'requester'>): string | undefined {
  if (user !== undefined) return `user/${user}`;
  return client === null ? undefined : `client/${client}`;
}

/** Why this approver may not decide; undefined where they may. */
function faultOf({ status, requester }: Approval, by: Approver): DecisionFault | undefined {
  if (status === 'expired') return 'expired';
  if (status !== 'pending') return 'decided';
  // What an operator tries in the console is called by `operator/NAME`.
  const isOwn = requester.client === by.name || [by.name, `operator/${by.name}`].includes(requester.user ?? '');
  return isOwn ? 'own-request' : undefined;
}

/** A waiting call does not keep the process alive. */
function startUnrefTimer(fire: () => void, ms: number): () => void {
  const timer = setTimeout(fire, ms).unref();
  return () => clearTimeout(timer);
}

/** Crockford's base32 (https://www.crockford.com/base32.html): no letter that looks like a digit. */
const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID_PREFIX = 'ap_';

/** 50 bits: too many to guess, and short enough to type. */
const ID_LENGTH = 10;

export function createApprovalId(): string {
  // 32 divides 256, so that each character is equally likely.
  const characters = Array.from(randomBytes(ID_LENGTH), (byte) => ID_ALPHABET.charAt(byte % ID_ALPHABET.length));
  return `${ID_PREFIX}${characters.join('')}`;
}

/** Normalizes an id that a person typed: in any case, with letters that look like digits. */
export function readApprovalId(typed: string): string {
  return typed.trim().toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1');
}

/** A request without its full parameters. */
function withoutFull({ full: _full, ...approval }: Approval): Approval {
  return approval;
}

/** A request as lists and notifications have it: without what may be long. */
function summaryOf({ full: _full, update: _update, ...approval }: Approval): Approval {
  return approval;
}

/** Calls `fire` once after `ms` milliseconds, unless the returned function is called before. */
type StartTimer = (fire: () => void, ms: number) => () => void;

/** A call that waits for the decision about one request. */
interface DecisionListener {
  /** Ends the current pause, or the next one. */
  readonly onNotified: () => void;
  /** Resolves after `ms` milliseconds, or at the first notification since the last pause. */
  pause(ms: number): Promise<void>;
  close(): void;
}

/** Notifies the calls that wait in this process that a request is decided. They poll for decisions of other processes. */
class DecisionWaiters {
  readonly #startTimer: StartTimer;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(startTimer: StartTimer) {
    this.#startTimer = startTimer;
  }

  notifyAll(id: string): void {
    for (const onNotified of this.#listeners.get(id) ?? []) onNotified();
  }

  /** Listens from now on: a notification between two pauses is not missed. */
  listen(id: string): DecisionListener {
    const startTimer = this.#startTimer;
    let notified = false;
    let wake: (() => void) | undefined;
    const onNotified = (): void => {
      notified = true;
      wake?.();
    };
    this.#add(id, onNotified);
    return {
      onNotified,
      async pause(ms) {
        if (!notified) {
          await new Promise<void>((resolve) => {
            const stop = startTimer(resolve, ms);
            wake = () => {
              stop();
              resolve();
            };
          });
        }
        wake = undefined;
        notified = false;
      },
      close: () => this.#remove(id, onNotified),
    };
  }

  #add(id: string, onNotified: () => void): void {
    getOrMake(this.#listeners, id, () => new Set()).add(onNotified);
  }

  #remove(id: string, onNotified: () => void): void {
    const listeners = this.#listeners.get(id);
    listeners?.delete(onNotified);
    if (listeners?.size === 0) this.#listeners.delete(id);
  }
}

/** Bounds how many requests are pending at one time. */
interface PendingLimit {
  /** Counts a request; rejects with RATE_LIMIT_EXCEEDED beyond a limit. */
  take(requester: Approval['requester']): Promise<void>;
  /** Uncounts a request that has been decided. */
  free(approval: Approval): Promise<void>;
  /** False where the requester certainly has no request pending. @param name as `boundsOf` makes it */
  mayWait(name: string): Promise<boolean>;
}

interface Bound {
  readonly name: string;
  readonly max: number;
  readonly scope: string;
}

/**
 * Counts pending requests instead of listing them, which would cost most when there are most. A request without a decision
 * is never uncounted, so each count belongs to a window as long as a request lives: what is pending was filed in this window
 * or in the one before. The sum is never too small; an expired request counts for one window more.
 *
 * @param now milliseconds since the epoch
 */
function createPendingLimit(
  store: Pick<StateStore, 'increment' | 'count'>,
  config: ApprovalQueueOptions['config'],
  now: () => number,
): PendingLimit {
  const { expireSeconds: lifetimeSeconds } = config;
  const windowMs = lifetimeSeconds * 1_000;
  const windowOf = (time: number): number => Math.floor(time / windowMs);
  const counterOf = (window: number, name: string): string => `approvals/${lifetimeSeconds}/${window}/${name}`;
  // The counter is kept one window longer than it is read, in case the store's clock is ahead of this one.
  const add = (window: number, name: string, by: number, limit?: number) =>
    store.increment([{ counter: counterOf(window, name), by, expiresAt: (window + 3) * windowMs, limit }]);
  const take = async ({ name, max, scope }: Bound): Promise<void> => {
    const at = now();
    const window = windowOf(at);
    const before = await store.count(counterOf(window - 1, name));
    const { added } = await add(window, name, 1, Math.max(0, max - before));
    if (!added) throw tooManyPending(max, scope, (window + 1) * windowMs, at);
  };

  return {
    async take(requester) {
      const window = windowOf(now());
      const taken: Bound[] = [];
      try {
        for (const bound of boundsOf(requester, config)) {
          await take(bound);
          taken.push(bound);
        }
      } catch (error) {
        for (const { name } of taken) await add(window, name, -1);
        throw error;
      }
    },
    async free({ requestedAt, requester }) {
      const window = windowOf(Date.parse(requestedAt));
      for (const { name } of boundsOf(requester, config)) await add(window, name, -1);
    },
    async mayWait(name) {
      const window = windowOf(now());
      const counts = [store.count(counterOf(window, name)), store.count(counterOf(window - 1, name))];
      return (await Promise.all(counts)).some((count) => count > 0);
    },
  };
}

/**
 * The bounds that a request counts for. Anybody can open another session, so all callers without authentication share half of the
 * whole: they cannot keep an authenticated client from asking.
 */
function boundsOf(
  requester: Approval['requester'],
  { maxPending, maxPendingPerClient }: ApprovalQueueOptions['config'],
): readonly Bound[] {
  const all: Bound = { name: 'all', max: maxPending, scope: 'in all' };
  const principal = principalIn({ requester });
  if (principal !== undefined) return [{ name: principal, max: maxPendingPerClient, scope: 'per client' }, all];
  const anonymous = { name: 'anonymous', max: Math.ceil(maxPending / 2), scope: 'of clients without authentication' };
  return [{ name: `session/${requester.session}`, max: maxPendingPerClient, scope: 'per session' }, anonymous, all];
}

function tooManyPending(limit: number, scope: string, resetsAt: number, now: number): OperationError {
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${limit} undecided requests ${scope} reached. Have some decided, or try again in ${seconds} seconds`,
    { limit, remaining: 0, resets_at: new Date(resetsAt).toISOString(), retry_after_seconds: seconds },
  );
}
