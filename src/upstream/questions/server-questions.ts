import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { cleanLabel, cleanValue } from '../../base/lib/text.js';
import { ASK_ERROR, type AskChannel, AskFailure, type Question } from '../../base/protocol/ask.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { type CallLog, isLogLevel, reaches } from '../../base/protocol/log-message.js';
import { RELATED_TASK } from '../../base/protocol/tasks.js';
import { type AskSettings, askClient, toAskError } from './ask-client.js';
import { adviseDenial, describeQuestion, isAskMethod, MAX_ID_LENGTH } from './prepare-question.js';
import { AbandonedCalls, ownerOf } from './question-owner.js';
import { standInRoots, tellsRoots } from './stand-in-roots.js';

/** Questions of one server that wait for an answer; more are refused. */
const MAX_OPEN = 32;

/** Pages of which a server may say that they are done; what was asked for before them is forgotten. */
const MAX_PAGES = 200;

/** What has been asked during one call. */
export class CallQuestions {
  /** How many questions wait for an answer now. */
  open = 0;
  /** When the first of them was asked, in milliseconds of the monotonic clock. */
  since = 0;
  /** What the caller should know if the call fails. */
  refusal: string | undefined;
  readonly logs = new LogAllowance();
  /** Withdraws its questions when the call ends. */
  readonly end = new Cancellation();
}

/** A page that a client was asked to open. */
interface AskedPage {
  readonly ask: AskChannel;
  readonly asked: CallQuestions;
}

/** A call in flight that may be asked about. */
interface AskableCall {
  readonly ask: AskChannel | undefined;
  readonly log: CallLog | undefined;
  questions: CallQuestions | undefined;
}

interface ServerQuestionsOptions<Call extends AskableCall> extends AskSettings {
  /** Sends a response to the server. */
  readonly send: (response: JSONRPCResponse) => void;
  /** Called when no question of a call waits any more, with the time that they have taken. */
  readonly onAnswered: (call: Call, waitedMs: number) => void;
  /** The call in flight whose request has this id. */
  readonly callOf: (id: RequestId) => Call | undefined;
  /** The call in flight that this task is. */
  readonly callOfTask: (taskId: unknown) => Call | undefined;
  readonly inFlight: () => readonly Call[];
}

/** The questions of one server of the older era, which are requests of its own. */
export class ServerQuestions<Call extends AskableCall> {
  readonly #options: ServerQuestionsOptions<Call>;
  readonly #open = new Map<RequestId, Cancellation>();
  /** By the id that the server gave each. */
  readonly #pages = new Map<unknown, AskedPage>();
  readonly abandoned = new AbandonedCalls();
  /** Whether the server has asked for folders, and not learned those of a client. */
  hasStoodIn = false;
  #logsBetweenCalls: LogAllowance | undefined;

  constructor(options: ServerQuestionsOptions<Call>) {
    this.#options = options;
  }

  get settings(): AskSettings {
    return this.#options;
  }

  /**
   * Takes a question of the server's, the withdrawal of one, or a log message; false for any other message.
   * @param requestId of the request on whose response stream it came: then it belongs to that call, and to none once that has ended
   */
  take(message: JSONRPCMessage, requestId: RequestId | undefined): boolean {
    if (!('method' in message)) return false;
    const { method, params } = message;
    if (!('id' in message)) return this.#notify(method, params, requestId);
    if (!isAskMethod(method)) return false;
    const question: Question = { method, params: isJsonObject(params) ? params : {} };
    const owner = this.#ownerOf(requestId, question.params['_meta']);
    if (this.#standsIn(message.id, question, owner?.ask)) return true;
    this.#takeQuestion(message.id, question, owner);
    if (owner === undefined && requestId === undefined) {
      if (this.#options.inFlight().length === 0) this.abandoned.asked();
      for (const call of this.#options.inFlight()) noteUncertain(call, question);
    }
    return true;
  }

  /** Answers for a client whose folders the server is not told, or that has none: it asks as it was told that it may. */
  #standsIn(id: RequestId, { method }: Question, ask: AskChannel | undefined): boolean {
    const { asker, onAsked, send } = this.#options;
    if (method !== 'roots/list' || asker.asks.roots === 'deny') return false;
    if (ask?.abilities.roots === true && tellsRoots(this.#options)) return false;
    this.hasStoodIn = true;
    onAsked({ method, outcome: 'answered', ...(ask && { caller: ask.caller }) });
    send({ jsonrpc: '2.0', id, result: standInRoots(asker.asks) });
    return true;
  }

  /** @param meta in which the server may say for which of its tasks it asks */
  #ownerOf(requestId: RequestId | undefined, meta: unknown): Call | undefined {
    const task = isJsonObject(meta) ? meta[RELATED_TASK] : undefined;
    if (isJsonObject(task)) return this.#options.callOfTask(task['taskId']);
    if (requestId !== undefined) return this.#options.callOf(requestId);
    const calls = this.#options.inFlight();
    return ownerOf(calls, this.abandoned.sessions(performance.now()));
  }

  #notify(method: string, params: unknown, requestId: RequestId | undefined): boolean {
    if (method === 'notifications/cancelled') return this.#withdraw(params);
    if (method === 'notifications/elicitation/complete') return this.#complete(params);
    if (method !== 'notifications/message') return false;
    const owner = this.#ownerOf(requestId, undefined);
    const { mask, asker, ownerLog } = this.#options;
    const log = owner === undefined ? ownerLog?.() : owner.log;
    if (log === undefined) return true;
    relayLog(params, log, asker.name, { mask, allowance: this.#allowanceOf(owner) });
    return true;
  }

  #allowanceOf(owner: Call | undefined): LogAllowance {
    if (owner === undefined) {
      this.#logsBetweenCalls ??= new LogAllowance();
      return this.#logsBetweenCalls;
    }
    owner.questions ??= new CallQuestions();
    return owner.questions.logs;
  }

  /** Only the client that was asked for the page hears of it, and once. */
  #complete(params: unknown): true {
    const id = isJsonObject(params) ? params['elicitationId'] : undefined;
    const page = this.#pages.get(id);
    this.#pages.delete(id);
    if (page !== undefined && typeof id === 'string')
      page.ask.completed?.(id.slice(0, MAX_ID_LENGTH), page.asked.end.cancelled);
    return true;
  }

  #notePage({ params }: Question, page: AskedPage): void {
    const { mode, elicitationId } = params;
    if (mode !== 'url' || typeof elicitationId !== 'string') return;
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= MAX_PAGES) this.#pages.delete(oldest);
    this.#pages.set(elicitationId, page);
  }

