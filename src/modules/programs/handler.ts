import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import type { Caller, HandlerCall, HandlerOutcome, InnerCall } from '../../base/protocol/call.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import { type Operation, originOf } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { keyOfCaller } from '../../policy/rules/caller-key.js';
import type { CallRequest, IssuedCall } from './calls.js';
import { Engine } from './engine.js';
import { busy, missingCode, otherProgram, programAsks, programFailed, tooLarge, withDryRun } from './errors.js';
import { isProgram, RUN_PROGRAM_READ_ONLY } from './operations.js';
import { ProgramRun, type Progress } from './run.js';
import type { ProgramSettings } from './settings.js';
import { refuse, type StoppedPrograms } from './stopped-programs.js';
import type { ThreadStart } from './thread-messages.js';

const MIB = 1024 * 1024;

interface ProgramDeps {
  readonly settings: () => ProgramSettings;
  /** Of requests, which the calls of a program are. */
  readonly limits: () => GatewayConfig['limits'];
  readonly stopped: Pick<StoppedPrograms, 'keep' | 'open'>;
  /** The memory of all threads. */
  readonly budget: { hold(bytes: number): boolean; release(bytes: number): void };
  readonly onDefect: (cause: unknown) => void;
}

/** What a program is, whichever process runs it. */
interface Program extends Pick<ThreadStart, 'code' | 'input' | 'families' | 'started'> {
  readonly id: string;
}

/** The characters of the answers that it got, by origin. */
type NamedParts = Readonly<Record<string, number>>;

/** A program, and where it begins. */
interface Beginning {
  readonly program: Program;
  readonly before?: Progress;
  readonly take?: () => Promise<void>;
}

/** Runs the programs of all callers. */
export class Programs {
  readonly #deps: ProgramDeps;
  readonly #running = new Map<string, number>();
  readonly #engines = new Set<Engine>();

  constructor(deps: ProgramDeps) {
    this.#deps = deps;
  }

  async handle(call: HandlerCall): Promise<HandlerOutcome> {
    const leave = this.#enter(call.caller);
    try {
      return await this.#run(call, await this.#begin(call));
    } finally {
      leave();
    }
  }

  close(): void {
    for (const engine of this.#engines) engine.close();
  }

  async #begin(call: HandlerCall): Promise<Beginning> {
    const { code, program_token: token, dry_run: dryRun } = call.arguments;
    const given = 'input' in call.arguments ? call.arguments['input'] : undefined;
    const { maxCodeBytes, maxInputBytes } = this.#deps.settings();
    if (typeof token === 'string') {
      if (dryRun === true) throw withDryRun();
      const { state, take } = await this.#deps.stopped.open(token, ownerOf(call));
      // Only this class keeps them.
      const { recorded, asked, parts, ...program } = state as JsonObject & Program & Progress & { parts: NamedParts };
      if (!call.host.calls.recall(call, parts))
        throw refuse('TOKEN_INVALID', 'is void, because what its program has called is not there any more');
      const isSame = given === undefined || canonicalJson(given) === canonicalJson(JSON.parse(program.input));
      if ((code !== undefined && code !== program.code) || !isSame) throw otherProgram();
      return { program, before: { recorded, asked }, take };
    }
    if (typeof code !== 'string') throw missingCode();
    const input = JSON.stringify(given ?? null);
    if (Buffer.byteLength(code) > maxCodeBytes) throw tooLarge('code', Buffer.byteLength(code), maxCodeBytes);
    if (Buffer.byteLength(input) > maxInputBytes) throw tooLarge('input', Buffer.byteLength(input), maxInputBytes);
    const families = call.host.calls.families(call);
    return { program: { id: idOf(code, input), code, input, families, started: Date.now() } };
  }

  async #run(call: HandlerCall, { program, before, take }: Beginning): Promise<HandlerOutcome> {
    const settings = this.#deps.settings();
    const { id: _id, ...start } = program;
    const engine = new Engine({ ...start, bounds: boundsOf(settings, this.#deps.limits()) }, this.#deps.onDefect);
    this.#engines.add(engine);
    const asked = call.arguments['timeout_ms'];
    const run = new ProgramRun({
      engine,
      ...callsOf(call, program.id),
      maxParallel: settings.maxParallel,
      maxAnswerBytes: settings.maxAnswerBytes,
      maxResultBytes: settings.maxResultBytes,
      timeoutMs: Math.min(typeof asked === 'number' ? asked : settings.timeoutMs, settings.timeoutMs),
      cancellation: call.cancellation,
    });
    try {
      const end = await run.toEnd(before, take);
      if (end.kind === 'value') return outcomeOf(run, end.text, call.arguments['dry_run'] === true);
      if (end.kind !== 'asked') throw programFailed(end, run.describe(), settings);
      const kept = await this.#keep(call, program, run);
      throw programAsks(end.questions, run.describe(), kept, call.operation.name);
    } finally {
      this.#engines.delete(engine);
    }
  }

  /** What has run is told where it cannot be kept, too. */
  async #keep(call: HandlerCall, program: Program, run: ProgramRun): Promise<{ token: string; expiresAt: number }> {
    try {
      return await this.#deps.stopped.keep({ ...program, ...run.progress, parts: partsOf(call) }, ownerOf(call));
    } catch (thrown) {
      if (!(thrown instanceof OperationError)) throw thrown;
      const { retryable: _retryable, outcome: _outcome, ...details } = thrown.details;
      const message = `The program has stopped where a call asks to be confirmed, and cannot go on: ${thrown.message}`;
      throw new OperationError(thrown.code, message, { ...details, ...run.describe() }, { cause: thrown });
    }
  }

  /** @returns what gives its place back */
  #enter(caller: Caller): () => void {
    const { budget, settings, limits } = this.#deps;
    const { max, maxPerClient } = settings();
    const key = keyOfCaller(caller);
    const own = this.#running.get(key) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= maxPerClient)
      throw busy(`${maxPerClient} programs of one client run, as many as the configuration allows`);
    if (all >= max) throw busy(`${max} programs of all clients together run, as many as the configuration allows`);
    const bytes = programBytes(settings(), limits());
    if (!budget.hold(bytes)) throw busy(`The ${all} programs that run take the memory that is there for programs`);
    this.#running.set(key, own + 1);
    return () => {
      budget.release(bytes);
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    };
  }
}

