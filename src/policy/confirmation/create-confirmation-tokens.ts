import type { ConfirmationConfig } from '../../config/policy-config.js';
import type { Caller } from '../../protocol/caller.js';
import type { DangerLevel } from '../../protocol/danger.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { StateStore } from '../../store/state-store.js';
import type { AuditEvent, AuditTrail } from '../audit/audit-trail.js';
import { describeActor } from '../audit/decision-event.js';
import { checkCooldown, checkToken, type PresentedToken, tokenInvalid } from './check-token.js';
import type { ConfirmationTokens, Token, TokenRequest, TokenScope } from './confirmation-tokens.js';
import { failClosed } from './fail-closed.js';
import { createTokenLimits, type TokenLimits } from './token-limits.js';
import { createTokenText, idOfToken, keyOfToken } from './token-text.js';

export interface ConfirmationTokensOptions {
  readonly store: StateStore;
  readonly audit: AuditTrail;
  readonly config: ConfirmationConfig;
  /** Fingerprint of the configuration: tokens that were issued under another one are void. */
  readonly configuration: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

type TokenEvent = Extract<AuditEvent, { readonly type: 'token' }>;

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

/** What is left of a token at least when its cooldown ends: one that is never good would be a trap. */
const USABLE_SECONDS = 60;

/** For how long a token that has expired can be told from one that never was. The specification allows an hour. */
const REMEMBERED_MS = 3_600_000;

/** Tokens that live in a store, and so with it: over restarts and over replicas where it does. */
export function createConfirmationTokens(options: ConfirmationTokensOptions): ConfirmationTokens {
  return new StoredTokens(options);
}

class StoredTokens implements ConfirmationTokens {
  readonly #store: StateStore;
  readonly #audit: AuditTrail;
  readonly #config: ConfirmationConfig;
  readonly #configuration: string;
  readonly #now: () => number;
  readonly #limits: TokenLimits;

  constructor({ store, audit, config, configuration, now = Date.now }: ConfirmationTokensOptions) {
    this.#store = failClosed(store);
    this.#audit = audit;
    this.#config = config;
    this.#configuration = configuration;
    this.#now = now;
    this.#limits = createTokenLimits(this.#store, config, now);
  }

  async issue(request: TokenRequest): Promise<{ readonly token: string; readonly record: Token }> {
    await this.#limits.countIssue(request.caller);
    const text = createTokenText(request.type ?? 'confirmation');
    const key = keyOfToken(text);
    const record = this.#draft(request, idOfToken(key));
    const options = { expiresAt: record.expiresAt + REMEMBERED_MS, tag: record.session };
    // 256 random bits: a key that is taken is a broken random source.
    if (!(await this.#store.insert('token', key, { ...record }, options))) throw new Error('a token was made twice');
    this.#record('TOKEN_ISSUED', { key, caller: request.caller, scope: request.scope });
    return { token: text, record };
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

  #draft(request: TokenRequest, id: string): Token {
    const { type = 'confirmation', scope, caller, danger, cooldownSeconds, approval = null, context = {} } = request;
    const { lifetimeSeconds = this.#config.ttlSeconds[LIFETIMES[danger]] } = request;
    const issuedAt = this.#now();
    const lifetime =
      cooldownSeconds > 0 ? Math.max(lifetimeSeconds, cooldownSeconds + USABLE_SECONDS) : lifetimeSeconds;
    return {
      ...scope,
      id,
      type,
      session: caller.sessionId,
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

  /** Looks a token up and checks it. Whatever was sent costs one look into the store, so that its time tells nothing. */
  async #examine(presented: PresentedToken): Promise<FoundToken> {
    const record = await this.#store.get('token', presented.key);
    // Only this class writes the collection.
    const token = record?.value as Token | undefined;
    const own = token?.session === presented.caller.sessionId && token.configuration === this.#configuration;
    if (record === undefined || token === undefined || !own) throw tokenInvalid(presented);
    checkToken(token, presented, this.#now(), this.#config.clockSkewSeconds);
    return { token, version: record.version };
  }

  /** Uses a token up. Of many that try at once, over processes, the store lets one succeed. */
  async #consume({ token, version }: FoundToken, presented: PresentedToken): Promise<Token> {
    const consumed = { ...token, consumedAt: this.#now() };
    if (await this.#store.replace('token', presented.key, version, consumed)) return consumed;
    // Used or taken back since it was read: looking again says which.
    await this.#examine(presented);
    throw tokenInvalid(presented);
  }

  /** Uses the token up before forgetting it, so that a call that uses it at the same moment either runs or is refused. */
  async #forget(presented: PresentedToken): Promise<Token> {
    const consumed = await this.#consume(await this.#examine(presented), presented);
    await this.#store.remove('token', presented.key);
    return consumed;
  }

  /** Refuses at once beyond the limit of failures, and counts the failure if it comes to one. */
  #validate<T>(presented: PresentedToken, work: () => Promise<T>): Promise<T> {
    return this.#recordRejection(presented, async () => {
      await this.#limits.checkFailures(presented.caller);
      try {
        return await work();
      } catch (error) {
        // Beyond the limit the count's own refusal is the answer: many guesses at once learn no more than one after another.
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

/** A cooldown that is not over and a store that cannot be reached are no fault of the token's. */
function isTokenFault(error: unknown): boolean {
  return error instanceof OperationError && error.code.startsWith('TOKEN_');
}
