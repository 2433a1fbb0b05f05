import type { Caller } from '../../../../src/base/protocol/call.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { ConfirmationConfig } from '../../../../src/config/policy-config.js';
import { type AuditEvent, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { UsedTokens } from '../../../../src/policy/confirmation/kept-calls.js';
import type { ConfirmationTokens, TokenRequest, TokenScope } from '../../../../src/policy/confirmation/token-types.js';
import { createConfirmationTokens } from '../../../../src/policy/confirmation/tokens.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';

export const START = Date.parse('2026-03-01T12:00:00.000Z');

export const CALLER: Caller = { sessionId: 'session-1', clientName: 'editor', transport: 'http' };

export const SCOPE: TokenScope = {
  operation: 'github__delete_repository',
  upstream: 'github',
  definition: 'definition-1',
  parameters: 'parameters-1',
};

const CONFIG: Omit<ConfirmationConfig, 'batch'> = {
  ttlSeconds: { destructive: 300, dangerous: 200, forbidden: 120 },
  clockSkewSeconds: 30,
  maxIssuedPerMinute: 1_000,
  maxFailuresPerMinute: 10_000,
};

export interface TokenBench {
  readonly tokens: ConfirmationTokens;
  readonly store: StateStore;
  readonly events: AuditEvent[];
  /** The clock, in milliseconds. */
  time: number;
  /** Issues a token for the usual scope and caller. */
  issue(changes?: Partial<TokenRequest>): Promise<string>;
  /** Tokens over the same store and clock, under other settings. */
  elsewhere(changes: {
    readonly configuration?: string;
    readonly config?: Partial<ConfirmationConfig>;
  }): ConfirmationTokens;
}

export function createTokenBench(
  changes: { readonly config?: Partial<ConfirmationConfig>; readonly store?: StateStore } = {},
): TokenBench {
  const now = (): number => bench.time;
  const store = changes.store ?? new MemoryStore(now);
  const events: AuditEvent[] = [];
  const audit = {
    ...noAuditTrail,
    record: (event: AuditEvent) => void events.push(event),
    accept: (event: AuditEvent) => events.push(event) > 0,
  };
  const elsewhere: TokenBench['elsewhere'] = ({ configuration = 'configuration-1', config = {} }) => {
    const settings = { ...CONFIG, ...changes.config, ...config };
    return createConfirmationTokens({ store, audit, configuration, used: new UsedTokens(), now, config: settings });
  };
  const tokens = elsewhere({});
  const bench: TokenBench = {
    tokens,
    store,
    events,
    time: START,
    async issue(request = {}) {
      const usual: TokenRequest = { scope: SCOPE, caller: CALLER, danger: 'destructive', cooldownSeconds: 0 };
      return (await tokens.issue({ ...usual, ...request })).token;
    },
    elsewhere,
  };
  return bench;
}

/** The refusal that a promise ends with. */
export async function refusalOf(work: Promise<unknown>): Promise<OperationError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof OperationError) return outcome;
  throw new Error('it was not refused', { cause: outcome });
}
