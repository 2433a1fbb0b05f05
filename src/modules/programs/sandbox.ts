import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import quickjs from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { ErrorCode } from '../../base/protocol/error-table.js';
import { limitPayload } from '../../base/protocol/limit-payload.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { weighText } from '../../base/protocol/weigh-text.js';
import { PRELUDE } from './prelude.js';
import type {
  Delivery,
  EngineBounds,
  EngineFault,
  ProgramEnd,
  SentCall,
  ThreadStart,
  Turn,
} from './thread-messages.js';

/** The package's types are those of its CommonJS form. */
const VARIANT = quickjs as unknown as QuickJSSyncVariant;

/** The types of Node.js leave it to those of browsers. */
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => object };

const PAGE_BYTES = 65_536;
/** What the engine is built to begin with. */
const LEAST_PAGES = 256;

/** Of the engine's own stack. Functions of the engine that call themselves take more of the thread's, which is larger. */
const STACK_BYTES = 256 * 1024;

/** Of the description of what a program threw. */
const MOST_OF_ERROR = 20_000;

/**
 * One program in an engine of its own. It runs in turns: from a delivery until nothing is left to do. Nothing of it is freed, because its
 * thread ends with it.
 */
export class Sandbox {
  readonly #start: ThreadStart;
  readonly #runtime: QuickJSRuntime;
  readonly #vm: QuickJSContext;
  #program: QuickJSHandle | undefined;
  #calls: SentCall[] = [];
  /** The bytes of those that are not answered, by number. */
  readonly #open = new Map<number, number>();
  #openBytes = 0;
  #made = 0;
  #console = '';
  #consoleLeft: number;
  #end: ProgramEnd | undefined;
  /** Of processor time, in milliseconds. */
  #computeLeft: number;
  #turnBegan = 0;
  /** Before which time it cannot have computed for longer than it may. */
  #notBefore = 0;
  #isOverTime = false;

  private constructor(start: ThreadStart, runtime: QuickJSRuntime) {
    this.#start = start;
    this.#runtime = runtime;
    const { bounds } = start;
    this.#consoleLeft = bounds.maxConsoleBytes;
    this.#computeLeft = bounds.computeMs;
    runtime.setMemoryLimit(bounds.memoryBytes);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => {
      if (performance.now() > this.#notBefore) this.#checkTime();
      return this.#isOverTime;
    });
    this.#vm = runtime.newContext();
  }

  static async open(start: ThreadStart): Promise<Sandbox> {
    const variant = newVariant(VARIANT, { wasmMemory: memoryOf(start.bounds) });
    const engine = await newQuickJSWASMModuleFromVariant(variant);
    return new Sandbox(start, engine.newRuntime());
  }

