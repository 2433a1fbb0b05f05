import type { Observer } from '../base/observe/observation.js';
import type { HandlerCall, OperationHandler } from '../base/protocol/call.js';
import type { Operation } from '../base/protocol/operation.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import { normalise, type Output, type Setting, type Settings } from '../config/schema/setting.js';
import type { PolicyService } from '../policy/policy.js';
import type { MemoryBudget } from './memory-budget.js';

export { readCursor, writeCursor } from './builtin/introspect/page.js';
export { createOwnOperation, type OwnOperationDraft } from './builtin/own-operation.js';

/** A capability in a folder of its own. The gateway knows no more of it than this. */
export interface Module<S extends Setting = Setting> {
  readonly name: string;
  /** Its section of the main file, which has its name. What it says is in force after a reload. */
  readonly settings?: S;
  /** Whether a configuration has it; nothing of it is loaded where none has. */
  isOn(settings: Output<S>): boolean;
  /** Its operations over what can be called. */
  operations(shown: Shown): readonly Operation[];
  open(around: ModuleSurroundings<Output<S>>): Promise<OpenedModule>;
}

/** What the gateway gives all modules. */
interface GivenToModules {
  readonly policy: PolicyService;
  readonly observe: Observer;
  /** The memory of all threads. */
  readonly budget: MemoryBudget;
}

/** What a module stands on. */
export interface ModuleSurroundings<O = unknown> extends GivenToModules {
  /** What is in force. */
  readonly settings: () => O;
  readonly limits: () => GatewayConfig['limits'];
}

/** What can be called: everything, or what a view has of it. */
export interface Shown {
  readonly upstreams: readonly UpstreamConfig[];
  /** @param name of an operation of the upstream, or of a tool that it is a part of */
  has(upstream: string, name: string): boolean;
}

export interface OpenedModule {
  handle(call: HandlerCall, shown: Shown): ReturnType<OperationHandler>;
  /** Frees what belongs to a session. */
  endSession?(sessionId: string): void;
  close?(): Promise<void> | void;
}

/** A built-in operation besides `introspect`. */
export interface OwnOperation {
  readonly operation: Operation;
  /** @param isReachable whether the caller may know of what has this origin */
  readonly handle: (call: HandlerCall, isReachable: (origin: string) => boolean) => ReturnType<OperationHandler>;
}

/** Its operations, with what runs them. */
export function ownOfModule(module: Module, opened: Pick<OpenedModule, 'handle'>, shown: Shown) {
  return module
    .operations(shown)
    .map((operation): OwnOperation => ({ operation, handle: (call) => opened.handle(call, shown) }));
}

/** What the main file has of modules, for those who read it. */
export function sectionsOf(modules: readonly Module[]): Settings {
  return Object.fromEntries(
    modules.flatMap(({ name, settings }) => (settings === undefined ? [] : [[name, settings]])),
  );
}

export function settingsOf({ name, settings = {} }: Module, { modules }: Pick<GatewayConfig, 'modules'>): unknown {
  return modules[name] ?? normalise(settings, undefined);
}

/** Those that a configuration has. */
export function modulesOf(config: Pick<GatewayConfig, 'modules'>, modules: readonly Module[] = []): readonly Module[] {
  return modules.filter((module) => module.isOn(settingsOf(module, config)));
}

/** The modules that the configuration in force has. */
export class OpenModules {
  readonly #modules: readonly Module[];
  readonly #current: () => GatewayConfig;
  readonly #around: GivenToModules;
  #opened: ReadonlyMap<Module, OpenedModule> = new Map();

  /** @param current what is in force */
  constructor(modules: readonly Module[], current: () => GatewayConfig, around: GivenToModules) {
    this.#modules = modules;
    this.#current = current;
    this.#around = around;
  }

  /** Opens those that have been switched on, and closes those that have been switched off; the others ask for their settings. */
  follow(): Promise<void> | undefined {
    const wanted = modulesOf(this.#current(), this.#modules);
    const isSame = wanted.length === this.#opened.size && wanted.every((module) => this.#opened.has(module));
    return isSame ? undefined : this.#change(wanted);
  }

  async #change(wanted: readonly Module[]): Promise<void> {
    const before = this.#opened;
    const opened = wanted.map(async (module) => [module, before.get(module) ?? (await this.#open(module))] as const);
    this.#opened = new Map(await Promise.all(opened));
    for (const [module, closing] of before) if (!this.#opened.has(module)) await closing.close?.();
  }

  /** Their operations over what is shown. */
  readonly ownOf = (shown: Shown): readonly OwnOperation[] =>
    [...this.#opened].flatMap(([module, opened]) => ownOfModule(module, opened, shown));

  endSession(sessionId: string): void {
    for (const opened of this.#opened.values()) opened.endSession?.(sessionId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((opened) => opened.close?.()));
  }

  #open(module: Module): Promise<OpenedModule> {
    return module.open({
      ...this.#around,
      settings: () => settingsOf(module, this.#current()),
      limits: () => this.#current().limits,
    });
  }
}
