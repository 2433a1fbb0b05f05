import type { JsonObject } from '../../base/json/json.js';
import type { Observer } from '../../base/observe/observation.js';
import type { Caller } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import type { Warning } from '../../base/protocol/result.js';
import { failClosed } from '../../store/fail-closed.js';
import type { CounterStep, Increments, StateStore } from '../../store/state-store.js';
import type { ConfirmationTokens } from '../confirmation/token-types.js';
import { type ApiBudget, type Budget, type Draw, drawOn, passes, type QuotaBudget, stepOf } from './budget.js';
import { Budgets, quotaWarning, Reservations } from './budgets.js';
import { QuotaPauses } from './pauses.js';
import type { AccountOf, Charged, ChargeRequest, QuotaScope, QuotaService, QuotaSettings } from './quota-types.js';
import { AnnouncedBlocks } from './upstream-backoff.js';

interface QuotaServiceDeps {
  readonly store: StateStore;
  readonly tokens: Pick<ConfirmationTokens, 'issue' | 'redeem'>;
  readonly config: QuotaSettings;
  readonly observe: Observer;
  /** The most tokens of data that an answer has. */
  readonly answerTokens?: number;
  /** All callers use the same account where absent. */
  readonly accountOf?: AccountOf | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export function createQuotaService({
  store,
  tokens,
  config,
  observe,
  answerTokens = DEFAULT_ANSWER_TOKENS,
  accountOf = () => undefined,
  now = Date.now,
}: QuotaServiceDeps): QuotaService {
  const accountsOf = (caller: Caller) => (upstream: string) => accountOf(upstream, caller);
  const safeStore = failClosed(store);
  const budgets = new Budgets(config);
  const isUnlimited = budgets.api.length + budgets.quotas.length === 0;
  /** Made when an upstream first asks callers to wait. */
  let blocks: AnnouncedBlocks | undefined;
  const pauses = new QuotaPauses({ store: safeStore, tokens, now });
  const sizes = new AnswerSizes(answerTokens);
  const counter = new CallCounter({ store: safeStore, answers: store, pauses, now, observe });
  const service: QuotaService & { isIdle: boolean } = {
    isIdle: isUnlimited,
    charge(request) {
      const [giver] = request.partsOf ?? [];
      if (giver === undefined) blocks?.check(request.operation, accountsOf(request.caller));
      if (isUnlimited) return undefined;
      const draws = drawsOf(request, budgets, sizes, now());
      if (draws.length === 0) return undefined;
      const learn = (answerTokens: number): void => sizes.learn(giver ?? request.operation, answerTokens);
      return counter.charge(draws, request, learn);
    },
    async chargeParts(parts, { operation, caller }, characters) {
      if (isUnlimited) return;
      const whole = [...parts.values()].reduce((sum, each) => sum + each, 0);
      if (whole === 0) return;
      const counted = new Set(budgets.answerDrawsOf(operation, caller, 0, now()).map(({ counter: own }) => own));
      const draws = [...parts].flatMap(([part, size]) =>
        budgets.answerDrawsOf(part, caller, Math.ceil((tokensOf(characters) * size) / whole), now()),
      );
      await counter.count(draws.filter(({ counter: each }) => !counted.has(each)));
    },
    chargeRepeat: (operation, caller) => counter.chargeRepeat(budgets.repeatDrawsOf(operation, caller, now())),
    noteLimits(upstream, limits, tool, owner) {
      blocks ??= new AnnouncedBlocks(now);
      blocks.note({ upstream, owner }, limits, tool);
      service.isIdle = false;
    },
    status: (caller, scope) =>
      describeQuotas({
        budgets,
        announced: blocks?.list(accountsOf(caller)) ?? [],
        pauses,
        store: safeStore,
        caller,
        now: now(),
        scope,
      }),
  };
  return service;
}

/** What the configuration allows where it says nothing. */
const DEFAULT_ANSWER_TOKENS = 8_000;

/**
 * The gateway's own operations reserve nothing: they call others, which would wait for what their caller holds. A part of a stored
 * answer is counted for the operation that gave it, and for those that it was made of.
 */
function drawsOf(request: ChargeRequest, budgets: Budgets, sizes: AnswerSizes, now: number): readonly Draw[] {
  const {
    operation,
    caller,
    partsOf: [giver, ...others] = [],
    answerTokens,
    delivered = true,
    isPart = false,
  } = request;
  const expect = (each: Operation): number =>
    isPart || each.upstream === GATEWAY_SOURCE ? 0 : sizes.expect(each, answerTokens);
  if (!delivered) return budgets.drawsOf(operation, caller, 0, now).filter(({ budget }) => !budget.countsAnswers);
  if (giver === undefined) return budgets.drawsOf(operation, caller, expect(operation), now);
  const own = giver.qualifiedName === operation.qualifiedName ? [] : budgets.drawsOf(operation, caller, 0, now);
  const ofParts = [giver, ...others].flatMap((part) => budgets.answerDrawsOf(part, caller, expect(part), now));
  // The last of a counter counts: an operation that reads on expects nothing itself.
  return [...new Map([...own, ...ofParts].map((draw) => [draw.counter, draw])).values()];
}

interface CallCounterParts {
  /** Refuses a call where it fails. */
  readonly store: Pick<StateStore, 'increment'>;
  /** Where answers are counted: a failure is reported with its cause. */
  readonly answers: Pick<StateStore, 'increment'>;
  readonly pauses: QuotaPauses;
  readonly now: () => number;
  readonly observe: Observer;
}

/** Counts each call on all of its budgets or, where one of them stops it, on none. */
class CallCounter {
  readonly #parts: CallCounterParts;
  readonly #reservations = new Reservations();

