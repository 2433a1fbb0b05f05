import type { Observer } from '../../observe/observation.js';
import type { Warning } from '../../protocol/result.js';
import type { StateStore } from '../../store/state-store.js';
import type { ConfirmationTokens } from '../confirmation/token-types.js';
import { failClosed } from '../fail-closed.js';
import { type Draw, passes, type QuotaBudget, stepOf } from './budget.js';
import { BudgetBook, quotaWarning } from './budgets.js';
import { QuotaPauses } from './pauses.js';
import { describeQuotas } from './quota-status.js';
import type { ChargeRequest, QuotaService, QuotaSettings } from './quota-types.js';
import { AnnouncedBlocks } from './upstream-backoff.js';

interface QuotaServiceDeps {
  readonly store: StateStore;
  readonly tokens: Pick<ConfirmationTokens, 'issue' | 'redeem'>;
  readonly config: QuotaSettings;
  readonly observe: Observer;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What the specification's companion documents leave open: a token of text is about four characters. */
const CHARACTERS_PER_TOKEN = 4;

export function createQuotaService({ store, tokens, config, observe, now = Date.now }: QuotaServiceDeps): QuotaService {
  const safeStore = failClosed(store);
  const book = new BudgetBook(config);
  const blocks = new AnnouncedBlocks(now);
  const pauses = new QuotaPauses({ store: safeStore, tokens, now });
  const till = new Till(safeStore, pauses, now);
  return {
    charge(request) {
      const { operation, caller } = request;
      blocks.check(operation);
      const draws = book.drawsOf(operation, caller, now());
      return draws.length === 0 ? undefined : till.charge(draws, request);
    },
    settle(operation, caller, answerCharacters) {
      const draws = book.settlementOf(operation, caller, Math.ceil(answerCharacters / CHARACTERS_PER_TOKEN), now());
      if (draws.length === 0) return undefined;
      // The call has run: its answer must not be lost because it cannot be counted.
      return store.incrementAll(draws.map((draw) => stepOf(draw))).then(
        () => undefined,
        (cause: unknown) => {
          const why = cause instanceof Error ? cause.message : String(cause);
          observe({ kind: 'notice', level: 'warn', message: `the tokens of an answer were not counted: ${why}` });
        },
      );
    },
    noteLimits: (upstreamSlug, limits, tool) => blocks.note(upstreamSlug, limits, tool),
    status: (caller) => describeQuotas({ book, blocks, pauses, store: safeStore, caller, now: now() }),
  };
}

/** Counts calls: each on all of its budgets or, where one of them stops it, on none. */
class Till {
  readonly #store: Pick<StateStore, 'incrementAll'>;
  readonly #pauses: QuotaPauses;
  readonly #now: () => number;

  constructor(store: Pick<StateStore, 'incrementAll'>, pauses: QuotaPauses, now: () => number) {
    this.#store = store;
    this.#pauses = pauses;
    this.#now = now;
  }

  async charge(draws: readonly Draw[], request: ChargeRequest): Promise<readonly Warning[]> {
    const gone = new Set<Draw>();
    let token = request.continueToken;
    // Each turn goes on past one pause more.
    for (;;) {
      const boundOf = (draw: Draw) => nearestBound(draw, gone.has(draw));
      const { values, added } = await this.#store.incrementAll(draws.map((draw) => stepOf(draw, boundOf(draw))));
      if (added) return draws.flatMap((draw, index) => warn(draw, values[index] ?? 0));
      this.#refuseStopped(draws, values);
      const index = draws.findIndex((draw, each) => passes(draw, values[each] ?? 0, boundOf(draw)));
      const paused = draws[index];
      if (paused === undefined || gone.has(paused) || !isOnQuota(paused)) {
        throw new Error('a store refused what no threshold forbids');
      }
      if (!(await this.#pauses.isOver(paused, request.caller))) {
        if (token === undefined) throw await this.#pauses.ask(paused, values[index] ?? 0, request);
        await this.#pauses.goOn(paused, request, token);
        token = undefined;
      }
      gone.add(paused);
    }
  }

  /** A hard stop comes before any pause: nobody is asked whether to go on where it would be no use. */
  #refuseStopped(draws: readonly Draw[], values: readonly number[]): void {
    for (const [index, draw] of draws.entries()) {
      const value = values[index] ?? 0;
      const { budget, span } = draw;
      if (passes(draw, value, budget.thresholds.hardStop)) throw budget.refuse({ span, value }, this.#now());
    }
  }
}

function nearestBound({ budget }: Draw, goneOn: boolean): number | undefined {
  const { pause, hardStop } = budget.thresholds;
  return goneOn ? hardStop : (pause ?? hardStop);
}

function isOnQuota(draw: Draw): draw is Draw<QuotaBudget> {
  return draw.budget.kind === 'quota';
}

function warn(draw: Draw, value: number): readonly Warning[] {
  if (!isOnQuota(draw)) return [];
  const warning = quotaWarning(draw.budget, { span: draw.span, value });
  return warning === undefined ? [] : [warning];
}
