import { randomBytes } from 'node:crypto';
import type { AskAbilities } from '../../base/protocol/ask.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Reply } from '../../base/protocol/result.js';
import { ClientTasks } from './client-tasks.js';
import { type Attempt, type CallIdentity, type ParkableCall, ResumableCall } from './resumable-call.js';

/** Calls that wait for their client to come back with an answer. */
interface ParkedLimits {
  readonly perSession: number;
  readonly all: number;
  /** How long the client may take. */
  readonly patienceMs: number;
}

const LIMITS: ParkedLimits = { perSession: 16, all: 256, patienceMs: 120_000 };

const STATE_PREFIX = 'ask_';

/** Whether a `requestState` is one of a parked call, and not of a confirmation. */
export function isParkedState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(STATE_PREFIX);
}

/**
 * Calls of clients of the 2026-07-28 era that their server asks about. Such a client is asked by the answer to its request, and brings
 * its answers with another request; between the two the call goes on here. Its server and the pipeline see one call, which is charged
 * and recorded once and does not run again.
 */
export class ParkedCalls {
  readonly #parked = new Map<string, ResumableCall>();
  readonly #limits: ParkedLimits;
  /** The calls that go on as tasks of their clients. */
  readonly tasks = new ClientTasks();

  constructor(limits: Partial<ParkedLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Runs a call; resolves with its answer, or with its questions. */
  begin(
    identity: CallIdentity,
    abilities: AskAbilities,
    attempt: Attempt,
    run: (call: ParkableCall) => Promise<Reply>,
  ): Promise<Reply> {
    return new ResumableCall(identity, abilities, this).begin(attempt, run);
  }

  /** Continues a call with the client's answers; resolves as `begin` does. */
  resume(state: string, identity: CallIdentity, responses: unknown, attempt: Attempt): Promise<Reply> {
    const call = this.#parked.get(state);
    if (call === undefined || !call.isOf(identity)) return Promise.resolve(unknownState());
    this.#parked.delete(state);
    return call.resume(responses, attempt);
  }

  /** Keeps a call for the client that has its questions; undefined where too many are kept. */
  park(call: ResumableCall): { readonly state: string; readonly patienceMs: number } | undefined {
    const { perSession, all, patienceMs } = this.#limits;
    let own = 0;
    for (const each of this.#parked.values()) if (each.caller.sessionId === call.caller.sessionId) own += 1;
    if (own >= perSession || this.#parked.size >= all) return undefined;
    const state = `${STATE_PREFIX}${randomBytes(32).toString('base64url')}`;
    this.#parked.set(state, call);
    return { state, patienceMs };
  }

  /** Gives up a call whose client has not come back. */
  giveUp(state: string, call: ResumableCall): void {
    this.#parked.delete(state);
    call.end('the client did not bring the answer in time');
  }

  endSession(sessionId: string): void {
    this.tasks.endSession(sessionId);
    for (const [state, call] of this.#parked) {
      if (call.caller.sessionId !== sessionId) continue;
      this.#parked.delete(state);
      call.end('the session has ended');
    }
  }

  endAll(): void {
    this.tasks.endAll();
    for (const call of this.#parked.values()) call.end('the gateway is stopping');
    this.#parked.clear();
  }
}

/** A call must not begin anew because the way back to it is lost. */
function unknownState(): Reply {
  const error = new OperationError(
    'TOKEN_EXPIRED',
    'The answer came too late, or for another call: the server does not wait for it any more. The call may have run in part: check before you send it again',
    { reason: 'input_required', retryable: false, outcome: 'unknown' },
  );
  return {
    text: JSON.stringify(error.toFailure()),
    blocks: [],
    isError: true,
    code: error.code,
    protocolError: 'unknown-state',
  };
}
