import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { DangerLevel } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ConfirmationConfig } from '../../config/policy-config.js';
import { failClosed } from '../../store/fail-closed.js';
import type { StateStore } from '../../store/state-store.js';
import type { AuditEvent, AuditTrail } from '../audit/audit-trail.js';
import { keyOfCaller, ownerOf } from '../rules/caller-key.js';
import { describeActor } from '../rules/gatekeeper.js';
import { checkCooldown, checkToken, type PresentedToken, tokenInvalid, tokenOutdated } from './check-token.js';
import { createKeptCalls, type KeptCalls, type KeptUnder, type UsedTokens } from './kept-calls.js';
import type { ConfirmationTokens, IssuedToken, Token, TokenRequest, TokenScope } from './token-types.js';

interface ConfirmationTokensOptions {
  readonly store: StateStore;
  readonly audit: AuditTrail;
  readonly config: TokenSettings;
  /** The digest of the configuration: tokens that were issued under another one are void. */
  readonly configuration: string;
  /** What this gateway has taken under any configuration. */
  readonly used: UsedTokens;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

type TokenSettings = Omit<ConfirmationConfig, 'batch'>;

type TokenEvent = Extract<AuditEvent, { readonly type: 'token' }>;

type DraftedToken = Omit<Token, 'keepsCall'>;

interface FoundToken {
  readonly token: Token;
  readonly version: number;
}

const LIFETIMES: Readonly<Record<DangerLevel, keyof ConfirmationConfig['ttlSeconds']>> = {
  safe: 'destructive',
  reversible: 'destructive',
  destructive: 'destructive',
  dangerous: 'dangerous',
  forbidden: 'forbidden',
};

/** How long a token is valid after its cooldown, at least. Otherwise a long cooldown would outlast the token. */
const USABLE_SECONDS = 60;

/** How long an expired token is distinguished from an unknown one. The specification allows an hour. */
const REMEMBERED_MS = 3_600_000;

/** Tokens in a store: they outlive restarts and work over replicas where the store does. */
export function createConfirmationTokens(options: ConfirmationTokensOptions): ConfirmationTokens {
  return new StoredTokens(options);
}

class StoredTokens implements ConfirmationTokens {
  readonly #store: StateStore;
  readonly #audit: AuditTrail;
  readonly #config: TokenSettings;
  readonly #configuration: string;
  readonly #used: UsedTokens;
  readonly #now: () => number;
  readonly #limits: TokenLimits;
  readonly #calls: KeptCalls;

  constructor({ store, audit, config, configuration, used, now = Date.now }: ConfirmationTokensOptions) {
    this.#store = failClosed(store);
    this.#audit = audit;
    this.#config = config;
    this.#configuration = configuration;
    this.#used = used;
    this.#now = now;
    this.#limits = createTokenLimits(this.#store, config, now);
    this.#calls = createKeptCalls(this.#store, now);
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    await this.#limits.countIssue(request.caller);
    const text = createTokenText(request.type ?? 'confirmation');
    const key = keyOfToken(text);
    const drafted = this.#draft(request, idOfToken(key));
    const record = { ...drafted, keepsCall: await this.#keepCall(request, { text, key }, drafted) };
    const options = { expiresAt: record.expiresAt + REMEMBERED_MS, tag: record.session };
    // With 256 random bits, a key that is taken means a broken random source.
    if (!(await this.#store.insert('token', key, { ...record }, options)))
      throw new Error('two tokens have the same text');
    this.#record('TOKEN_ISSUED', { key, caller: request.caller, scope: request.scope });
    return { token: text, record };
  }

  async recall(
    text: string,
    of: Pick<TokenScope, 'operation' | 'label'>,
    caller: Caller,
  ): Promise<JsonObject | undefined> {
    const presented = present(text, caller, { ...of, upstream: '', definition: '', parameters: '' });
    return this.#validate(presented, async () => {
      // The definition and the parameters are checked when the call that is kept redeems the token.
      const { token } = await this.#examine(presented, ['operation']);
      const params = await this.#calls.recall(presented);
      // It was used since it was read: reading it again says so.
      if (params === undefined && token.keepsCall) await this.#examine(presented, ['operation']);
      return params;
    });
  }

  async recallOperation(text: string, caller: Caller): Promise<string | undefined> {
    const presented = present(text, caller);
    const { token } = await this.#validate(presented, () => this.#examine(presented, []));
    return token.type === 'confirmation' && token.keepsCall ? token.operation : undefined;
  }

  async inspect(text: string, scope: TokenScope, caller: Caller): Promise<Token> {
    const presented = present(text, caller, scope);
    return this.#validate(presented, async () => (await this.#examine(presented)).token);
  }

  async redeem(text: string, scope: TokenScope, caller: Caller): Promise<Token> {
    const presented = present(text, caller, scope);
    const consumed = await this.#validate(presented, async () => {
      const found = await this.#examine(presented);
      checkCooldown(found.token, presented, this.#now());
      return this.#consume(found, presented);
    });
    this.#record('TOKEN_VALIDATED', presented);
    return consumed;
  }