  constructor(parts: CallCounterParts) {
    this.#parts = parts;
  }

  /** @param learn is given the tokens of the answer */
  async charge(
    draws: readonly Draw[],
    request: ChargeRequest,
    learn: (answerTokens: number) => void,
  ): Promise<Charged> {
    const reserved = draws.filter(({ budget }) => budget.countsAnswers);
    const hadTurn = new Set<string>();
    try {
      const values = await this.#add(draws, request, hadTurn);
      return {
        warnings: draws.flatMap((draw, index) => warn(draw, values[index] ?? 0)),
        settle: (answerCharacters) => {
          if (reserved.length === 0) return undefined;
          const characters = answerCharacters();
          const answerTokens = tokensOf(characters);
          if (characters > 0) learn(answerTokens);
          return this.#settle(reserved, answerTokens);
        },
      };
    } catch (refusal) {
      // Another may wait for what this call was about to reserve.
      for (const { counter } of reserved) hadTurn.add(counter);
      throw refusal;
    } finally {
      for (const counter of hadTurn) this.#reservations.wakeNext(counter);
    }
  }

  async chargeRepeat(draws: readonly Draw[]): Promise<boolean> {
    if (draws.length === 0) return true;
    try {
      const steps = draws.map((draw) => stepOf(draw, draw.budget.thresholds.hardStop));
      return (await this.#parts.store.increment(steps)).added;
    } catch {
      // The store's failure is reported by itself. What cannot be counted is not sent again.
      return false;
    }
  }

  /** Adds the call to its counters; resolves with what they are then. */
  async #add(draws: readonly Draw[], request: ChargeRequest, hadTurn: Set<string>): Promise<readonly number[]> {
    const { pauses } = this.#parts;
    const continued = new Set<Draw>();
    let token = request.continueToken;
    // Each iteration waits for a reservation, or continues past one more pause.
    for (;;) {
      const boundOf = (draw: Draw) => nearestBound(draw, continued.has(draw));
      const held = draws.map(({ counter }) => this.#reservations.heldOf(counter));
      const { values, added } = await this.#reserve(draws, boundOf);
      if (added) return values;
      // What answers alone have used up: a counter that is full of reservations may have space again.
      const used = values.map((value, index) => value - (held[index] ?? 0));
      this.#refuseStopped(draws, used);
      const index = draws.findIndex((draw, each) => passes(draw, used[each] ?? 0, boundOf(draw)));
      const paused = draws[index];
      if (paused === undefined) {
        await this.#waitForReservation(draws, values, boundOf, hadTurn);
        continue;
      }
      if (continued.has(paused) || !isOnQuota(paused)) {
        throw new Error('the store refused an increment within every threshold');
      }
      if (!(await pauses.isOver(paused, request.caller))) {
        if (token === undefined) throw await pauses.ask(paused, used[index] ?? 0, request);
        await pauses.continuePast(paused, request, token);
        token = undefined;
      }
      continued.add(paused);
    }
  }

  /** Notes what is reserved before the store counts it, so that a call which the store counts next knows what is reserved, not used. */
  async #reserve(draws: readonly Draw[], boundOf: (draw: Draw) => number | undefined): Promise<Increments> {
    const reserved = draws.filter(({ budget }) => budget.countsAnswers);
    for (const { counter, by } of reserved) this.#reservations.hold(counter, by);
    let isCounted = false;
    try {
      const counted = await this.#parts.store.increment(draws.map((draw) => stepOf(draw, boundOf(draw))));
      isCounted = counted.added;
      return counted;
    } finally {
      if (!isCounted) for (const { counter, by } of reserved) this.#reservations.forget(counter, by);
    }
  }

