import type { Observer } from '../base/observe/observation.js';
import type { HandlerCall, OperationHandler } from '../base/protocol/call.js';
import type { Operation } from '../base/protocol/operation.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { MemoryBudget } from './memory-budget.js';

export { readCursor, writeCursor } from './builtin/introspect/page.js';
export { createOwnOperation, type OwnOperationDraft } from './builtin/own-operation.js';

/** A capability in a folder of its own. The gateway knows no more of it than this. */
export interface Module {
  readonly name: string;
  /** Whether a configuration has it; nothing of it is loaded where none has. */
  isOn(config: GatewayConfig): boolean;
  /** Its operations over what can be called. */
  operations(shown: Shown): readonly Operation[];
  open(config: GatewayConfig, around: ModuleSurroundings): Promise<OpenedModule>;
}

/** What a module stands on. */
export interface ModuleSurroundings {
  readonly policy: PolicyService;
  readonly observe: Observer;
  /** The memory of all threads. */
  readonly budget: MemoryBudget;
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

/** What a module adds to a snapshot. */
export type ModuleOperations = Pick<Module, 'operations'> & Pick<OpenedModule, 'handle'>;

export function ownOfModule({ operations, handle }: ModuleOperations, shown: Shown): readonly OwnOperation[] {
  return operations(shown).map((operation) => ({ operation, handle: (call) => handle(call, shown) }));
}

/** Those that a configuration has. */
export function modulesOf(config: GatewayConfig, modules: readonly Module[] = []): readonly Module[] {
  return modules.filter((module) => module.isOn(config));
}
