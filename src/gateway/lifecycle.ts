/** Resources opened in order and closed in reverse order, even when opening stops halfway. */
export class Lifecycle {
  readonly #closers: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  readonly #onFault: (name: string, cause: unknown) => void;
  #closing: Promise<void> | undefined;

  /** @param onFault called when closing a resource fails; the others are still closed */
  constructor(onFault: (name: string, cause: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Registers a resource that was just opened. */
  opened(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close });
  }

  /** Closes all resources, last opened first. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#closers.toReversed()) {
      try {
        await close();
      } catch (cause) {
        this.#onFault(name, cause);
      }
    }
  }
}
