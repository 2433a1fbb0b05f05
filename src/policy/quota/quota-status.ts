import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { StateStore } from '../../store/state-store.js';
import { type ApiBudget, type Budget, type Draw, drawOn, type QuotaBudget } from './budget.js';
import type { Budgets } from './budgets.js';
import type { QuotaPauses } from './pauses.js';
import type { QuotaScope } from './quota-types.js';
import type { AnnouncedBlocks } from './upstream-backoff.js';

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
export async function describeQuotas(view: QuotaView): Promise<JsonObject> {
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
