import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../base/json/json.js';
import { quoteValues } from '../../base/lib/text.js';
import { type AskChannel, AskFailure } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/caller.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { refuseOnFailure } from '../../store/fail-closed.js';
import { StoreError } from '../../store/state-store.js';
import { UpstreamFault } from '../transport/fault.js';
import type { Refusal, RequestCredentials, RightsRequest, UserRights } from '../transport/user-rights.js';
import type { ConnectFlow, ConnectLink } from './connect-flow.js';
import { discoveryWith } from './forwarded-headers.js';
import { OAuthFault } from './oauth-answers.js';
import { ownerOf } from './owner.js';
import type { UserTokens } from './user-tokens.js';

/** How often the store is asked whether the user has come back to another replica. */
const POLL_MS = 1_000;
const MAX_OWNERS = 10_000;
/** How long a new token that the server has refused is not sent again: the fault may have been the server's, and pass. */
const REFUSED_MS = 60_000;

interface PerUserParts {
  readonly slug: string;
  readonly tokens: UserTokens;
  readonly flow: ConnectFlow;
  readonly discovery: Readonly<Record<string, string>>;
  /** Where users connect without being asked. */
  readonly page: string;
  readonly now: () => number;
}

/** What a user has to do. */
interface Need {
  readonly link: ConnectLink;
  /** Scopes that the access so far lacks; empty where there is no access. */
  readonly lacking: readonly string[];
}

/** The rights of a server to which each user connects their own account. */
export class PerUserRights implements UserRights {
  readonly discovery: RequestCredentials;
  readonly listeners = new RightsListeners();
  readonly #parts: PerUserParts;
  /** The token of each owner that the server has refused although it was new. */
  readonly #refused = new LRUCache<string, string>({ max: MAX_OWNERS, ttl: REFUSED_MS });
  readonly #links = new LRUCache<string, ConnectLink>({ max: MAX_OWNERS });

  constructor(parts: PerUserParts) {
    this.#parts = parts;
    this.discovery = discoveryWith(parts.discovery, `each user connects an account at ${parts.page}`);
  }

  ownerOf(caller: Caller): string {
    return ownerOf(caller);
  }

  async require(request: RightsRequest): Promise<void> {
    const owner = this.ownerOf(request.caller);
    const isGood = await this.#explained(this.#isGood(owner));
    if (!isGood) await this.#explained(this.#obtain(request, owner, []));
  }

  async renew(request: RightsRequest, { http_status: status, reason }: JsonObject): Promise<boolean> {
    const owner = this.ownerOf(request.caller);
    const failure = status === 401 ? this.#parts.tokens.failureOf(owner) : undefined;
    if (failure !== undefined) throw this.#cannotRenew(failure);
    // A scope that one call lacks is no reason to refuse another one.
    const isAboutScope = status === 403 || reason === 'unavailable';
    const lacking = isAboutScope ? await this.#explained(this.#parts.tokens.lacking(owner)) : [];
    if (lacking.length === 0 && !this.#refused.has(owner)) return false;
    await this.#explained(this.#obtain(request, owner, lacking));
    return true;
  }

  credentialsOf(owner: string): RequestCredentials {
    let secrets: readonly string[] = [];
    const send = (token: string): Readonly<Record<string, string>> => {
      // What the last two requests carried may still come back.
      if (!secrets.includes(token)) secrets = [...secrets.slice(-1), token];
      return { authorization: `Bearer ${token}` };
    };
    return {
      headers: async () => {
        const token = await this.#parts.tokens.usable(owner).catch(explainUnsent);
        if (token === undefined)
          throw new UpstreamFault('unavailable', 'its user has to connect an account', { undelivered: true });
        return send(token);
      },
      refused: (refusal) => this.#judge(owner, refusal),
      get secrets() {
        return secrets;
      },
    };
  }

  onChanged(listener: (owner: string, hasRights: boolean) => void): () => void {
    return this.listeners.add(listener);
  }

  /** Asks the user for access, where the client can be asked. @param lacking scopes that the access so far lacks */
  async #obtain({ cancellation, ask }: RightsRequest, owner: string, lacking: readonly string[]): Promise<void> {
    const link = await this.#linkFor(owner);
    const need = { link, lacking };
    if (ask?.abilities.url !== true) throw this.#lack(need);
    const elicitationId = randomUUID();
    await this.#ask({ ask, need, elicitationId, cancellation });
    if (!(await this.#untilGood(owner, need, cancellation))) throw this.#lack(need);
    ask.completed?.(elicitationId, false);
  }

  async #isGood(owner: string, lacking: readonly string[] = []): Promise<boolean> {
    const { tokens } = this.#parts;
    if (lacking.length > 0 && (await tokens.lacking(owner)).some((scope) => lacking.includes(scope))) return false;
    const token = await tokens.usable(owner);
    if (token !== undefined && token !== this.#refused.get(owner)) {
      this.#refused.delete(owner);
      return true;
    }
    return false;
  }

  async #linkFor(owner: string): Promise<ConnectLink> {
    const { flow, slug } = this.#parts;
    const known = this.#links.get(owner);
    if (known !== undefined && (await flow.isOpen(known))) return known;
    const link = await flow.link(slug, owner);
    this.#links.set(owner, link);
    return link;
  }