  async revoke(text: string, caller: Caller): Promise<Token> {
    const presented = present(text, caller);
    const token = await this.#recordRejection(presented, async () => {
      await this.#limits.countFailure(caller);
      return this.#forget(presented);
    });
    this.#record('TOKEN_REVOKED', { ...presented, scope: token });
    return token;
  }

  async discard(text: string, caller: Caller): Promise<void> {
    const presented = present(text, caller);
    this.#record('TOKEN_REVOKED', { ...presented, scope: await this.#forget(presented) });
  }

  async endSession(sessionId: string): Promise<void> {
    await this.#store.removeTagged('kept_call', sessionId);
    for (const key of await this.#store.removeTagged('token', sessionId)) {
      this.#audit.record({
        type: 'token',
        event: 'TOKEN_REVOKED',
        token_id: idOfToken(key),
        outcome: 'success',
        actor: { session: sessionId },
      });
    }
  }

  async #keepCall({ params, caller }: TokenRequest, under: KeptUnder, token: DraftedToken): Promise<boolean> {
    if (params === undefined) return false;
    const expiresAt = token.expiresAt + this.#config.clockSkewSeconds * 1_000;
    return this.#calls.keep(under, params, { caller, expiresAt, tag: token.session });
  }

  #draft(request: TokenRequest, id: string): DraftedToken {
    const { type = 'confirmation', scope, caller, danger, cooldownSeconds, approval = null, context = {} } = request;
    const { lifetimeSeconds = this.#config.ttlSeconds[LIFETIMES[danger]] } = request;
    const issuedAt = this.#now();
    const lifetime =
      cooldownSeconds > 0 ? Math.max(lifetimeSeconds, cooldownSeconds + USABLE_SECONDS) : lifetimeSeconds;
    return {
      ...scope,
      id,
      type,
      session: ownerOf(caller),
      configuration: this.#configuration,
      danger,
      issuedAt,
      notBefore: issuedAt + cooldownSeconds * 1_000,
      expiresAt: issuedAt + lifetime * 1_000,
      consumedAt: null,
      approval,
      context,
    };
  }

  /** Finds a token and checks it. Any text costs one read of the store, so that the time taken reveals nothing. */
  async #examine(presented: PresentedToken, parts?: readonly (keyof TokenScope)[]): Promise<FoundToken> {
    const record = await this.#store.get('token', presented.key);
    // Only this class writes the collection.
    const found = record?.value as Token | undefined;
    if (record === undefined || found?.session !== ownerOf(presented.caller)) throw tokenInvalid(presented);
    const token = { ...found, consumedAt: found.consumedAt ?? this.#used.usedAt(presented.key) ?? null };
    if (token.configuration !== this.#configuration) throw tokenOutdated(presented);
    const behindMs = token.issuedAt - this.#now();
    if (
      behindMs > this.#config.clockSkewSeconds * 1_000 &&
      (await this.#moveBack(token, behindMs, presented, record.version))
    )
      return this.#examine(presented, parts);
    checkToken(token, presented, { now: this.#now(), skewSeconds: this.#config.clockSkewSeconds, parts });
    return { token, version: record.version };
  }

  /** The clock was set back: the token's waiting time and life begin anew, as how long ago it was issued is not known. */
  #moveBack(token: Token, byMs: number, { key }: PresentedToken, version: number): Promise<boolean> {
    const { issuedAt, notBefore, expiresAt } = token;
    const moved = { ...token, issuedAt: issuedAt - byMs, notBefore: notBefore - byMs, expiresAt: expiresAt - byMs };
    return this.#store.replace('token', key, version, moved);
  }

  /** Consumes a token. Of many simultaneous attempts, over processes, the store lets one succeed. */
  async #consume({ token, version }: FoundToken, presented: PresentedToken): Promise<Token> {
    const consumedAt = this.#now();
    const consumed = { ...token, consumedAt };
    if (await this.#store.replace('token', presented.key, version, consumed)) {
      this.#used.note(presented.key, consumedAt, token.expiresAt + this.#config.clockSkewSeconds * 1_000);
      // A token that is used calls nothing again, so that its call may as well expire.
      await this.#calls.forget(presented.key).catch(() => undefined);
      return consumed;
    }
    // It was used or revoked since it was read; reading it again says which.
    await this.#examine(presented);
    throw tokenInvalid(presented);
  }

  /** Consumes the token before removing it, so that a call that uses it at the same moment either runs or is refused. */
  async #forget(presented: PresentedToken): Promise<Token> {
    const consumed = await this.#consume(await this.#examine(presented), presented);
    await this.#store.remove('token', presented.key);
    return consumed;
  }

  /** Refuses without checking beyond the limit of failures, and counts a failure of the check. */
  #validate<T>(presented: PresentedToken, work: () => Promise<T>): Promise<T> {
    return this.#recordRejection(presented, async () => {
      await this.#limits.checkFailures(presented.caller);
      try {
        return await work();
      } catch (error) {
        // Beyond the limit the count's refusal is the answer: simultaneous guesses learn no more than successive ones.
        if (isTokenFault(error)) await this.#limits.countFailure(presented.caller);
        throw error;
      }
    });
  }

  async #recordRejection<T>(presented: PresentedToken, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OperationError) this.#record('TOKEN_REJECTED', presented, error.code);
      throw error;
    }
  }

  #record(
    event: TokenEvent['event'],
    { key, caller, scope }: Pick<PresentedToken, 'key' | 'caller' | 'scope'>,
    failure?: string,
  ): void {
    this.#audit.record({
      type: 'token',
      event,
      token_id: idOfToken(key),
      ...(scope === undefined ? {} : { operation: scope.operation, adapter: scope.upstream }),
      outcome: failure === undefined ? 'success' : 'failure',
      ...(failure === undefined ? {} : { failure_reason: failure }),
      actor: describeActor(caller),
    });
  }
}

