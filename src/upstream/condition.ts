import type { Observer, UpstreamState } from '../base/observe/observation.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import type { Circuit } from './circuit.js';
import type { RetryPacer } from './retries.js';
import type { UpstreamStatus } from './upstream.js';

/** How much of what a server printed last is shown with its state. */
const MOST_LINES = 10;
const LONGEST_LINE = 500;

interface ConditionOptions {
  readonly config: Pick<UpstreamConfig, 'slug' | 'name' | 'problem' | 'disabled'>;
  readonly observe: Observer;
  readonly pacer: Pick<RetryPacer, 'pauseMs' | 'remainingMs' | 'looping' | 'crashes'>;
  readonly circuit: Pick<Circuit, 'state' | 'remainingMs'> | undefined;
}

/** How one connection to a server does, and saying so when that changes. */
export class Condition {
  readonly #options: ConditionOptions;
  #state: UpstreamState;
  #lines: readonly string[] = [];
  /** The reason that was told last. */
  #told: string | undefined;
  /** Why it is not ready, fit for operators. */
  problem: string | undefined;

  constructor(options: ConditionOptions) {
    this.#options = options;
    const { problem, disabled } = options.config;
    this.#state = problem !== undefined ? 'misconfigured' : disabled ? 'disabled' : 'starting';
    this.problem = problem;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  /** The same as before, which is no news. */
  stay(state: UpstreamState): void {
    this.#state = state;
  }

  enter(state: UpstreamState, message: string): void {
    this.#state = state;
    const { config, observe, pacer } = this.#options;
    const { slug, name } = config;
    const news = { kind: 'upstream-state', upstream: slug, name: name === slug ? undefined : name, state } as const;
    // A reason that stays is told once: a server that is down is tried again for as long as it takes.
    const reason = state === 'waiting' && message === this.#told ? 'as before' : message;
    this.#told = state === 'starting' ? this.#told : message;
    if (state !== 'waiting') {
      observe({ ...news, message });
      return;
    }
    const retryInMs = pacer.pauseMs;
    const next = retryInMs === 0 ? 'trying again at once' : `trying again in ${(retryInMs / 1000).toFixed(1)} s`;
    const loop = pacer.looping ? ` (${pacer.crashes} crashes in a short time)` : '';
    observe({ ...news, message: `${reason}${loop}; ${next}`, retryInMs });
  }

  /** A line that the server prints, masked. */
  readonly addLine = (line: string): void => {
    if (line.trim() !== '') this.#lines = [...this.#lines.slice(1 - MOST_LINES), line.slice(0, LONGEST_LINE)];
  };

  /** Another process begins. */
  forgetLines(): void {
    this.#lines = [];
  }

  describe(): Pick<UpstreamStatus, 'state' | 'problem' | 'until' | 'stderr' | 'circuit'> {
    const { circuit } = this.#options;
    const isDown = this.#state === 'waiting' || this.#state === 'failed';
    const waitMs = this.#waitMs();
    return {
      state: this.#state,
      problem: this.problem,
      ...(waitMs === undefined ? {} : { until: new Date(Date.now() + waitMs).toISOString() }),
      ...(isDown && this.#lines.length > 0 ? { stderr: this.#lines } : {}),
      ...(circuit === undefined ? {} : { circuit: circuit.state }),
    };
  }

  #waitMs(): number | undefined {
    if (this.#state === 'waiting') return this.#options.pacer.remainingMs;
    return this.#state === 'degraded' ? this.#options.circuit?.remainingMs : undefined;
  }
}