  async #waitForReservation(
    draws: readonly Draw[],
    values: readonly number[],
    boundOf: (draw: Draw) => number | undefined,
    hadTurn: Set<string>,
  ): Promise<void> {
    const full = draws.find((draw, index) => passes(draw, values[index] ?? 0, boundOf(draw)));
    if (full === undefined) throw new Error('the store refused an increment within every threshold');
    await this.#reservations.waitForTurn(full.counter, hadTurn.has(full.counter));
    hadTurn.add(full.counter);
  }

  /** A hard stop comes before any pause: the question whether to continue would not help. */
  #refuseStopped(draws: readonly Draw[], values: readonly number[]): void {
    for (const [index, draw] of draws.entries()) {
      const value = values[index] ?? 0;
      const { budget, span } = draw;
      if (passes(draw, value, budget.thresholds.hardStop)) throw budget.refuse({ span, value }, this.#parts.now());
    }
  }

  /** Counts answers that are known. */
  async count(draws: readonly Draw[]): Promise<void> {
    // One step for each counter: several operations may have the same.
    const by = new Map<string, Draw>();
    for (const draw of draws) by.set(draw.counter, { ...draw, by: draw.by + (by.get(draw.counter)?.by ?? 0) });
    await this.#count([...by.values()].map((draw) => stepOf(draw)));
  }

  async #settle(reserved: readonly Draw[], answerTokens: number): Promise<void> {
    const { now } = this.#parts;
    await this.#count(reserved.flatMap((draw) => settlementOf(draw, answerTokens, now())));
    for (const { counter, by } of reserved) this.#reservations.release(counter, by);
  }

  /** The call has run: a failure to count must not lose its answer. */
  async #count(steps: readonly CounterStep[]): Promise<void> {
    const { answers, observe } = this.#parts;
    try {
      if (steps.length > 0) await answers.increment(steps);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      observe({ kind: 'notice', level: 'warn', message: `the tokens of an answer were not counted: ${why}` });
    }
  }
}

/** An answer is counted in the window in which it comes, and what was reserved is given back where it was taken. */
function settlementOf(draw: Draw, answerTokens: number, now: number): readonly CounterStep[] {
  const current = draw.at(now);
  const steps =
    current.counter === draw.counter
      ? [stepOf({ ...draw, by: answerTokens - draw.by })]
      : [stepOf({ ...draw, by: -draw.by }), stepOf({ ...current, by: answerTokens })];
  return steps.filter(({ by }) => by !== 0);
}

function nearestBound({ budget }: Draw, hasContinued: boolean): number | undefined {
  const { pause, hardStop } = budget.thresholds;
  return hasContinued ? hardStop : (pause ?? hardStop);
}

function isOnQuota(draw: Draw): draw is Draw<QuotaBudget> {
  return draw.budget.kind === 'quota';
}

/** @param value the counter with the call; what is reserved for its own answer is not used yet */
function warn(draw: Draw, value: number): readonly Warning[] {
  if (!isOnQuota(draw)) return [];
  const used = draw.budget.countsAnswers ? value - draw.by : value;
  const warning = quotaWarning(draw.budget, { span: draw.span, value: used });
  return warning === undefined ? [] : [warning];
}

/** An estimate, which the specification's companion documents leave open: a token of text is about four characters. */
const CHARACTERS_PER_TOKEN = 4;

/** By how much the largest answer counts less with each further one: half after some thirty. */
const FADING = 0.98;

/** Of the operations that were ever called; servers may rename theirs without end. */
const MOST_OPERATIONS = 10_000;

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** How large the answers of operations are, to reserve as much for the next. */
class AnswerSizes {
  /** By qualified name. */
  readonly #largest = new Map<string, number>();
  readonly #mostTokens: number;

