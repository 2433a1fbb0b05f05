import type { Observer } from '../../observe/observation.js';
import type { Warning } from '../../protocol/result.js';
import type { StateStore } from '../../store/state-store.js';
import type { ConfirmationTokens } from '../confirmation/token-types.js';
import { failClosed } from '../fail-closed.js';
import { type Draw, passes, type QuotaBudget, stepOf } from './budget.js';
import { Budgets, quotaWarning } from './budgets.js';
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

/** An estimate, which the specification's companion documents leave open: a token of text is about four characters. */
const CHARACTERS_PER_TOKEN = 4;

export function createQuotaService({ store, tokens, config, observe, now = Date.now }: QuotaServiceDeps): QuotaService {
  const safeStore = failClosed(store);
  const budgets = new Budgets(config);
  const blocks = new AnnouncedBlocks(now);
  const pauses = new QuotaPauses({ store: safeStore, tokens, now });
  const counter = new CallCounter(safeStore, pauses, now);
  return {
    charge(request) {
      const { operation, caller } = request;
      blocks.check(operation);
      const draws = budgets.drawsOf(operation, caller, now());
      return draws.length === 0 ? undefined : counter.charge(draws, request);
    },
    settle(operation, caller, answerCharacters) {
      const tokens = (): number =>
        Math.ceil(
          (typeof answerCharacters === 'number' ? answerCharacters : answerCharacters()) / CHARACTERS_PER_TOKEN,
        );
      const draws = budgets.settlementOf(operation, caller, tokens, now());
      if (draws.length === 0) return undefined;
      // The call has run: a failure to count must not lose its answer.
      return store.incrementAll(draws.map((draw) => stepOf(draw))).then(
        () => undefined,
        (cause: unknown) => {
          const why = cause instanceof Error ? cause.message : String(cause);
          observe({ kind: 'notice', level: 'warn', message: `the tokens of an answer were not counted: ${why}` });
        },
      );
    },
    noteLimits: (upstreamSlug, limits, tool) => blocks.note(upstreamSlug, limits, tool),
    status: (caller) => describeQuotas({ budgets, blocks, pauses, store: safeStore, caller, now: now() }),
  };
}

/** Counts each call on all of its budgets or, where one of them stops it, on none. */
class CallCounter {
  readonly #store: Pick<StateStore, 'incrementAll'>;
  readonly #pauses: QuotaPauses;
  readonly #now: () => number;

  constructor(store: Pick<StateStore, 'incrementAll'>, pauses: QuotaPauses, now: () => number) {
    this.#store = store;
    this.#pauses = pauses;
    this.#now = now;
  }

  async charge(draws: readonly Draw[], request: ChargeRequest): Promise<readonly Warning[]> {
    const continued = new Set<Draw>();
    let token = request.continueToken;
    // Each iteration continues past one more pause.
    for (;;) {
      const boundOf = (draw: Draw) => nearestBound(draw, continued.has(draw));
      const { values, added } = await this.#store.incrementAll(draws.map((draw) => stepOf(draw, boundOf(draw))));
      if (added) return draws.flatMap((draw, index) => warn(draw, values[index] ?? 0));
      this.#refuseStopped(draws, values);
      const index = draws.findIndex((draw, each) => passes(draw, values[each] ?? 0, boundOf(draw)));
      const paused = draws[index];
      if (paused === undefined || continued.has(paused) || !isOnQuota(paused)) {
        throw new Error('the store refused an increment within every threshold');
      }
      if (!(await this.#pauses.isOver(paused, request.caller))) {
        if (token === undefined) throw await this.#pauses.ask(paused, values[index] ?? 0, request);
        await this.#pauses.continuePast(paused, request, token);
        token = undefined;
      }
      continued.add(paused);
    }
  }

  /** A hard stop comes before any pause: the question whether to continue would not help. */
  #refuseStopped(draws: readonly Draw[], values: readonly number[]): void {
    for (const [index, draw] of draws.entries()) {
      const value = values[index] ?? 0;
      const { budget, span } = draw;
      if (passes(draw, value, budget.thresholds.hardStop)) throw budget.refuse({ span, value }, this.#now());
    }
  }
}

function nearestBound({ budget }: Draw, hasContinued: boolean): number | undefined {
  const { pause, hardStop } = budget.thresholds;
  return hasContinued ? hardStop : (pause ?? hardStop);
}

function isOnQuota(draw: Draw): draw is Draw<QuotaBudget> {
  return draw.budget.kind === 'quota';
}

function warn(draw: Draw, value: number): readonly Warning[] {
  if (!isOnQuota(draw)) return [];
  const warning = quotaWarning(draw.budget, { span: draw.span, value });
  return warning === undefined ? [] : [warning];
}
