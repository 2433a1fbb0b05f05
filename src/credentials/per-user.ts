import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { type AskChannel, AskFailure } from '../protocol/ask.js';
import type { Caller } from '../protocol/caller.js';
import type { Cancellation } from '../protocol/cancellation.js';
import type { JsonObject } from '../protocol/json.js';
import { OperationError } from '../protocol/operation-error.js';
import { UpstreamFault } from '../upstream/fault.js';
import type { Refusal, RequestCredentials, RightsRequest, UserRights } from '../upstream/user-rights.js';
import type { ConnectFlow, ConnectLink } from './connect-flow.js';
import { fixedHeaders } from './fixed-headers.js';
import { ownerOf } from './owner.js';
import { RightsListeners } from './rights-listeners.js';
import type { UserTokens } from './user-tokens.js';

/** How often the store is asked whether the user has come back to another replica. */
const POLL_MS = 1_000;
const MAX_OWNERS = 10_000;

interface PerUserParts {
  readonly slug: string;
  readonly tokens: UserTokens;
  readonly flow: ConnectFlow;
  readonly discovery: Readonly<Record<string, string>>;
  /** Where users connect without being asked. */
  readonly page: string;
  readonly now: () => number;
}

/** The rights of a server to which each user connects their own account. */
export class PerUserRights implements UserRights {
  readonly discovery: RequestCredentials;
  readonly listeners = new RightsListeners();
  readonly #parts: PerUserParts;
  /** The token of each owner that the server has refused although it was new. */
  readonly #refused = new LRUCache<string, string>({ max: MAX_OWNERS });
  readonly #links = new LRUCache<string, ConnectLink>({ max: MAX_OWNERS });

  constructor(parts: PerUserParts) {
    this.#parts = parts;
    const isConfigured = Object.keys(parts.discovery).length > 0;
    this.discovery = isConfigured ? fixedHeaders(parts.discovery) : this.#credentialsOfFirst();
  }

  ownerOf(caller: Caller): string {
    return ownerOf(caller);
  }

  async require({ caller, cancellation, ask }: RightsRequest): Promise<void> {
    const owner = this.ownerOf(caller);
    if (await this.#isGood(owner)) return;
    const link = await this.#linkFor(owner);
    if (ask?.abilities.url !== true) throw this.#lack(link);
    const elicitationId = randomUUID();
    await this.#ask({ ask, link, elicitationId, cancellation });
    if (!(await this.#untilGood(owner, link, cancellation))) throw this.#lack(link);
    ask.completed?.(elicitationId, false);
  }

  wasRefused(caller: Caller): boolean {
    return this.#refused.has(this.ownerOf(caller));
  }

  credentialsOf(owner: string): RequestCredentials {
    return this.#credentials(async () => owner);
  }

  onChanged(listener: (owner: string, hasRights: boolean) => void): () => void {
    return this.listeners.add(listener);
  }

  async #isGood(owner: string): Promise<boolean> {
    const token = await this.#parts.tokens.usable(owner);
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
    readonly link: ConnectLink;
    readonly elicitationId: string;
    readonly cancellation: Cancellation;
  }): Promise<void> {
    const { ask, link, elicitationId, cancellation } = question;
    const params = this.#describeQuestion(link, elicitationId);
    try {
      const { action } = await ask.ask({ method: 'elicitation/create', params }, cancellation);
      if (action !== 'accept') throw this.#lack(link);
    } catch (failure) {
      if (!(failure instanceof AskFailure)) throw failure;
      throw this.#lack(link, { elicitation: params });
    }
  }

  #describeQuestion({ url }: ConnectLink, elicitationId: string): JsonObject {
    const { slug } = this.#parts;
    const message = `The server '${slug}' is called with your own rights. Open this page of ${new URL(url).host} to connect your account; the call then goes on`;
    return { mode: 'url', message, url, elicitationId };
  }

