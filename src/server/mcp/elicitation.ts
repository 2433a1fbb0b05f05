import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanText } from '../../base/lib/text.js';
import {
  ASK_ERROR,
  type AskAbilities,
  type AskChannel,
  AskFailure,
  canBeAsked,
  type Question,
} from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/call.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import type { ConsentAnswer, UserChannel } from '../../base/protocol/consent.js';
import type { Peer, Responder } from './calls-in-flight.js';
import { readConsent, writeConsentParams } from './elicitation-form.js';
import { isResponse } from './read-message.js';

interface OpenQuestion {
  /** Only this session may answer. */
  readonly sessionId: string;
  readonly settle: (response: JsonObject) => void;
}

/** A question to a client: who asks is in its id, so that a server's question is never taken for one of the gateway. */
interface ClientRequest extends Question {
  readonly by: 'consent' | 'server';
  readonly sessionId: string;
  readonly responder: Responder;
  readonly cancellation: Cancellation;
  /** How long the client may take; without end where absent. */
  readonly patienceMs?: number;
}

/** Questions of servers to one session that wait for an answer; more are refused. */
const MAX_OPEN = 16;

/**
 * The questions to clients that wait for an answer, of all sessions together: a session without questions costs no memory. Each
 * question is a request by the gateway, sent through the responder of the call.
 */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  /** What a session's client has answered to `roots/list`, until it says that they have changed. */
  readonly #roots = new Map<string, JsonObject>();
  /** How often a session's client has said so. */
  readonly #rootsChanges = new Map<string, number>();
  readonly #patienceMs: number;
  /** Sends a session what belongs to none of its open requests, where its transport can. */
  notifySession: ((text: string, sessionId: string) => void) | undefined;

  /** @param patienceMs how long a client may take to answer */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The channel to the user of a waiting request; undefined where the client declares none, or no message can be sent. */
  channel({ caller, abilities }: Peer, responder: Responder): UserChannel | undefined {
    if (abilities?.form !== true || !responder.canNotify) return undefined;
    const { sessionId } = caller;
    return {
      kind: 'live',
      ask: (question, cancellation) => this.#confirm(sessionId, responder, question, cancellation),
    };
  }

  /** The way of servers' questions to the client of a waiting request; undefined where it cannot be asked anything. */
  askChannel({ caller, abilities }: Peer, responder: Responder): AskChannel | undefined {
    if (abilities === undefined || !canBeAsked(abilities) || !responder.canNotify) return undefined;
    return new LiveAsk({ questions: this, caller, abilities, responder });
  }

  /** Takes a response to an open question of this session; false for any other message. */
  takeResponse(sessionId: string, message: unknown): boolean {
    if (this.#open.size === 0 || !isResponse(message) || typeof message.id !== 'string') return false;
    const question = this.#open.get(message.id);
    if (question?.sessionId !== sessionId) return false;
    this.#open.delete(message.id);
    question.settle(message);
    return true;
  }

  /** Notes what a client says of its roots. */
  noteChange(sessionId: string, message: unknown): void {
    if (!isJsonObject(message) || message['method'] !== 'notifications/roots/list_changed') return;
    this.#roots.delete(sessionId);
    this.#rootsChanges.set(sessionId, this.rootsChangesOf(sessionId) + 1);
  }

  rootsChangesOf(sessionId: string): number {
    return this.#rootsChanges.get(sessionId) ?? 0;
  }

  endSession(sessionId: string): void {
    this.#roots.delete(sessionId);
    this.#rootsChanges.delete(sessionId);
  }

  /** Asks the client what a server asks, unless its answer is known. */
  async ask(
    question: Question,
    { caller: { sessionId }, responder }: LiveAskParts,
    cancellation: Cancellation,
  ): Promise<JsonObject> {
    const asksForRoots = question.method === 'roots/list';
    const known = asksForRoots ? this.#roots.get(sessionId) : undefined;
    if (known !== undefined) return known;
    const patienceMs = this.#patienceMs;
    const changes = this.rootsChangesOf(sessionId);
    const answer = await this.#send({ ...question, by: 'server', sessionId, responder, cancellation, patienceMs });
    // Roots that changed meanwhile are asked for again.
    if (asksForRoots && changes === this.rootsChangesOf(sessionId)) this.#roots.set(sessionId, answer);
    return answer;
  }

  async #confirm(
    sessionId: string,
    responder: Responder,
    question: string,
    cancellation: Cancellation,
  ): Promise<ConsentAnswer> {
    const params = writeConsentParams(question);
    const request = { method: 'elicitation/create', params, sessionId, responder, cancellation } as const;
    const answer = readConsent(await this.#send({ ...request, by: 'consent' }));
    if (answer === undefined) throw new Error('the client could not ask its user');
    return answer;
  }

  #send({ by, method, params, sessionId, responder, cancellation, patienceMs }: ClientRequest): Promise<JsonObject> {
    const id = `${by}-${randomUUID()}`;
    return new Promise((resolve, reject) => {
      if (cancellation.cancelled || responder.cancellation.cancelled) {
        reject(new AskFailure(ASK_ERROR.internal, 'The call has ended'));
        return;
      }
      if (by === 'server' && this.#countOf(sessionId) >= MAX_OPEN) {
        reject(new AskFailure(ASK_ERROR.internal, `The client has ${MAX_OPEN} open questions already`));
        return;
      }
      const settle = ({ result, error }: JsonObject): void => {
        clearTimeout(timer);
        if (isJsonObject(result)) resolve(result);
        else reject(failureOf(error));
      };
      const withdraw = (failure: AskFailure): void => {
        if (!this.#open.delete(id)) return;
        clearTimeout(timer);
        responder.notify(writeWithdrawal(id));
        reject(failure);
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(() => withdraw(expired(patienceMs)), patienceMs);
      timer?.unref();
      this.#open.set(id, { sessionId, settle });
      responder.notify(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const end = (): void => withdraw(new AskFailure(ASK_ERROR.internal, 'The question was withdrawn'));
      cancellation.onCancel(end);
      responder.cancellation.onCancel(end);
    });
  }

  #countOf(sessionId: string): number {
    let count = 0;
    for (const open of this.#open.values()) if (open.sessionId === sessionId) count += 1;
    return count;
  }
}

interface LiveAskParts {
  readonly questions: OpenQuestions;
  readonly caller: Caller;
  readonly abilities: AskAbilities;
  /** Of the call that waits. */
  readonly responder: Responder;
}

/** A client that is asked while its call waits. */
class LiveAsk implements AskChannel {
  readonly #parts: LiveAskParts;

  constructor(parts: LiveAskParts) {
    this.#parts = parts;
  }

  get caller(): Caller {
    return this.#parts.caller;
  }

  get abilities(): AskAbilities {
    return this.#parts.abilities;
  }

  get rootsChanges(): number {
    const { questions, caller } = this.#parts;
    return questions.rootsChangesOf(caller.sessionId);
  }

  completed(elicitationId: string, isOver: boolean): void {
    const { questions, responder, caller } = this.#parts;
    const method = 'notifications/elicitation/complete';
    const text = JSON.stringify({ jsonrpc: '2.0', method, params: { elicitationId } });
    if (isOver) questions.notifySession?.(text, caller.sessionId);
    else responder.notify(text);
  }

  ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    return this.#parts.questions.ask(question, this.#parts, cancellation);
  }
}

function failureOf(error: unknown): AskFailure {
  const { code, message }: JsonObject = isJsonObject(error) ? error : {};
  return new AskFailure(
    Number.isSafeInteger(code) ? Number(code) : ASK_ERROR.internal,
    cleanText(withoutJson(String(message))),
  );
}

/** SDKs write what a validator found, as JSON: its reader is the model of another program. */
function withoutJson(message: string): string {
  return message.replace(/[:\s]*[[{]\s*["{[][\s\S]*$/, '') || 'the client could not read the question';
}

function expired(patienceMs: number): AskFailure {
  return new AskFailure(ASK_ERROR.expired, `No answer within ${patienceMs / 1000} s`);
}

/** Lets the client close its dialog. */
function writeWithdrawal(id: string): string {
  const params = { requestId: id, reason: 'the call was cancelled or took too long' };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
}
