/**
 * Tells a call that nobody waits for it any more. An AbortSignal does the same at several microseconds and a few hundred
 * bytes a call; the hot path makes one of these for every call.
 */
export class Cancellation {
  #reason: string | undefined;
  #listeners: (() => void)[] | undefined;

  /** Why the call was cancelled; undefined while it is wanted. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Marks the call as unwanted and tells the listeners, once. */
  cancel(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** Calls the listener on cancellation, at once if that has already happened. Listeners live as long as the call. */
  onCancel(listener: () => void): void {
    if (this.#reason !== undefined) {
      listener();
      return;
    }
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }
}