  /** Resolves with false where the user does not come back in time. */
  async #untilGood(owner: string, { expiresAt }: ConnectLink, cancellation: Cancellation): Promise<boolean> {
    const changed = new AbortController();
    const stop = this.listeners.add((whose) => whose === owner && changed.abort());
    cancellation.onCancel(() => changed.abort());
    try {
      while (!cancellation.cancelled && this.#parts.now() < expiresAt) {
        await delay(POLL_MS, undefined, { signal: changed.signal, ref: false }).catch(() => undefined);
        if (await this.#isGood(owner)) return true;
        // The owner has changed, and has no rights: what comes next is polled for.
        if (changed.signal.aborted) await delay(POLL_MS, undefined, { ref: false });
      }
      return false;
    } finally {
      stop();
    }
  }

  #lack({ url, expiresAt }: ConnectLink, more: JsonObject = {}): OperationError {
    const { slug, now } = this.#parts;
    const minutes = Math.max(1, Math.round((expiresAt - now()) / 60_000));
    const message = `Permission denied: the server '${slug}' is called with the rights of each user, and the user of this call has not connected an account, or access has ended. The call did not run. Ask the user to open ${url} in a browser within ${minutes} minutes; then send the call again`;
    const details = { reason: 'credentials_required', url, expires_at: new Date(expiresAt).toISOString() };
    return new OperationError('PERMISSION_DENIED', message, {
      upstream: slug,
      ...details,
      outcome: 'not_run',
      ...more,
    });
  }

  #credentials(whose: () => Promise<string | undefined>): RequestCredentials {
    let secrets: readonly string[] = [];
    const send = (token: string): Readonly<Record<string, string>> => {
      // What the last two requests carried may still come back.
      if (!secrets.includes(token)) secrets = [...secrets.slice(-1), token];
      return { authorization: `Bearer ${token}` };
    };
    return {
      headers: async () => {
        const owner = await whose();
        const token = owner === undefined ? undefined : await this.#parts.tokens.usable(owner);
        if (token === undefined)
          throw new UpstreamFault('unavailable', 'its user has to connect an account', { undelivered: true });
        return send(token);
      },
      refused: async (refusal) => {
        const owner = await whose();
        return owner !== undefined && this.#judge(owner, refusal);
      },
      get secrets() {
        return secrets;
      },
    };
  }

  /** Whether there is another token than the one that was refused. */
  async #judge(owner: string, { status, challenge = '', sent }: Refusal): Promise<boolean> {
    const token = sent['authorization']?.replace('Bearer ', '') ?? '';
    const headers = challenge === '' ? {} : { 'www-authenticate': challenge };
    const { error } = extractWWWAuthenticateParams(new Response(null, { status, headers }));
    if (status === 403 && error !== 'insufficient_scope') return false;
    const other = status === 401 ? await this.#parts.tokens.other(owner, token) : undefined;
    if (other !== undefined && other !== token) return true;
    this.#refused.set(owner, token);
    return false;
  }

  /**
   * What the gateway reads the tools with, where nothing is configured for that: what the user has granted who connected first. Before
   * that nothing, which servers accept that let anyone read what they offer.
   */
  #credentialsOfFirst(): RequestCredentials {
    const { tokens, page } = this.#parts;
    const ofFirst = this.#credentials(() => tokens.firstOwner());
    let isClosed = false;
    return {
      headers: async () => {
        if ((await tokens.firstOwner()) !== undefined) return ofFirst.headers();
        if (!isClosed) return {};
        const message = `no user has connected an account yet: the first one does so at ${page}`;
        throw new UpstreamFault('unavailable', message, { undelivered: true });
      },
      refused: async (refusal) => {
        if (refusal.sent['authorization'] !== undefined) return ofFirst.refused(refusal);
        isClosed = refusal.status === 401;
        return false;
      },
      get secrets() {
        return ofFirst.secrets;
      },
    };
  }
}