  async #ask(question: {
    readonly ask: AskChannel;
    readonly need: Need;
    readonly elicitationId: string;
    readonly cancellation: Cancellation;
  }): Promise<void> {
    const { ask, need, elicitationId, cancellation } = question;
    const params = this.#describeQuestion(need, elicitationId);
    try {
      const { action } = await ask.ask({ method: 'elicitation/create', params }, cancellation);
      if (action !== 'accept') throw this.#lack(need);
    } catch (failure) {
      if (!(failure instanceof AskFailure)) throw failure;
      throw this.#lack(need, { elicitation: params });
    }
  }

  #describeQuestion({ link: { url }, lacking }: Need, elicitationId: string): JsonObject {
    const { slug } = this.#parts;
    const more = lacking.length === 0 ? '' : `, and this call needs wider ones: ${quoteValues(lacking)}`;
    const message = `The server '${slug}' is called with your own rights${more}. Open this page of ${new URL(url).host} to connect your account; the call then goes on`;
    return { mode: 'url', message, url, elicitationId };
  }

  /** Resolves with false where the user does not come back in time. */
  async #untilGood(owner: string, { link, lacking }: Need, cancellation: Cancellation): Promise<boolean> {
    const changed = new AbortController();
    const stop = this.listeners.add((whose) => whose === owner && changed.abort());
    cancellation.onCancel(() => changed.abort());
    try {
      while (!cancellation.cancelled && this.#parts.now() < link.expiresAt) {
        await delay(POLL_MS, undefined, { signal: changed.signal, ref: false }).catch(() => undefined);
        if (await this.#isGood(owner, lacking)) return true;
        // The owner has changed, and has no rights: what comes next is polled for.
        if (changed.signal.aborted) await delay(POLL_MS, undefined, { ref: false });
      }
      return false;
    } finally {
      stop();
    }
  }

  #explained<T>(work: Promise<T>): Promise<T> {
    return refuseOnFailure(work).catch((cause: unknown) => {
      throw cause instanceof OAuthFault ? this.#cannotRenew(cause) : cause;
    });
  }

  /** The user has granted access, and has nothing to do. */
  #cannotRenew(cause: OAuthFault): OperationError {
    const { slug } = this.#parts;
    const message = `The server '${slug}' cannot be called now: the access that the user of this call has granted cannot be renewed, because ${cause.message}. The call did not run: send it again later, and tell the operator where that does not help`;
    const details = { upstream: slug, reason: 'token_refresh', retryable: true, outcome: 'not_run' };
    return new OperationError('INTERNAL_ERROR', message, details, { cause });
  }

  #lack({ link: { url, expiresAt }, lacking }: Need, more: JsonObject = {}): OperationError {
    const { slug, now } = this.#parts;
    const why =
      lacking.length === 0
        ? 'the user of this call has not connected an account, or access has ended'
        : `what the user of this call has granted does not suffice for it: the server demands ${quoteValues(lacking)}`;
    const minutes = Math.max(1, Math.round((expiresAt - now()) / 60_000));
    const message = `Permission denied: the server '${slug}' is called with the rights of each user, and ${why}. The call did not run. Ask the user to open ${url} in a browser within ${minutes} minutes; then send the call again`;
    const scopes = lacking.length === 0 ? {} : { scopes: lacking };
    const details = { reason: 'credentials_required', ...scopes, url, expires_at: new Date(expiresAt).toISOString() };
    return new OperationError('PERMISSION_DENIED', message, {
      upstream: slug,
      ...details,
      outcome: 'not_run',
      ...more,
    });
  }

  /** Whether there is another token than the one that was refused. */
  async #judge(owner: string, { status, challenge = '', sent, isLast }: Refusal): Promise<boolean> {
    const { tokens } = this.#parts;
    const token = sent['authorization']?.replace('Bearer ', '') ?? '';
    const headers = challenge === '' ? {} : { 'www-authenticate': challenge };
    const { error, scope = '' } = extractWWWAuthenticateParams(new Response(null, { status, headers }));
    if (status === 403) {
      if (error === 'insufficient_scope') await tokens.demand(owner, scope).catch(explainUnsent);
      return false;
    }
    // A token that is refused although it was new is not refreshed again: its owner has to grant access anew.
    const other = isLast ? undefined : await tokens.other(owner, token).catch(explainUnsent);
    if (other !== undefined && other !== token) return true;
    this.#refused.set(owner, token);
    return false;
  }
}

function explainUnsent(cause: unknown): never {
  const why = whyUnsent(cause);
  if (why === undefined) throw cause;
  throw new UpstreamFault('unavailable', why, { cause, undelivered: true });
}

function whyUnsent(cause: unknown): string | undefined {
  if (cause instanceof OAuthFault) return `the access of its user cannot be renewed: ${cause.message}`;
  if (cause instanceof StoreError)
    return 'what its users have granted is kept in the state store, which cannot be reached';
  return undefined;
}

type Listener = (owner: string, hasRights: boolean) => void;

/** Who wants to know when an owner gets rights or loses them. */
class RightsListeners {
  readonly #listeners = new Set<Listener>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(owner: string, hasRights: boolean): void {
    for (const listener of this.#listeners) listener(owner, hasRights);
  }
}