  /** Begins the program. */
  begin(): Turn {
    return this.#take(() => {
      const vm = this.#vm;
      const border = [this.#send(), this.#say(), this.#finish(), this.#families()];
      const open = vm.unwrapResult(vm.evalCode(`(${PRELUDE})`, 'prelude'));
      this.#program = vm.unwrapResult(vm.callFunction(open, vm.undefined, border));
      this.#invoke('start', [vm.newString(this.#start.code), vm.newString(this.#start.input)]);
    });
  }

  deliver({ call, text }: Delivery): Turn {
    this.#openBytes -= this.#open.get(call) ?? 0;
    this.#open.delete(call);
    return this.#take(() => this.#invoke('settle', [this.#vm.newNumber(call), this.#vm.newString(text)]));
  }

  #checkTime(): void {
    const left = this.#computeLeft - (processorTime() - this.#turnBegan);
    this.#isOverTime ||= left < 0;
    this.#notBefore = performance.now() + left;
  }

  /** Does something, and then all that follows from it. */
  #take(work: () => void): Turn {
    this.#turnBegan = processorTime();
    this.#notBefore = performance.now() + this.#computeLeft;
    try {
      work();
      while (this.#end === undefined && this.#runtime.hasPendingJob())
        this.#vm.unwrapResult(this.#runtime.executePendingJobs(1));
    } catch (thrown) {
      this.#end ??= { kind: 'fault', fault: faultOf(thrown) };
    }
    if (this.#isOverTime) this.#end = { kind: 'fault', fault: 'time' };
    this.#computeLeft -= processorTime() - this.#turnBegan;
    const turn = { calls: this.#calls, console: this.#console, ...(this.#end === undefined ? {} : { end: this.#end }) };
    this.#calls = [];
    this.#console = '';
    return turn;
  }

  #invoke(name: 'start' | 'settle', given: QuickJSHandle[]): void {
    const vm = this.#vm;
    const program = this.#program ?? vm.undefined;
    vm.unwrapResult(vm.callFunction(vm.getProp(program, name), program, given));
  }

  /** Gives the number of a call, or in JSON why there is none: beyond its bounds a program costs the gateway nothing. */
  #send(): QuickJSHandle {
    const vm = this.#vm;
    return vm.newFunction('send', (family, given) => {
      try {
        return vm.newNumber(
          this.#issue(vm.getString(given), vm.typeof(family) === 'string' ? vm.getString(family) : undefined),
        );
      } catch (thrown) {
        if (thrown instanceof OperationError) return vm.newString(JSON.stringify(thrown.toFailure().error));
        throw thrown;
      }
    });
  }

  /** A call is a request: what is larger than one may be is refused here, so that nothing else parses it. @returns its number */
  #issue(text: string, family: string | undefined): number {
    const { maxCalls, maxCallBytes, maxOpenBytes, limits } = this.#start.bounds;
    const bytes = Buffer.byteLength(text);
    if (this.#made >= maxCalls) throw refusal('calls', `a program may make ${maxCalls} calls`);
    if (bytes > maxCallBytes) throw refusal('size', `a call of a program may have ${maxCallBytes} bytes`);
    if (this.#openBytes + bytes > maxOpenBytes)
      throw refusal('open', `calls that are not answered may have ${maxOpenBytes} bytes together: await some first`);
    const { tooLarge } = weighText(text, limits);
    if (tooLarge !== undefined) throw tooLarge;
    const request = JSON.parse(text) as { readonly operation: unknown };
    limitPayload(request, limits);
    const index = this.#made;
    this.#made += 1;
    if (this.#end !== undefined) return index;
    this.#open.set(index, bytes);
    this.#openBytes += bytes;
    const operation = typeof request.operation === 'string' ? request.operation : undefined;
    const digest = createHash('sha256').update(`${family} ${text}`).digest('base64url');
    this.#calls.push({ family, operation, text, digest });
    return index;
  }

  #say(): QuickJSHandle {
    return this.#vm.newFunction('say', (text) => {
      if (this.#consoleLeft <= 0 || this.#end !== undefined) return;
      const bytes = Buffer.from(`${this.#vm.getString(text)}\n`);
      const fits = bytes.byteLength <= this.#consoleLeft;
      this.#console += fits ? bytes.toString() : `${bytes.subarray(0, this.#consoleLeft).toString()}… (cut)\n`;
      this.#consoleLeft -= bytes.byteLength;
    });
  }

  /** What a program returns first is what it returns. */
  #finish(): QuickJSHandle {
    return this.#vm.newFunction('end', (kind, given) => {
      const text = this.#vm.getString(given);
      if (this.#vm.getString(kind) === 'error') this.#end ??= { kind: 'error', text: boundError(text) };
      else if (Buffer.byteLength(text) <= this.#start.bounds.maxResultBytes) this.#end ??= { kind: 'value', text };
      else this.#end ??= { kind: 'fault', fault: 'result' };
    });
  }

  #families(): QuickJSHandle {
    const list = this.#vm.newArray();
    for (const [index, family] of this.#start.families.entries())
      this.#vm.setProp(list, index, this.#vm.newString(family));
    return list;
  }
}

/** The engine's own limit counts single requests alone, as it cannot ask how large a block is: what it has in all is bounded here. */
function memoryOf({ memoryBytes }: EngineBounds): object {
  return new WebAssembly.Memory({ initial: LEAST_PAGES, maximum: Math.max(LEAST_PAGES, memoryBytes / PAGE_BYTES) });
}

const REFUSED = {
  calls: 'RATE_LIMIT_EXCEEDED',
  open: 'RATE_LIMIT_EXCEEDED',
  size: 'VALIDATION_PAYLOAD_TOO_LARGE',
} as const satisfies Record<string, ErrorCode>;

function refusal(bound: keyof typeof REFUSED, why: string): OperationError {
  const details = { reason: `program_${bound}`, outcome: 'not_run' };
  return new OperationError(REFUSED[bound], `This call did not run: ${why}`, details);
}

/** What this thread has computed, in milliseconds: on a busy machine time passes without it. Time, where the system does not tell. */
function processorTime(): number {
  try {
    // Nothing is counted where the system keeps no account.
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6 || performance.now();
  } catch {
    return performance.now();
  }
}

function boundError(text: string): string {
  if (text.length <= MOST_OF_ERROR) return text;
  const { name, message } = JSON.parse(text) as { name: string; message: string };
  return JSON.stringify({ name: name.slice(0, 100), message: message.slice(0, MOST_OF_ERROR), stack: '' });
}

function faultOf(thrown: unknown): EngineFault {
  const message = thrown instanceof Error ? thrown.message : '';
  if (message.includes('out of memory')) return 'memory';
  // The thread's own stack, on which the engine's functions run.
  if (thrown instanceof RangeError || message.includes('stack overflow')) return 'stack';
  return 'failed';
}
