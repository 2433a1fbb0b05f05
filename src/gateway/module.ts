import type { Observer } from '../base/observe/observation.js';
import type { HandlerCall, OperationHandler } from '../base/protocol/call.js';
import type { Operation } from '../base/protocol/operation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { MemoryBudget } from './memory-budget.js';

export { createOwnOperation, type OwnOperationDraft } from './builtin/own-operation.js';

/** A capability in a folder of its own. The gateway knows no more of it than this. */
export interface Module {
  readonly name: string;
  /** Whether a configuration has it; nothing of it is loaded where none has. */
  isOn(config: GatewayConfig): boolean;
  /** Its operations, for a list of what cannot be called. */
  operations(): readonly Operation[];
  open(config: GatewayConfig, around: ModuleSurroundings): Promise<OpenedModule>;
}

/** What a module stands on. */
export interface ModuleSurroundings {
  readonly policy: PolicyService;
  readonly observe: Observer;
  /** The memory of all threads. */
  readonly budget: MemoryBudget;
}

export interface OpenedModule {
  readonly own: readonly OwnOperation[];
  /** Frees what belongs to a session. */
  endSession?(sessionId: string): void;
  close?(): Promise<void> | void;
}

/** A built-in operation besides `introspect`. */
export interface OwnOperation {
  readonly operation: Operation;
  /** @param isReachable whether the caller may know of the operation of a qualified name */
  readonly handle: (call: HandlerCall, isReachable: (operation: string) => boolean) => ReturnType<OperationHandler>;
}

/** Those that a configuration has. */
export function modulesOf(config: GatewayConfig, modules: readonly Module[] = []): readonly Module[] {
  return modules.filter((module) => module.isOn(config));
}
