import type { JsonPath } from '../../base/json/json-path.js';
import type { PriceEntry, QuotaEntry, QuotasEntry } from '../config-document.js';
import { COST_STEPS, COUNTED, METRICS, type QuotaLimit, type QuotaPrice, type QuotasConfig } from '../policy-config.js';
import { LIMIT, QUOTAS } from '../schema/policy-schema.js';
import { normalise } from '../schema/setting.js';
import { buildMatch, type KnownNames, noteUnknownNames } from './build-match.js';
import type { Diagnostics } from './diagnostics.js';

interface Context {
  readonly known: KnownNames;
  readonly diagnostics: Diagnostics;
  /** The currency of the prices. */
  readonly currency: string;
}

/** Builds the quotas, in order. What is wrong with one goes into the diagnostics. */
export function buildQuotas(entry: QuotasEntry = {}, known: KnownNames, diagnostics: Diagnostics): QuotasConfig {
  const { limits = [], pricing = [] } = entry;
  const { currency } = normalise(QUOTAS, entry);
  const context = { known, diagnostics, currency };
  const quotas = {
    limits: buildLimits(limits, context),
    pricing: pricing.flatMap((price, index) => buildPrice(price, ['quotas', 'pricing', index], context)),
    currency,
  };
  notePriceless(quotas, diagnostics);
  if (known.clients.length + known.issuers.length === 0) noteFreeSessions(quotas.limits, diagnostics);
  return quotas;
}

function buildLimits(entries: readonly QuotaEntry[], context: Context): readonly QuotaLimit[] {
  const places = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const path = ['quotas', 'limits', index];
    // A faulty entry is reported already; further faults would only follow from that.
    if (context.diagnostics.has(path)) return [];
    const limit = buildLimit(entry, context.currency);
    noteThresholds(entry, path, context.diagnostics);
    noteCurrency(entry, path, context);
    noteUnknownNames(limit.match, context.known, [...path, 'match'], context.diagnostics);
    noteTwins(limit, path, places.get(limit.name), context.diagnostics);
    places.set(limit.name, index);
    return [limit];
  });
}

function buildLimit(entry: QuotaEntry, currency: string): QuotaLimit {
  const { match = {} } = entry;
  const { metric, name = metric, per, warn, pause, hard_stop } = normalise(LIMIT, entry);
  return {
    name,
    match: buildMatch(match),
    per,
    metric,
    ...(warn !== undefined && { warn }),
    ...(pause !== undefined && { pause }),
    hardStop: hard_stop,
    ...(isMoney(metric) && { currency }),
  };
}

function noteThresholds(
  { metric, warn, pause, hard_stop }: QuotaEntry,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const given = Object.entries({ warn, pause, hard_stop }).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    diagnostics.problem(path, "expected a threshold: 'warn', 'pause' or 'hard_stop'; without one it does nothing");
  }
  for (const [index, [key, value = 0]] of given.entries()) {
    if (!isMoney(metric) && !Number.isInteger(value)) {
      diagnostics.problem([...path, key], `expected a whole number, got ${value}; only costs may have fractions`);
    }
    const [earlier, less = 0] = given[index - 1] ?? [];
    if (earlier !== undefined && value < less) {
      diagnostics.problem([...path, key], `expected at least ${less}, which is '${earlier}'; got ${value}`);
    }
  }
}

const isMoney = (metric: QuotaLimit['metric']): boolean => COUNTED[METRICS[metric].counts].isMoney;

/** Currencies are not converted, so a quota and its prices must use the same one. */
function noteCurrency(
  { metric, currency }: QuotaEntry,
  path: JsonPath,
  { diagnostics, currency: priced }: Context,
): void {
  const at = [...path, 'currency'];
  if (currency === undefined) return;
  if (!isMoney(metric)) diagnostics.warning(at, `'${metric}' counts no money; ignored`);
  else if (currency !== priced) diagnostics.problem(at, `the prices are in '${priced}'`, "set 'quotas.currency'");
}

function noteTwins({ name }: QuotaLimit, path: JsonPath, first: number | undefined, diagnostics: Diagnostics): void {
  if (first === undefined) return;
  diagnostics.problem([...path, 'name'], `limit ${first + 1} is called '${name}' too`, "give each a 'name' of its own");
}

function buildPrice(entry: PriceEntry, path: JsonPath, { known, diagnostics }: Context): readonly QuotaPrice[] {
  if (diagnostics.has(path)) return [];
  const { match = {}, cost_per_call: costPerCall } = entry;
  const price = { match: buildMatch(match), costPerCall };
  noteUnknownNames(price.match, known, [...path, 'match'], diagnostics);
  if (costPerCall > 0 && Math.round(costPerCall * COST_STEPS) === 0) {
    diagnostics.problem([...path, 'cost_per_call'], `expected 0 or at least ${1 / COST_STEPS}, got ${costPerCall}`);
  }
  return [price];
}

function notePriceless({ limits, pricing }: QuotasConfig, diagnostics: Diagnostics): void {
  const costly = limits.find(({ metric }) => isMoney(metric));
  if (costly === undefined || pricing.length > 0 || diagnostics.has(['quotas'])) return;
  diagnostics.warning(['quotas', 'pricing'], `nothing has a price, so that '${costly.name}' never counts`);
}

/** Without authentication a caller can open another session, and with it another budget. */
function noteFreeSessions(limits: readonly QuotaLimit[], diagnostics: Diagnostics): void {
  const bounding = limits.filter(({ pause, hardStop }) => pause !== undefined || hardStop !== undefined);
  if (bounding.some(({ per }) => per !== 'session')) return;
  for (const { name } of bounding) {
    const message = `'${name}' counts for one session alone, and without 'clients' any caller can open another: it bounds nobody. Use per 'all', or set 'clients'`;
    diagnostics.warning(['quotas', 'limits', limits.findIndex((limit) => limit.name === name), 'per'], message);
  }
}
