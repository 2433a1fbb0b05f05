import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { isQuestionCode } from '../../base/protocol/error-table.js';
import type { ForeseenCall } from '../../base/protocol/inner-call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationFailure, Reply, Warning } from '../../base/protocol/result.js';
import { AnswerTexts } from './answer-texts.js';
import {
  type CallRequest,
  describeCalls,
  endCall,
  type IssuedCall,
  nameOf,
  readCall,
  showParams,
  withMember,
} from './calls.js';
import type { Engine } from './engine.js';
import type { Delivery, EngineFault, ProgramEnd, Turn } from './thread-messages.js';

/** An answer in the order in which it was delivered, with the digest of its call. */
export interface RecordedAnswer extends Delivery {
  readonly digest: string;
}

/** A question, and what goes with its call once it is agreed to. */
export interface AskedCall {
  readonly call: number;
  readonly digest: string;
  /** The directive that carries the token, and the token; undefined where a question has none. */
  readonly answer: JsonObject | undefined;
}

/** What a program that has stopped goes on from. */
export interface Progress {
  readonly recorded: readonly RecordedAnswer[];
  readonly asked: readonly AskedCall[];
}

export type RunEnd =
  | Extract<ProgramEnd, { readonly text: string }>
  | { readonly kind: 'fault'; readonly fault: RunFault }
  /** It has stopped, with the questions as their calls were answered. */
  | { readonly kind: 'asked'; readonly questions: readonly OperationFailure[] };

/** `stuck`: it waits for what nothing settles. */
export type RunFault = EngineFault | 'stuck' | 'timeout' | 'cancelled';

interface RunDeps {
  readonly engine: Pick<Engine, 'begin' | 'deliver' | 'close'>;
  /** Sends a call, with what agrees to it. Never rejects. */
  readonly send: (call: IssuedCall, request: CallRequest, cancellation: Cancellation) => Promise<Reply>;
  /** Whether a call only reads, by what it sends. */
  readonly reads: (request: CallRequest) => boolean;
  /** Judges a call of a dry run; absent where calls run. */
  readonly foresee?: (call: IssuedCall, request: CallRequest) => Promise<ForeseenCall>;
  /** The question that a call will ask, with its token; undefined where none is known. Never rejects. */
  readonly askAhead: (call: IssuedCall, request: CallRequest) => Promise<OperationFailure | undefined>;
  readonly maxParallel: number;
  readonly maxAnswerBytes: number;
  /** Of the params that a dry run lists. */
  readonly maxResultBytes: number;
  readonly timeoutMs: number;
  /** Of the call that runs the program. */
  readonly cancellation: Cancellation;
  readonly onProgress: ((progress: number, operation: string) => void) | undefined;
}

interface Done {
  readonly call: IssuedCall;
  /** Undefined where the call asks: it did not run. */
  readonly text: string | undefined;
}

/** Calls that are asked about before their turns, at one stop. */
const MOST_AHEAD = 20;

const IDLE: Turn = { calls: [], console: '' };
const NOTHING: Progress = { recorded: [], asked: [] };

