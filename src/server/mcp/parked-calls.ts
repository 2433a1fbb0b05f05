import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ASK_ERROR, type AskAbilities, type AskChannel, AskFailure, type Question } from '../../protocol/ask.js';
import type { Caller, ProgressUpdate } from '../../protocol/call.js';
import { Cancellation } from '../../protocol/cancellation.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';

/** Calls that wait for their client to come back with an answer. */
interface ParkedLimits {
  readonly perSession: number;
  readonly all: number;
  /** How long the client may take. */
  readonly patienceMs: number;
}

const LIMITS: ParkedLimits = { perSession: 16, all: 256, patienceMs: 120_000 };

/** What identifies a call: a request that continues it has to have the same. */
interface CallIdentity {
  readonly caller: Caller;
  readonly tool: string;
  readonly arguments: unknown;
}

/** One request of the client that waits for the call. */
interface Attempt {
  readonly cancellation: Cancellation;
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
}

/** What the gateway gets of a call that may be parked. */
export interface ParkableCall {
  readonly cancellation: Cancellation;
  readonly ask: AskChannel;
  readonly onProgress?: (update: ProgressUpdate) => void;
}

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
    for (const [state, call] of this.#parked) {
      if (call.caller.sessionId !== sessionId) continue;
      this.#parked.delete(state);
      call.end('the session has ended');
    }
  }

  endAll(): void {
    for (const call of this.#parked.values()) call.end('the gateway is stopping');
    this.#parked.clear();
  }
}

interface OpenQuestion {
  readonly question: Question;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (failure: AskFailure) => void;
}

/** A client's request that waits, and what answers it. */
interface Waiting extends Attempt {
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
}

class ResumableCall implements AskChannel {
  readonly abilities: AskAbilities;
  readonly #identity: CallIdentity;
  readonly #calls: ParkedCalls;
  readonly #cancellation = new Cancellation();
  readonly #open = new Map<string, OpenQuestion>();
  #asked = 0;
  /** Undefined while the call is parked. */
  #waiting: Waiting | undefined;
  #flushing = false;
  #timer: NodeJS.Timeout | undefined;
  /** The answer of a call that has ended. */
  #ended: Promise<Reply> | undefined;

  constructor(identity: CallIdentity, abilities: AskAbilities, calls: ParkedCalls) {
    this.#identity = identity;
    this.abilities = abilities;
    this.#calls = calls;
  }

  get caller(): Caller {
    return this.#identity.caller;
  }

  isOf({ caller, tool, arguments: args }: CallIdentity): boolean {
    const own = this.#identity;
    return own.caller.sessionId === caller.sessionId && own.tool === tool && isDeepStrictEqual(own.arguments, args);
  }

  begin(attempt: Attempt, run: (call: ParkableCall) => Promise<Reply>): Promise<Reply> {
    const replied = this.#wait(attempt);
    const parts = { cancellation: this.#cancellation, ask: this };
    // Where the client wants no progress with its first request it may still want it with a later one, which is rare.
    const onProgress = (update: ProgressUpdate): void => this.#waiting?.onProgress?.(update);
    const running = run(attempt.onProgress === undefined ? parts : { ...parts, onProgress });
    const finish = (): void => {
      this.#ended = running;
      this.#waiting?.resolve(running);
      this.#waiting = undefined;
    };
    running.then(finish, finish);
    return replied;
  }

  resume(responses: unknown, attempt: Attempt): Promise<Reply> {
    clearTimeout(this.#timer);
    if (this.#ended !== undefined) return this.#ended;
    const replied = this.#wait(attempt);
    const given = isJsonObject(responses) ? responses : {};
    for (const [key, { resolve }] of [...this.#open]) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined;
      if (isJsonObject(answer) && this.#open.delete(key)) resolve(answer);
    }
    // What has no answer is asked again.
    if (this.#open.size > 0) this.#flushSoon();
    return replied;
  }

  ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (cancellation.cancelled || this.#cancellation.cancelled) {
        reject(new AskFailure(ASK_ERROR.internal, 'The call has ended'));
        return;
      }
      this.#asked += 1;
      const own = question.key;
      const key = own === undefined || this.#open.has(own) ? `question_${this.#asked}` : own;
      this.#open.set(key, { question, resolve, reject });
      const withdraw = (): void => {
        if (this.#open.delete(key)) reject(new AskFailure(ASK_ERROR.internal, 'The question was withdrawn'));
      };
      cancellation.onCancel(withdraw);
      this.#flushSoon();
    });
  }

  end(reason: string): void {
    clearTimeout(this.#timer);
    this.#rejectOpen(new AskFailure(ASK_ERROR.expired, `No answer: ${reason}`));
    this.#cancellation.cancel(reason);
  }

  #wait(attempt: Attempt): Promise<Reply> {
    return new Promise((resolve) => {
      const waiting = { ...attempt, resolve };
      this.#waiting = waiting;
      attempt.cancellation.onCancel(() => {
        if (this.#waiting === waiting) this.end(attempt.cancellation.reason ?? 'the call was cancelled');
      });
    });
  }

  /** Questions that come together are asked together. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#open.size === 0) return;
    const parked = this.#calls.park(this);
    if (parked === undefined) {
      this.#rejectOpen(new AskFailure(ASK_ERROR.internal, 'Too many calls wait for answers of their clients'));
      return;
    }
    const { state, patienceMs } = parked;
    this.#timer = setTimeout(() => this.#calls.giveUp(state, this), patienceMs).unref();
    this.#waiting = undefined;
    const requests = Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question]));
    waiting.resolve({
      text: QUESTION_TEXT,
      blocks: [],
      isError: false,
      code: 'OK',
      inputRequired: { requests, state },
    });
  }

  #rejectOpen(failure: AskFailure): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { reject } of open) reject(failure);
  }
}

/** Stands in place of an answer and is not sent. */
const QUESTION_TEXT = '{}';

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
