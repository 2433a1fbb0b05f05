import type { Observation } from '../../../../src/base/observe/observation.js';
import type { Caller } from '../../../../src/base/protocol/call.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { Warning } from '../../../../src/base/protocol/result.js';
import type { ApiLimit } from '../../../../src/config/gateway-config.js';
import type { QuotaLimit, QuotaPrice } from '../../../../src/config/policy-config.js';
import { noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { UsedTokens } from '../../../../src/policy/confirmation/kept-calls.js';
import { createConfirmationTokens } from '../../../../src/policy/confirmation/tokens.js';
import { createQuotaService } from '../../../../src/policy/quota/quota.js';
import type { ChargeRequest, QuotaService } from '../../../../src/policy/quota/quota-types.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';
import { anOperation } from '../../../support/an-operation.js';

export const START = Date.parse('2026-01-28T12:29:13.000Z');

export const ALICE: Caller = { sessionId: 'session-1', clientName: 'editor', client: 'alice', transport: 'http' };
export const BOB: Caller = { sessionId: 'session-2', clientName: 'editor', client: 'bob', transport: 'http' };
export const UNAUTHENTICATED: Caller = { sessionId: 'session-3', clientName: 'editor', transport: 'http' };

export const GET_ITEM = anOperation({ name: 'get_item' });
export const SEARCH = anOperation({ name: 'search_items' });
export const DELETE_ITEM = anOperation({
  name: 'delete_item',
  classification: { ...GET_ITEM.classification, category: 'DELETE', danger: { level: 'destructive', reasons: [] } },
});
export const ELSEWHERE = anOperation({ name: 'get_page', qualifiedName: 'wiki__get_page', upstream: 'wiki' });

export interface QuotaBenchOptions {
  readonly limits?: readonly QuotaLimit[];
  readonly pricing?: readonly QuotaPrice[];
  /** By upstream. */
  readonly api?: Readonly<Record<string, readonly ApiLimit[]>>;
  readonly store?: (now: () => number) => StateStore;
  /** The most bytes of an answer. */
  readonly answerTokens?: number;
}

export interface QuotaBench {
  readonly service: QuotaService;
  readonly store: StateStore;
  readonly observations: Observation[];
  /** The clock, in milliseconds. */
  time: number;
  /** Charges one call; `GET_ITEM` by `ALICE` unless said otherwise. It has no answer that is counted. */
  charge(request?: Partial<ChargeRequest>): Promise<readonly Warning[]>;
  /** Charges one call; what it returns ends it. */
  begin(request?: Partial<ChargeRequest>): Promise<(answerCharacters: number) => Promise<void>>;
  /** Charges so many calls one after another; they must all pass. */
  chargeTimes(count: number, request?: Partial<ChargeRequest>): Promise<readonly Warning[]>;
  /** The refusal of a call. */
  refusal(request?: Partial<ChargeRequest>): Promise<OperationError>;
  /** Another quota service over the same store and clock: a restart, or another gateway. */
  elsewhere(): QuotaService;
}

/** A limit on the requests of all callers, with default values for what a test does not set. */
export function aLimit(changes: Partial<QuotaLimit> = {}): QuotaLimit {
  return { name: 'calls', match: {}, per: 'all', metric: 'requests_per_hour', ...changes };
}

export function createQuotaBench({ limits = [], pricing = [], api = {}, ...options }: QuotaBenchOptions): QuotaBench {
  const now = (): number => bench.time;
  const store = options.store?.(now) ?? new MemoryStore(now);
  const observations: Observation[] = [];
  const config = {
    quotas: { limits, pricing, currency: 'USD' },
    upstreams: Object.entries(api).map(([slug, apiLimits]) => ({ slug, apiLimits })),
  };
  const tokens = createConfirmationTokens({
    store,
    audit: noAuditTrail,
    configuration: 'configuration-1',
    used: new UsedTokens(),
    now,
    config: {
      ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
      clockSkewSeconds: 0,
      maxIssuedPerMinute: 100_000,
      maxFailuresPerMinute: 100_000,
    },
  });
  const elsewhere = (): QuotaService =>
    createQuotaService({
      store,
      tokens,
      config,
      now,
      observe: (observation) => void observations.push(observation),
      ...(options.answerTokens === undefined ? {} : { answerTokens: options.answerTokens }),
    });
  const service = elsewhere();
  const open = async (request: Partial<ChargeRequest> = {}) =>
    service.charge({ operation: GET_ITEM, arguments: {}, caller: ALICE, ...request });
  const charge = async (request: Partial<ChargeRequest> = {}): Promise<readonly Warning[]> => {
    const charged = await open(request);
    await charged?.settle(() => 0);
    return charged?.warnings ?? [];
  };
  const bench: QuotaBench = {
    service,
    store,
    observations,
    time: START,
    charge,
    async begin(request) {
      const charged = await open(request);
      return async (answerCharacters) => charged?.settle(() => answerCharacters);
    },
    elsewhere,
    async chargeTimes(count, request) {
      let warnings: readonly Warning[] = [];
      for (let done = 0; done < count; done += 1) warnings = await charge(request);
      return warnings;
    },
    async refusal(request) {
      const outcome = await charge(request).catch((error: unknown) => error);
      if (outcome instanceof OperationError) return outcome;
      throw new Error('it was not refused', { cause: outcome });
    },
  };
  return bench;
}

/** The details of a pause's token. */
export function tokenOf(pause: OperationError): string {
  return String(pause.details['confirmation_token']);
}

export function operationCalled(name: string, changes: Partial<Operation> = {}): Operation {
  return anOperation({ name, ...changes });
}