  #takeQuestion(id: RequestId, question: Question, owner: Call | undefined): void {
    const ask = owner?.ask;
    if (this.#open.has(id)) this.#refuse(id, new AskFailure(-32600, 'This id is in use by an open request'));
    else if (owner !== undefined && ask !== undefined && this.#open.size < MAX_OPEN)
      void this.#ask(id, question, owner, ask);
    else {
      this.#options.onAsked({ method: question.method, outcome: 'refused', ...(ask && { caller: ask.caller }) });
      this.#refuse(id, owner === undefined ? uncertain(question) : unable(question, owner));
    }
  }

  #withdraw(params: unknown): boolean {
    const id = isJsonObject(params) ? (params['requestId'] as RequestId) : undefined;
    const open = id === undefined ? undefined : this.#open.get(id);
    open?.cancel('the server does not need the answer any more');
    return open !== undefined;
  }

  async #ask(id: RequestId, question: Question, call: Call, ask: AskChannel): Promise<void> {
    const cancellation = new Cancellation();
    this.#open.set(id, cancellation);
    call.questions ??= new CallQuestions();
    const asked = call.questions;
    this.#notePage(question, { ask, asked });
    // Roots are the client's, not the call's: the server keeps them for later calls.
    if (question.method !== 'roots/list') asked.end.onCancel(() => cancellation.cancel('the call has ended'));
    if (asked.open === 0) asked.since = performance.now();
    asked.open += 1;
    try {
      const result = await askClient(question, ask, cancellation, this.#options);
      this.#options.send({ jsonrpc: '2.0', id, result } as JSONRPCResponse);
    } catch (failure) {
      asked.refusal = `The server asked for ${describeQuestion(question)}, and got none: ${toAskError(failure).message}`;
      this.#refuse(id, failure);
    } finally {
      this.#open.delete(id);
      asked.open -= 1;
      if (asked.open === 0) this.#options.onAnswered(call, performance.now() - asked.since);
    }
  }

  #refuse(id: RequestId, failure: unknown): void {
    this.#options.send({ jsonrpc: '2.0', id, error: toAskError(failure) });
  }
}

/** What the caller reads where its call then fails. */
function noteRefusal(call: AskableCall, refusal: string): void {
  call.questions ??= new CallQuestions();
  call.questions.refusal = refusal;
}

function unable(question: Question, owner: AskableCall): AskFailure {
  const what = describeQuestion(question);
  const advice = adviseDenial(question.method);
  noteRefusal(owner, `The server asked for ${what}, which this client cannot give. ${advice}`);
  return new AskFailure(ASK_ERROR.unsupported, `The client of this call cannot be asked for ${what}. ${advice}`);
}

function noteUncertain(call: AskableCall, question: Question): void {
  const what = describeQuestion(question);
  noteRefusal(
    call,
    `While this call ran, the server asked for ${what} without saying for which of its calls, so no client was asked`,
  );
}

function uncertain(question: Question): AskFailure {
  const what = describeQuestion(question);
  const message = `It is not certain for which call this asks for ${what}: send the request on the stream of its call`;
  return new AskFailure(ASK_ERROR.unsupported, message);
}

/** The most characters of JSON in one message. */
const MAX_CHARACTERS = 10_000;
/** Messages that one call may send at once, and how many a second after those. */
const BURST = 100;
const PER_SECOND = 20;

/** How many messages of one call are passed on; what comes beyond it is dropped. */
class LogAllowance {
  #room = BURST;
  #countedAt = 0;

  /** @param now milliseconds of the monotonic clock */
  take(now: number): boolean {
    this.#room = Math.min(BURST, this.#room + ((now - this.#countedAt) / 1_000) * PER_SECOND);
    this.#countedAt = now;
    if (this.#room < 1) return false;
    this.#room -= 1;
    return true;
  }
}

/** Passes a server's log message on to the client of its call, cleaned, and with the server's name before its logger's. */
function relayLog(
  params: unknown,
  log: CallLog,
  server: string,
  { mask, allowance }: { readonly mask: (params: JsonObject) => JsonObject; readonly allowance: LogAllowance },
): void {
  if (!isJsonObject(params) || !isLogLevel(params['level']) || !reaches(params['level'], log.level)) return;
  if (measureJson(params, MAX_CHARACTERS) > MAX_CHARACTERS || !allowance.take(performance.now())) return;
  const { level } = params;
  const { logger, data } = mask(params);
  const part = typeof logger === 'string' ? cleanLabel(logger) : '';
  log.write({
    level,
    logger: part === '' ? server : `${server}/${part}`,
    data: cleanValue(data ?? null, MAX_CHARACTERS),
  });
}
