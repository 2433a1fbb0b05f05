import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { CircuitBounds } from '../config/gateway-config.js';
import { type FaultKind, findFault, UpstreamFault } from './transport/fault.js';

/** `closed` lets calls through, `open` none, `half-open` one, whose outcome decides. */
export type CircuitState = 'closed' | 'open' | 'half-open';

interface CircuitOptions {
  readonly bounds: CircuitBounds;
  /** The circuit has opened, or has closed again where there is no fault. */
  readonly onChange: (cause: UpstreamFault | undefined) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** What callers are told to wait while one call is tried. */
const PROBE_RETRY_MS = 1_000;

/** Faults that speak against the server or the way to it, whatever was called. */
const COUNTED: ReadonlySet<FaultKind> = new Set(['lost', 'exited', 'unresponsive', 'timeout', 'malformed']);

/**
 * Stops calls to a server that has failed so many times in a row: they are refused at once for a while instead of waiting for what
 * is not to be expected. Then one is let through. An answer of any kind, an error of the tool included, closes it again.
 */
export class Circuit {
  readonly #bounds: CircuitBounds;
  readonly #onChange: CircuitOptions['onChange'];
  readonly #now: () => number;
  #failures = 0;
  /** Undefined while it is closed. */
  #openUntil: number | undefined;
  #isProbing = false;

  constructor({ bounds, onChange, now = () => performance.now() }: CircuitOptions) {
    this.#bounds = bounds;
    this.#onChange = onChange;
    this.#now = now;
  }

  get state(): CircuitState {
    if (this.#openUntil === undefined) return 'closed';
    return this.#isProbing || this.remainingMs === 0 ? 'half-open' : 'open';
  }

  /** Until one call is let through. */
  get remainingMs(): number {
    return this.#openUntil === undefined ? 0 : Math.max(0, Math.ceil(this.#openUntil - this.#now()));
  }

  /** Sends a call where calls are let through. Rejects with an `UpstreamFault` of kind `unavailable` otherwise. */
  async run<T>(send: () => Promise<T>): Promise<T> {
    this.check();
    const isProbe = this.#openUntil !== undefined;
    if (isProbe) this.#isProbing = true;
    try {
      const answer = await send();
      this.reset();
      return answer;
    } catch (error) {
      this.#judge(error);
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  /** @throws UpstreamFault of kind `unavailable` where no call is let through */
  check(): void {
    if (this.#openUntil === undefined || (!this.#isProbing && this.remainingMs === 0)) return;
    const retryAfterMs = this.#isProbing ? PROBE_RETRY_MS : this.remainingMs;
    throw new UpstreamFault('unavailable', `its last ${this.#failures} calls failed`, { retryAfterMs });
  }

  /** The server has answered. */
  reset(): void {
    this.#failures = 0;
    if (this.#openUntil === undefined) return;
    this.#openUntil = undefined;
    this.#onChange(undefined);
  }

  #judge(error: unknown): void {
    const failure = failureOf(error);
    if (failure === 'answer') this.reset();
    if (failure === 'unknown' || failure === 'answer') return;
    this.#failures += 1;
    if (this.#failures < this.#bounds.failures) return;
    const wasClosed = this.#openUntil === undefined;
    // Calls that were sent before it opened do not keep it open for longer.
    if (wasClosed || this.#isProbing) this.#openUntil = this.#now() + 1_000 * this.#bounds.openSeconds;
    if (wasClosed) this.#onChange(failure);
  }
}

/** What a failed call says of the server: a fault that counts, an answer, or nothing. */
function failureOf(error: unknown): UpstreamFault | 'answer' | 'unknown' {
  const fault = findFault(error);
  if (fault !== undefined) return COUNTED.has(fault.kind) && !fault.undelivered ? fault : 'unknown';
  if (error instanceof ProtocolError) return 'answer';
  if (!(error instanceof SdkHttpError)) return 'unknown';
  return error.status >= 500 ? new UpstreamFault('lost', `HTTP ${error.status}`, { cause: error }) : 'answer';
}
