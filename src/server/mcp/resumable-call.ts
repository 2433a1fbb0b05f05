import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { ASK_ERROR, type AskAbilities, type AskChannel, AskFailure, type Question } from '../../base/protocol/ask.js';
import type { Caller, ProgressUpdate } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { Reply } from '../../base/protocol/result.js';

/** What identifies a call: a request that continues it has to have the same. */
export interface CallIdentity {
  readonly caller: Caller;
  readonly tool: string;
  readonly arguments: unknown;
}

/** One request of the client that waits for the call. */
export interface Attempt {
  readonly cancellation: Cancellation;
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** Gives the client a task in place of the answer; absent where the client knows no tasks, or all requests wait. */
  readonly asTask?: ((call: ResumableCall) => Reply | undefined) | undefined;
}

/** Where calls wait for their clients. */
interface Keeper {
  /** Keeps a call for the client that has its questions; undefined where too many are kept. */
  park(call: ResumableCall): { readonly state: string; readonly patienceMs: number } | undefined;
  giveUp(state: string, call: ResumableCall): void;
}

/** What the gateway gets of a call that may be parked. */
export interface ParkableCall {
  readonly cancellation: Cancellation;
  readonly ask: AskChannel;
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** Called when the call's server has made a task of it. */
  readonly onTask?: () => void;
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

/**
 * A call that goes on while no request waits for it: between a question and the request that brings the answer, and as a task whose
 * status the client asks for.
 */
export class ResumableCall implements AskChannel {
  readonly abilities: AskAbilities;
  readonly #identity: CallIdentity;
  readonly #calls: Keeper;
  readonly #cancellation = new Cancellation();
  readonly #open = new Map<string, OpenQuestion>();
  #asked = 0;
  /** Undefined while the call is parked. */
  #waiting: Waiting | undefined;
  #flushing = false;
  #timer: NodeJS.Timeout | undefined;
  /** The answer of a call that has ended. */
  #ended: Promise<Reply> | undefined;
  #isTask = false;
  /** A client that answers twice answers one question. */
  readonly #keys = new Set<string>();
  #words: string | undefined;
  #whenChanged: (() => void)[] = [];

  constructor(identity: CallIdentity, abilities: AskAbilities, calls: Keeper) {
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
    const onTask = (): void => this.#becomeTask();
    const parts = { cancellation: this.#cancellation, ask: this, ...(attempt.asTask === undefined ? {} : { onTask }) };
    // Where the client wants no progress with its first request it may still want it with a later one, which is rare.
    const onProgress = (update: ProgressUpdate): void => {
      this.#words = update.message ?? this.#words;
      this.#waiting?.onProgress?.(update);
    };
    const wantsProgress = attempt.onProgress !== undefined || attempt.asTask !== undefined;
    const running = run(wantsProgress ? { ...parts, onProgress } : parts);
    const finish = (): void => {
      this.#ended = running;
      this.#change();
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
    this.answer(responses);
    // What has no answer is asked again.
    if (this.#open.size > 0) this.#flushSoon();
    return replied;
  }

  /** Answers open questions by their keys. */
  answer(responses: unknown): void {
    const given = isJsonObject(responses) ? responses : {};
    for (const [key, { resolve }] of [...this.#open]) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined;
      if (isJsonObject(answer) && this.#open.delete(key)) resolve(answer);
    }
  }

  /** The answer; undefined while the call goes on. */
  get ended(): Promise<Reply> | undefined {
    return this.#ended;
  }

  /** What has no answer yet, by key. */
  get questions(): ReadonlyMap<string, Question> {
    return new Map([...this.#open].map(([key, { question }]) => [key, question]));
  }

  /** What its server said last of its progress. */
  get words(): string | undefined {
    return this.#words;
  }

  /** Resolves when the call has another question, or has ended. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#whenChanged.push(resolve));
  }

  /** Answers the waiting request with a task, where the client knows tasks. */
  #becomeTask(): void {
    const waiting = this.#waiting;
    const reply = this.#isTask ? undefined : waiting?.asTask?.(this);
    if (waiting === undefined || reply === undefined) return;
    this.#isTask = true;
    this.#waiting = undefined;
    waiting.resolve(reply);
  }

  #change(): void {
    for (const resolve of this.#whenChanged.splice(0)) resolve();
  }

  ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (cancellation.cancelled || this.#cancellation.cancelled) {
        reject(new AskFailure(ASK_ERROR.internal, 'The call has ended'));
        return;
      }
      this.#asked += 1;
      const own = question.key;
      const key = own === undefined || this.#open.has(own) || this.#keys.has(own) ? `question_${this.#asked}` : own;
      this.#keys.add(key);
      this.#open.set(key, { question, resolve, reject });
      const withdraw = (): void => {
        if (this.#open.delete(key)) reject(new AskFailure(ASK_ERROR.internal, 'The question was withdrawn'));
      };
      cancellation.onCancel(withdraw);
      this.#change();
      this.#flushSoon();
    });
  }

  end(reason: string): void {
    clearTimeout(this.#timer);
    this.#rejectOpen(new AskFailure(ASK_ERROR.expired, `No answer: ${reason}`));
    this.#cancellation.cancel(reason);
    this.#change();
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
    if (waiting === undefined || this.#isTask || this.#open.size === 0) return;
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
