import type { ServerResponse } from 'node:http';

/** Counts the HTTP requests that are not answered to the end, so that closing can wait for them and for nothing else. */
export class OpenRequests {
  #count = 0;
  #whenNone: (() => void) | undefined;
  // One function for all responses: a closure per request would be felt under load.
  readonly #leave = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone?.();
  };

  enter(response: ServerResponse): void {
    this.#count += 1;
    response.once('close', this.#leave);
  }

  /** Resolves when no request is open, at the latest after `graceMs`. */
  async settle(graceMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
