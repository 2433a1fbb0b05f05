import { findFault, UpstreamFault } from './transport/fault.js';

/** How long a server may take to answer a ping before it counts as hung. */
const PING_MS = 5_000;

interface LivenessOptions {
  readonly connectTimeoutMs: number;
  readonly ping: (timeoutMs: number) => Promise<unknown>;
  /** Grows with what arrives from the server. */
  readonly activity: () => number;
  /** Whether each request has a stream of its own. */
  readonly hasPerRequestStream: boolean;
  readonly isLost: () => boolean;
  readonly onHung: (fault: UpstreamFault) => void;
}

/**
 * A server that sent nothing at all during a whole call may hang. Any answer to a ping, a refusal included, says that it lives and is
 * only slow with that call.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #pingMs: number;
  #pinging = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#pingMs = Math.min(PING_MS, options.connectTimeoutMs);
  }

  async check(): Promise<void> {
    const { ping, activity, hasPerRequestStream, isLost, onHung } = this.#options;
    if (this.#pinging || isLost()) return;
    this.#pinging = true;
    const before = activity();
    try {
      await ping(this.#pingMs);
    } catch (error) {
      // On a shared pipe the answer may stand behind a long message that is still arriving.
      const delayed = !hasPerRequestStream && before !== activity();
      if (findFault(error)?.kind !== 'timeout' || delayed || isLost()) return;
      const seconds = this.#pingMs / 1000;
      onHung(new UpstreamFault('unresponsive', `it hangs: no answer to a call, nor to a ping within ${seconds} s`));
    } finally {
      this.#pinging = false;
    }
  }
}