  /** @param mostTokens what an answer may have at most */
  constructor(mostTokens: number) {
    this.#mostTokens = mostTokens;
  }

  learn({ qualifiedName }: Operation, tokens: number): void {
    const before = this.#largest.get(qualifiedName);
    const [oldest] = this.#largest.keys();
    if (before === undefined && this.#largest.size >= MOST_OPERATIONS) this.#largest.delete(oldest ?? '');
    this.#largest.set(qualifiedName, Math.max(tokens, (before ?? 0) * FADING));
  }

  /** In tokens: as much as the recent answers had, at most what any answer may have, which is also what a first one is taken for. */
  expect({ qualifiedName }: Operation, answerTokens: number = this.#mostTokens): number {
    const most = Math.min(answerTokens, this.#mostTokens);
    return Math.ceil(Math.min(this.#largest.get(qualifiedName) ?? most, most));
  }
}

interface QuotaView {
  readonly budgets: Budgets;
  /** Which servers and tools are held back, and until when. */
  readonly announced: ReturnType<AnnouncedBlocks['list']>;
  readonly pauses: QuotaPauses;
  readonly store: Pick<StateStore, 'count'>;
  readonly caller: Caller;
  /** Everything where absent. */
  readonly scope: QuotaScope | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The state of each budget, in the shape of the companion document "rate limiting", 6.2; of quotas, the caller's share. */
async function describeQuotas(view: QuotaView): Promise<JsonObject> {
  const { budgets, caller, now, scope } = view;
  const isShown = ({ stepsOf }: Budget): boolean =>
    scope === undefined || scope.operations.some((operation) => stepsOf(operation) !== undefined);
  const announced = view.announced.filter(
    ([name]) => scope === undefined || scope.upstreams.includes(name.split(':', 1)[0] ?? ''),
  );
  const api = budgets.api.filter(isShown).map((budget) => drawOn(budget, 0, caller, now));
  const quotas = budgets.quotas
    .filter((each) => each.appliesTo(caller) && isShown(each))
    .map((budget) => drawOn(budget, 0, caller, now));
  const ends = [
    ...api.map(({ span }) => span.end),
    ...quotas.map(({ span }) => span.end),
    ...announced.map(([, until]) => until),
  ];
  return {
    adapter: GATEWAY_SOURCE,
    api_limits: Object.fromEntries([
      ...(await Promise.all(api.map((draw) => describeApiLimit(draw, view)))),
      ...announced.map(([upstream, until]) => [`${upstream}:announced`, { remaining: 0, resets_at: toIso(until) }]),
    ]),
    quotas: await Promise.all(quotas.map((draw) => describeQuota(draw, view))),
    next_reset: ends.length === 0 ? null : toIso(Math.min(...ends)),
  };
}

async function describeApiLimit(
  { budget, counter, span }: Draw<ApiBudget>,
  { store }: QuotaView,
): Promise<readonly [string, JsonObject]> {
  const { limit, window } = budget.limit;
  const remaining = Math.max(0, limit - (await store.count(counter)));
  return [budget.label, { limit, remaining, window, resets_at: toIso(span.end) }];
}

async function describeQuota(draw: Draw<QuotaBudget>, view: QuotaView): Promise<JsonObject> {
  const { budget, counter, span } = draw;
  const { name, per, metric, warn, pause, hardStop, currency } = budget.limit;
  const value = await view.store.count(counter);
  return {
    name,
    per,
    metric,
    current: value / budget.scale,
    ...(warn === undefined ? {} : { warn }),
    ...(pause === undefined ? {} : { pause }),
    ...(hardStop === undefined ? {} : { hard_stop: hardStop }),
    status: await statusOf(draw, value, view),
    ...(currency === undefined ? {} : { currency }),
    resets_at: toIso(span.end),
  };
}

async function statusOf(
  draw: Draw<QuotaBudget>,
  value: number,
  { pauses, caller }: QuotaView,
): Promise<'ok' | 'warn' | 'paused' | 'exhausted'> {
  const { warn, pause, hardStop } = draw.budget.thresholds;
  const reached = (bound: number | undefined): boolean => bound !== undefined && value >= bound;
  if (reached(hardStop)) return 'exhausted';
  if (reached(pause) && !(await pauses.isOver(draw, caller))) return 'paused';
  return reached(warn) || reached(pause) ? 'warn' : 'ok';
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