/** How the calls of a program are made: as its caller's, known by its id. */
function callsOf(call: HandlerCall, program: string) {
  const { calls } = call.host;
  const outer = { ...call, caller: { ...call.caller, program } };
  const isDryRun = call.arguments['dry_run'] === true;
  const readsOnly = isDryRun || call.operation.name === RUN_PROGRAM_READ_ONLY;
  const callOf = ({ family }: IssuedCall, { operation, params }: CallRequest, only = readsOnly): InnerCall => ({
    kind: 'program',
    tool: family === undefined ? 'aql.call' : `aql.${family}`,
    request: { operation, params },
    family,
    admits: (used) => requireWithin(only, used),
  });
  const { onProgress } = call;
  return {
    send: (made: IssuedCall, request: CallRequest, cancellation: Cancellation) =>
      calls.send({ ...outer, cancellation }, callOf(made, request)),
    reads: ({ operation, params }: CallRequest) => calls.reads(outer, operation, params),
    askAhead: (made: IssuedCall, request: CallRequest) => calls.askAhead(outer, callOf(made, request)),
    ...(isDryRun && {
      foresee: (made: IssuedCall, request: CallRequest) => calls.foresee(outer, callOf(made, request, false)),
    }),
    onProgress: onProgress && ((progress: number, message: string) => onProgress({ progress, message })),
  };
}

/**
 * Refuses a call of a program that does more than its program may, by what its arguments make of it.
 * @param operation as the call uses it
 */
function requireWithin(readsOnly: boolean, operation: Operation): void {
  const { name, classification } = operation;
  if (isProgram(operation)) throw denied(name, 'a program runs no programs');
  if (!readsOnly || classification.category === 'READ') return;
  throw denied(name, `this program only reads, and the call is ${classification.category}: 'run_program' may make it`);
}

function denied(operation: string, reason: string): OperationError {
  return new OperationError('PERMISSION_DENIED', `Permission denied: '${reason}'`, { operation, reason });
}

function partsOf({ parts }: HandlerCall): NamedParts {
  return Object.fromEntries([...(parts ?? [])].map(([operation, characters]) => [originOf(operation), characters]));
}

function ownerOf({ operation, caller }: HandlerCall) {
  return { operation: operation.qualifiedName, caller };
}

/** Known by its calls in the audit trail, with a digest of what it ran. */
function idOf(code: string, input: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([code, input]))
    .digest('hex');
  return `prog_${randomUUID()}_${digest}`;
}

/** As many of the largest calls may be made and not answered. */
const OPEN_CALLS = 4;

function boundsOf(settings: ProgramSettings, limits: GatewayConfig['limits']): ThreadStart['bounds'] {
  const { memoryMegabytes, computeMs, maxCalls, maxInputBytes, maxResultBytes, maxConsoleBytes } = settings;
  const memoryBytes = memoryMegabytes * MIB;
  const maxCallBytes = Math.min(maxInputBytes, limits.maxRequestSize);
  const maxOpenBytes = OPEN_CALLS * maxCallBytes;
  return { memoryBytes, computeMs, maxCalls, maxCallBytes, maxOpenBytes, maxResultBytes, maxConsoleBytes, limits };
}

/** What a thread takes beside the memory of its program. */
const THREAD_BYTES = 16 * MIB;

/** With what the gateway holds of it: its open calls on both sides, and the answers that it got. */
function programBytes(settings: ProgramSettings, limits: GatewayConfig['limits']): number {
  const { memoryBytes, maxOpenBytes } = boundsOf(settings, limits);
  return memoryBytes + THREAD_BYTES + 2 * maxOpenBytes + settings.maxAnswerBytes;
}

/** As an upstream's answer, which is cut and kept where it is too large. */
function outcomeOf(run: ProgramRun, result: string, isDryRun: boolean): HandlerOutcome {
  const rest = {
    calls: run.made,
    ...(isDryRun ? { would_run: run.wouldRun } : {}),
    ...(run.console === '' ? {} : { console: run.console }),
  };
  const text = `{"result":${result},${JSON.stringify(rest).slice(1)}`;
  return { toolResult: { content: [{ type: 'text', text }] }, warnings: run.warnings };
}
