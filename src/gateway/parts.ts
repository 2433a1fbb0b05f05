import type { ReloadPlan } from './reload-plan.js';

/** A part of a running gateway. */
interface Part {
  /** Takes what a reload changes. The parts before it have taken it, those after it have not. */
  readonly apply?: (plan: ReloadPlan) => Promise<void> | void;
  /** Frees what the part holds. */
  readonly close?: () => Promise<void> | void;
}

/** The parts in the order in which they need each other: a reload goes through them in it, and closing the other way round. */
export class Parts {
  readonly #parts: { readonly name: string; readonly part: Part }[] = [];
  readonly #onFault: (name: string, cause: unknown) => void;
  #closing: Promise<void> | undefined;

  /** @param onFault called when closing a part fails; the others are still closed */
  constructor(onFault: (name: string, cause: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Registers a part that was just opened. */
  add(name: string, part: Part): void {
    this.#parts.push({ name, part });
  }

  /** Rejects where a part does; those after it are not asked. Parts that take a change at once take it together, with no call between. */
  async apply(plan: ReloadPlan): Promise<void> {
    for (const { part } of this.#parts) {
      const applied = part.apply?.(plan);
      if (applied instanceof Promise) await applied;
    }
  }

  /** Closes all parts, last opened first. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, part } of this.#parts.toReversed()) {
      try {
        await part.close?.();
      } catch (cause) {
        this.#onFault(name, cause);
      }
    }
  }
}
