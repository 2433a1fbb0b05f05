import type { GatewayConfig } from '../../config/gateway-config.js';
import { faultCode } from '../../config/secrets.js';
import { type JournalVerdict, readHeads, verifyJournals } from '../../gateway/audit-review.js';

/** How the check of the journals stands. */
export type CheckState =
  | { readonly kind: 'never' }
  | { readonly kind: 'running'; readonly since: number }
  | {
      readonly kind: 'done';
      readonly at: number;
      readonly verdict: JournalVerdict;
      readonly problem?: string | undefined;
    }
  | { readonly kind: 'failed'; readonly at: number; readonly problem: string };

/** Checks the journals in the background, once at a time: gigabytes take minutes. Keeps the last result. */
export class JournalCheck {
  #state: CheckState = { kind: 'never' };

  state(): CheckState {
    return this.#state;
  }

  /** Begins, where none is running. */
  start(config: GatewayConfig): void {
    if (this.#state.kind === 'running') return;
    this.#state = { kind: 'running', since: Date.now() };
    void this.#run(config).then((state) => {
      this.#state = state;
    });
  }

  async #run(config: GatewayConfig): Promise<CheckState> {
    try {
      const { heads, problem } = await readHeads(config);
      const verdict = await verifyJournals(config.audit.directory, heads);
      return { kind: 'done', at: Date.now(), verdict, problem };
    } catch (cause) {
      return { kind: 'failed', at: Date.now(), problem: `the journals cannot be read (${faultCode(cause)})` };
    }
  }
}
