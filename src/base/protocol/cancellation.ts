/**
 * Signals that a call's answer is no longer needed. An AbortSignal does the same but costs several microseconds and a few
 * hundred bytes; the fast path creates one of these for every call.
 */
export class Cancellation {
  #reason: string | undefined;
  #listeners: (() => void)[] | undefined;

  /** Why the call was cancelled; undefined while it is active. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Cancels the call and notifies the listeners, once. */
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