/** One run of a program: what it was answered before, and then its calls as they come. */
export class ProgramRun {
  readonly #deps: RunDeps;
  readonly #calls: IssuedCall[] = [];
  /** How many have begun. */
  #begun = 0;
  readonly #running = new Map<number, Promise<Done>>();
  readonly #recorded: RecordedAnswer[] = [];
  readonly #asked: (AskedCall & { readonly question: OperationFailure })[] = [];
  #agreed: ReadonlyMap<number, JsonObject | undefined> = new Map();
  readonly #texts: AnswerTexts;
  /** Of its calls: cancelled when it is cut off. */
  readonly #cancellation = new Cancellation();
  readonly #wouldRun: JsonObject[] = [];
  #listable: number;
  #console = '';
  #cutOff: RunFault | undefined;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    this.#texts = new AnswerTexts(deps.maxAnswerBytes);
    this.#listable = deps.maxResultBytes;
  }

  /** What has run. */
  describe(): JsonObject {
    return { ...describeCalls(this.#calls), ...(this.#console === '' ? {} : { console: this.#console }) };
  }

  get console(): string {
    return this.#console;
  }

  /** How many calls have run. */
  get made(): number {
    return this.#calls.filter(({ outcome }) => outcome !== undefined).length;
  }

  get wouldRun(): readonly JsonObject[] {
    return this.#wouldRun;
  }

  get warnings(): readonly Warning[] {
    const left = this.#calls.filter(({ outcome }) => outcome === undefined);
    return left.length === 0 ? this.#texts.warnings : [...this.#texts.warnings, leftWarning(left)];
  }

  get progress(): Progress {
    const asked = this.#asked.map(({ question: _question, ...one }) => one);
    // What was agreed to and has not had its turn stays agreed to.
    const isLeft = (call: number): boolean =>
      this.#calls[call]?.outcome === undefined && !asked.some((one) => one.call === call);
    const left = [...this.#agreed].filter(([call]) => isLeft(call));
    const agreed = left.map(([call, answer]) => ({ call, digest: this.#calls[call]?.digest ?? '', answer }));
    return { recorded: this.#recorded, asked: [...asked, ...agreed] };
  }

  /**
   * Runs it to its end, or to where it stops.
   * @param before what it was answered before; with it, nothing runs until it has made the same calls
   * @param take called once, before the first call runs; where it rejects, none does
   * @throws OperationError where it makes other calls than before
   */
  async toEnd(before: Progress = NOTHING, take: () => Promise<void> = async () => undefined): Promise<RunEnd> {
    const { engine, cancellation, timeoutMs } = this.#deps;
    let timer: NodeJS.Timeout | undefined;
    const cut = new Promise<Turn>((resolve) => {
      const cutOff = (fault: RunFault): void => {
        this.#cutOff ??= fault;
        engine.close();
        this.#cancellation.cancel(fault === 'timeout' ? 'its program took too long' : 'its program was cancelled');
        resolve(IDLE);
      };
      timer = setTimeout(cutOff, timeoutMs, 'timeout').unref();
      cancellation.onCancel(() => cutOff('cancelled'));
    });
    try {
      const replayed = await this.#replay(before);
      if (this.#cutOff !== undefined) return { kind: 'fault', fault: this.#cutOff };
      if (replayed?.end?.kind === 'fault') return replayed.end;
      await take();
      return await this.#live(replayed, cut);
    } finally {
      clearTimeout(timer);
      engine.close();
      if (this.#running.size > 0 && this.#cutOff !== undefined) await Promise.all(this.#running.values());
    }
  }

  /** Delivers what was recorded. Resolves with the turn after it. */
  async #replay({ recorded, asked }: Progress): Promise<Turn> {
    const { engine } = this.#deps;
    let turn = this.#take(await engine.begin());
    for (const answer of recorded) {
      if (turn.end?.kind === 'fault') return turn;
      const call = this.#calls[answer.call];
      if (call?.digest !== answer.digest || call.outcome !== undefined) throw differs(answer.call);
      call.reads = this.#deps.reads(readCall(call));
      endCall(call, codeOf(answer.text));
      this.#recorded.push(answer);
      this.#texts.count(call, answer.text);
      // What came beside a question was kept alone: the program may end without it.
      if (turn.end === undefined) turn = this.#take(await engine.deliver(answer));
    }
    const other = asked.find(({ call, digest }) => this.#calls[call]?.digest !== digest);
    if (other !== undefined && turn.end?.kind !== 'fault') throw differs(other.call);
    this.#agreed = new Map(asked.map(({ call, answer }) => [call, answer]));
    return turn;
  }

  async #live(first: Turn, cut: Promise<Turn>): Promise<RunEnd> {
    let turn = first;
    while (turn.end === undefined) {
      this.#beginCalls();
      if (this.#running.size === 0) return this.#stop();
      const done = await Promise.race([cut, ...this.#running.values()]);
      if ('calls' in done) break;
      turn = await this.#deliver(done);
    }
    if (this.#cutOff !== undefined) return { kind: 'fault', fault: this.#cutOff };
    // Calls that were not awaited have begun all the same.
    if (this.#running.size > 0) await Promise.race([cut, Promise.all(this.#running.values())]);
    return turn.end ?? { kind: 'fault', fault: this.#cutOff ?? 'failed' };
  }

  #take(turn: Turn): Turn {
    for (const call of turn.calls) this.#calls.push({ ...call, index: this.#calls.length });
    this.#console += turn.console;
    return turn;
  }

  async #stop(): Promise<RunEnd> {
    if (this.#asked.length === 0) return { kind: 'fault', fault: this.#cutOff ?? 'stuck' };
    await this.#askAhead();
    return { kind: 'asked', questions: this.#asked.map(({ question }) => question) };
  }

  /** Calls that were made together are asked about together, as far as it is known that they ask: the others ask at their turns. */
  async #askAhead(): Promise<void> {
    const isAsked = ({ index }: IssuedCall): boolean => this.#asked.some(({ call }) => call === index);
    const coming = this.#calls.slice(this.#begun).filter((call) => call.outcome === undefined && !isAsked(call));
    for (const call of coming.slice(0, MOST_AHEAD)) {
      if (this.#cutOff !== undefined) return;
      const question = this.#agreed.has(call.index) ? undefined : await this.#deps.askAhead(call, readCall(call));
      if (question === undefined) continue;
      this.#asked.push({ call: call.index, digest: call.digest, answer: answerTo(question), question });
    }
  }

  /** Begins what may begin, in the order in which it was called: reads beside each other, what may change something alone. */
  #beginCalls(): void {
    for (let call = this.#nextCall(); call !== undefined && this.#mayBegin(call); call = this.#nextCall()) {
      const begun = call;
      begun.outcome = 'running';
      this.#running.set(begun.index, this.#perform(begun));
    }
  }

  #nextCall(): IssuedCall | undefined {
    while (this.#calls[this.#begun]?.outcome !== undefined) this.#begun += 1;
    return this.#calls[this.#begun];
  }

  #mayBegin(call: IssuedCall): boolean {
    // What a question stops has not begun, whatever comes after it.
    if (this.#asked.length > 0 || this.#cutOff !== undefined) return false;
    if (this.#running.size >= this.#deps.maxParallel) return false;
    call.reads ??= this.#deps.reads(readCall(call));
    if (this.#running.size === 0) return true;
    return call.reads && [...this.#running.keys()].every((index) => this.#calls[index]?.reads === true);
  }

  /** Delivers an answer, or keeps it for when the program goes on. */
  async #deliver({ call, text }: Done): Promise<Turn> {
    this.#running.delete(call.index);
    if (text === undefined) return IDLE;
    const answer = { call: call.index, digest: call.digest, text };
    this.#recorded.push(answer);
    this.#deps.onProgress?.(this.#recorded.length, nameOf(call));
    if (this.#asked.length > 0) return IDLE;
    return this.#take(await this.#deps.engine.deliver({ call: call.index, text }));
  }

  async #perform(call: IssuedCall): Promise<Done> {
    const request = readCall(call);
    const { foresee } = this.#deps;
    const text = foresee === undefined ? await this.#run(call, request) : await this.#try(call, request, foresee);
    if (text === undefined) call.outcome = undefined;
    else endCall(call, codeOf(text));
    return { call, text };
  }

  /** Undefined where it asks. */
  async #run(call: IssuedCall, request: CallRequest): Promise<string | undefined> {
    const reply = await this.#send(call, request);
    if (!isQuestionCode(reply.code)) return this.#texts.textOf(call, reply);
    const question = JSON.parse(reply.text) as OperationFailure;
    this.#asked.push({ call: call.index, digest: call.digest, answer: answerTo(question), question });
    return undefined;
  }

  /** A token that has expired, or is of another configuration, is a question to be asked anew. */
  async #send(call: IssuedCall, request: CallRequest): Promise<Reply> {
    const { send } = this.#deps;
    const agreed = this.#agreed.get(call.index);
    if (agreed === undefined) return send(call, request, this.#cancellation);
    const reply = await send(call, withMember(request, agreed), this.#cancellation);
    return reply.code.startsWith('TOKEN_') ? send(call, request, this.#cancellation) : reply;
  }

  /** Runs a read of a dry run; of all else it is noted that it would run. */
  async #try(call: IssuedCall, request: CallRequest, foresee: NonNullable<RunDeps['foresee']>): Promise<string> {
    try {
      const { operation, category, params, effect } = await foresee(call, request);
      if (category === 'READ') {
        const reply = await this.#send(call, request);
        if (!isQuestionCode(reply.code)) return this.#texts.textOf(call, reply);
      }
      const shown = showParams(params, this.#listable);
      this.#listable -= shown === params ? call.text.length : 0;
      this.#wouldRun.push({ operation, category, params: shown, policy: effect });
      return DRY_RUN;
    } catch (thrown) {
      if (thrown instanceof OperationError) return JSON.stringify(thrown.toFailure());
      throw thrown;
    }
  }
}

const DRY_RUN = '{"success":true,"data":{"dry_run":true}}';

/** What agrees to a question: its token, in the directive that it is about. */
function answerTo({ error: { code, details } }: OperationFailure): JsonObject | undefined {
  const token = details?.['confirmation_token'];
  if (typeof token !== 'string') return undefined;
  return { [code === 'RATE_LIMIT_QUOTA_PAUSE' ? '_quota_continue' : '_confirmation']: token };
}

/** `OK`, or the code of the failure. */
function codeOf(text: string): string {
  if (text.startsWith('{"success":true')) return 'OK';
  const failure: unknown = JSON.parse(text);
  const error = isJsonObject(failure) ? failure['error'] : undefined;
  return isJsonObject(error) ? String(error['code']) : 'OK';
}

function differs(call: number): OperationError {
  return new OperationError(
    'CONFLICT_INVALID_STATE',
    `The program made another call at place ${call + 1} than before it stopped, so nothing has run. Run it from its beginning, and mind what it has done already`,
    { reason: 'replay_differs', call: call + 1, outcome: 'not_run' },
  );
}

function leftWarning(left: readonly IssuedCall[]): Warning {
  const names = [...new Set(left.map(nameOf))];
  return {
    code: 'PROGRAM_CALLS_LEFT_WARNING',
    message: `${left.length} calls did not run, because the program returned before it awaited them: ${names.slice(0, 10).join(', ')}`,
    details: { calls: left.length, operations: names.slice(0, 10) },
    severity: 'high',
  };
}