function present(text: string, caller: Caller, scope?: TokenScope): PresentedToken {
  return { text, key: keyOfToken(text), caller, ...(scope === undefined ? {} : { scope }) };
}

/** Whether the token is at fault. A cooldown that is not over and a store that cannot be reached are not its fault. */
function isTokenFault(error: unknown): boolean {
  return error instanceof OperationError && error.code.startsWith('TOKEN_');
}

const MINUTE_MS = 60_000;

/** Limits how often a caller gets tokens and fails with them. Each method rejects with RATE_LIMIT_EXCEEDED beyond the limit. */
interface TokenLimits {
  countIssue(caller: Caller): Promise<void>;
  /** Counts a failed validation, or a revocation, which could be used for guessing as well. */
  countFailure(caller: Caller): Promise<void>;
  /** Rejects when the limit is reached; counts nothing. */
  checkFailures(caller: Caller): Promise<void>;
}

type Counted = 'issued' | 'failed';

const LIMIT_WORDS: Readonly<Record<Counted, string>> = {
  issued: 'confirmation tokens',
  failed: 'failed confirmations and revocations',
};

/** Counts by calendar minute. The counters are in the store, so that several gateways count together. */
function createTokenLimits(
  store: Pick<StateStore, 'increment' | 'count'>,
  config: Pick<ConfirmationConfig, 'maxIssuedPerMinute' | 'maxFailuresPerMinute'>,
  now: () => number,
): TokenLimits {
  const limits: Readonly<Record<Counted, number>> = {
    issued: config.maxIssuedPerMinute,
    failed: config.maxFailuresPerMinute,
  };
  const count = async (counted: Counted, caller: Caller): Promise<void> => {
    const at = now();
    const limit = limits[counted];
    // Kept a minute longer than it is read, in case the store's clock is ahead of this one.
    const expiresAt = endOfMinute(at) + MINUTE_MS;
    const { added } = await store.increment([{ counter: counterOf(counted, caller, at), by: 1, expiresAt, limit }]);
    if (!added) throw limitExceeded(counted, limit, at);
  };
  return {
    countIssue: (caller) => count('issued', caller),
    countFailure: (caller) => count('failed', caller),
    async checkFailures(caller) {
      const at = now();
      const failures = await store.count(counterOf('failed', caller, at));
      if (failures >= limits.failed) throw limitExceeded('failed', limits.failed, at);
    },
  };
}

function counterOf(counted: Counted, caller: Caller, now: number): string {
  return `tokens/${counted}/${Math.floor(now / MINUTE_MS)}/${keyOfCaller(caller)}`;
}

function endOfMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
}

function limitExceeded(counted: Counted, limit: number, now: number): OperationError {
  const resetsAt = endOfMinute(now);
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${limit} ${LIMIT_WORDS[counted]} per minute reached. Try again in ${seconds} seconds`,
    {
      limit,
      remaining: 0,
      window: 'minute',
      resets_at: new Date(resetsAt).toISOString(),
      retry_after_seconds: seconds,
    },
  );
}

/** Shows on the token itself that it is for several calls. */
const JOINT_PREFIX = 'conf_batch_';

/** Whether a text has the form of a token for several calls. */
export function isJointToken(text: string): boolean {
  return text.startsWith(JOINT_PREFIX);
}

const TOKEN_PREFIXES: Readonly<Record<Token['type'], string>> = {
  confirmation: 'conf_',
  joint: JOINT_PREFIX,
  quota_continue: 'quota_continue_',
};

/** Whether a text begins as the gateway's tokens do. */
export function isTokenLike(text: string): boolean {
  return Object.values(TOKEN_PREFIXES).some((prefix) => text.startsWith(prefix));
}

/** Twice the specified 128 bits; with the longest prefix, 58 of at most 80 characters. */
const RANDOM_BYTES = 32;

const ID_LENGTH = 12;

/** A new token, as its owner sends it back. */
function createTokenText(type: Token['type']): string {
  return `${TOKEN_PREFIXES[type]}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** The key of a token in the store: a digest, so that a stolen database holds no token that can be used. */
function keyOfToken(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The public id of a token: it identifies the token in records and cannot be used as one. */
function idOfToken(key: string): string {
  return key.slice(0, ID_LENGTH);
}
