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
import { PRELUDE } from './prelude.js';
import type { Delivery, EngineBounds, EngineFault, ProgramEnd, ThreadStart, Turn } from './thread-messages.js';

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
  #calls: string[] = [];
  #made = 0;
  #console = '';
  #consoleLeft: number;
  #end: ProgramEnd | undefined;
  #computeLeft: number;
  #turnBegan = 0;
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
      this.#isOverTime ||= performance.now() - this.#turnBegan > this.#computeLeft;
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
    return this.#take(() => this.#invoke('settle', [this.#vm.newNumber(call), this.#vm.newString(text)]));
  }

  /** Does something, and then all that follows from it. */
  #take(work: () => void): Turn {
    this.#turnBegan = performance.now();
    try {
      work();
      while (this.#end === undefined && this.#runtime.hasPendingJob())
        this.#vm.unwrapResult(this.#runtime.executePendingJobs(1));
    } catch (thrown) {
      this.#end ??= { kind: 'fault', fault: faultOf(thrown) };
    }
    if (this.#isOverTime) this.#end = { kind: 'fault', fault: 'time' };
    this.#computeLeft -= performance.now() - this.#turnBegan;
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
    const { maxCalls, maxCallBytes } = this.#start.bounds;
    return this.#vm.newFunction('send', (given) => {
      const text = this.#vm.getString(given);
      if (this.#made >= maxCalls) return this.#vm.newString(refusal(`a program may make ${maxCalls} calls`, 'calls'));
      if (Buffer.byteLength(text) > maxCallBytes)
        return this.#vm.newString(refusal(`a call of a program may have ${maxCallBytes} bytes`, 'size'));
      if (this.#end === undefined) this.#calls.push(text);
      this.#made += 1;
      return this.#vm.newNumber(this.#made - 1);
    });
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

function refusal(why: string, bound: 'calls' | 'size'): string {
  const code: ErrorCode = bound === 'calls' ? 'RATE_LIMIT_EXCEEDED' : 'VALIDATION_PAYLOAD_TOO_LARGE';
  const details = { reason: `program_${bound}`, outcome: 'not_run' };
  return JSON.stringify({ code, message: `This call did not run: ${why}`, details });
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
