import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { networkOf } from '../../base/lib/network-of.js';
import type { Observer } from '../../base/observe/observation.js';
import type { ClientConfig, OAuthConfig } from '../../config/access-config.js';
import type { AccessTokens, Verdict } from '../auth/access-tokens.js';
import type { Authenticated } from '../auth/authenticated.js';
import { BEARER, RefusalNotices } from '../auth/bearer-tokens.js';
import { ClientKeys, type KeyHolder } from '../auth/client-keys.js';
import { metadataAddress, scopesOf } from '../auth/resource-metadata.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { addressOf, answerWhen, type Fail, failing, type RequestHandler, sendRpcError } from './responder.js';

/** Who may use MCP over HTTP. */
export interface AccessSettings {
  readonly clients: readonly ClientConfig[];
  readonly oauth: OAuthConfig | undefined;
}

/** Who may use MCP over HTTP, at this moment. */
export class Admission {
  /** Undefined where every request passes, without an identity. */
  gate: Gate | undefined;
  readonly #observe: Observer;

  constructor(settings: AccessSettings, observe: Observer) {
    this.#observe = observe;
    this.replace(settings);
  }

  /** From now on these are admitted and no others: a token that is not good by them is revoked. */
  replace(settings: AccessSettings): void {
    const isOpen = settings.clients.length === 0 && settings.oauth === undefined;
    this.gate = isOpen ? undefined : new Gate(settings, this.#observe);
  }

  /** Ends a stream that has no end of its own when the token of its request is not good any more, or another's. */
  follow(request: IncomingMessage, response: ServerResponse, client: Authenticated | undefined): void {
    const { authorization } = request.headers;
    if (client === undefined || authorization === undefined) return;
    const network = (): string => networkOfSender(request);
    let timer: NodeJS.Timeout | undefined;
    const look = async (): Promise<void> => {
      const verdict = await this.gate?.check(authorization, network);
      if (response.destroyed) return;
      if (verdict?.kind !== 'accepted' || !isSame(verdict.client, client)) {
        response.end();
        return;
      }
      const { until } = verdict;
      if (Number.isFinite(until)) timer = setTimeout(lookAgain, Math.min(until - Date.now(), LONGEST_TIMER_MS)).unref();
    };
    const lookAgain = (): void => {
      look().catch((cause: unknown) => {
        this.#observe({ kind: 'defect', where: 'checking the token of a stream', cause });
        response.end();
      });
    };
    response.once('close', () => clearTimeout(timer));
    lookAgain();
  }
}

/** Node takes no longer time for a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether what a token gives is what it gave before. */
function isSame(now: Authenticated, before: Authenticated): boolean {
  return now === before || isDeepStrictEqual(now, before);
}

/** One text for every fault, so that it does not reveal which clients exist. */
const STATIC_ONLY =
  "Unauthorized: send the header 'Authorization: Bearer <token>' with the token that the gateway's operator gave this client.";

/** Tokens that are being checked or wait for it, in all and of one address; what comes beyond is to be sent again. */
const MAX_CHECKS = 2_048;
const MAX_CHECKS_PER_ADDRESS = 256;

/** Of one address at one time: the others wait, so that wrong tokens delay right ones and do not keep them out. */
const CHECKS_AT_ONCE = 16;

const BUSY: Verdict = { kind: 'unavailable', issuer: '', retryAfterSeconds: 1 };

/** Passes requests on with who was authenticated, or refuses them. */
class Gate {
  readonly #oauth: OAuthConfig | undefined;
  readonly #fail: Fail;
  readonly #keys: ClientKeys;
  readonly #known = new KnownHeaders();
  readonly #notices: RefusalNotices;
  readonly #checks: TokenChecks | undefined;

  constructor({ clients, oauth }: AccessSettings, observe: Observer) {
    this.#oauth = oauth;
    this.#fail = failing(observe, '/mcp');
    this.#keys = new ClientKeys(clients);
    this.#notices = new RefusalNotices(observe, '/mcp');
    this.#checks = oauth && new TokenChecks(oauth, observe);
  }

  admit(request: IncomingMessage, response: ServerResponse, handle: RequestHandler): void {
    const { authorization } = request.headers;
    const known = authorization === undefined ? undefined : this.#known.get(authorization);
    if (known !== undefined) {
      handle(request, response, known.client);
      return;
    }
    const verdict = authorization === undefined ? undefined : this.check(authorization, () => networkOfSender(request));
    const answer = (given: Known | Verdict | undefined): void => {
      if (given?.kind === 'accepted') handle(request, response, given.client);
      else this.#refuse(request, response, given);
    };
    void answerWhen(verdict, response, this.#fail, answer);
  }

  /** What an `Authorization` header is worth now; undefined where it holds no token, or a static one that is not valid. */
  check(authorization: string, network: () => string): Known | Verdict | undefined | Promise<Verdict> {
    const known = this.#known.get(authorization);
    if (known !== undefined) return known;
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    const ofKey = this.#keys.find(token);
    if (ofKey !== undefined && Date.now() < ofKey.until) return this.#known.add(authorization, ofKey);
    return this.#checks?.check(token, network()).then((verdict) => {
      if (verdict.kind === 'accepted') this.#known.add(authorization, verdict);
      return verdict;
    });
  }

  /** Refuses a request whose token is good, and not for its address. */
  refuseAddress(request: IncomingMessage, response: ServerResponse): void {
    this.#refuse(request, response, { kind: 'invalid', why: OF_ANOTHER_VIEW });
  }

  #refuse(request: IncomingMessage, response: ServerResponse, verdict: Verdict | undefined): void {
    if (verdict?.kind !== 'unavailable') this.#notices.refused(addressOf(request) || 'unknown');
    const { status, headers, text } = writeRefusal(verdict, this.#oauth, request);
    response.setHeaders(new Map(Object.entries(headers)));
    sendRpcError(response, status, RPC_ERROR.refused, text);
  }
}

function networkOfSender(request: IncomingMessage): string {
  return networkOf(addressOf(request));
}

const OF_ANOTHER_VIEW = 'it was issued for the address of another view, and opens that alone';

/** A header that was found valid. */
interface Known extends KeyHolder {
  readonly kind: 'accepted';
}

/** Valid headers that are remembered; beyond it the oldest is forgotten, and its token checked again when it comes. */
const MAX_KNOWN = 5_000;

/**
 * Authorization headers that were found valid: every request of a client carries the same one. Only valid ones are kept, so that wrong
 * ones cannot fill the map.
 */
class KnownHeaders {
  readonly #holders = new Map<string, Known>();

  get(header: string): Known | undefined {
    const holder = this.#holders.get(header);
    if (holder === undefined || Date.now() < holder.until) return holder;
    this.#holders.delete(header);
    return undefined;
  }

  add(header: string, { client, until }: KeyHolder): Known {
    if (this.#holders.size >= MAX_KNOWN) {
      const [oldest] = this.#holders.keys();
      if (oldest !== undefined) this.#holders.delete(oldest);
    }
    const known = { kind: 'accepted', client, until } as const;
    this.#holders.set(header, known);
    return known;
  }
}

/** Checks access tokens: each once, however many requests bring it at one time, and few at a time of one address. */
class TokenChecks {
  readonly #open = new Map<string, Promise<Verdict>>();
  readonly #lanes = new Map<string, Lane>();
  readonly #load: () => Promise<AccessTokens>;
  #tokens: Promise<AccessTokens> | undefined;

  constructor(oauth: OAuthConfig, observe: Observer) {
    // A gateway without authorization servers does not load what checks their tokens.
    this.#load = async () => {
      const { AccessTokens: Tokens } = await import('../auth/access-tokens.js');
      return new Tokens(oauth, { fetch: globalThis.fetch, observe, now: Date.now });
    };
  }

  check(token: string, address: string): Promise<Verdict> {
    const open = this.#open.get(token);
    if (open !== undefined) return open;
    const lane = this.#lanes.get(address) ?? new Lane();
    if (lane.size >= MAX_CHECKS_PER_ADDRESS || this.#open.size >= MAX_CHECKS) return Promise.resolve(BUSY);
    this.#lanes.set(address, lane);
    const checked = this.#run(token, lane).finally(() => {
      this.#open.delete(token);
      if (lane.size === 0) this.#lanes.delete(address);
    });
    this.#open.set(token, checked);
    return checked;
  }

  async #run(token: string, lane: Lane): Promise<Verdict> {
    await lane.enter();
    try {
      this.#tokens ??= this.#load();
      return await (await this.#tokens).check(token);
    } finally {
      lane.leave();
    }
  }
}

/** The checks of one address, a few at a time and the others in their order. */
class Lane {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  get size(): number {
    return this.#running + this.#waiting.length;
  }

  async enter(): Promise<void> {
    if (this.#running < CHECKS_AT_ONCE) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

interface RefusedRequest {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The characters that RFC 6750, section 3, allows. */
function plainText(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}

/** The refusal of a request. @param verdict undefined where there is no bearer token, or a static one that is not valid */
function writeRefusal(
  verdict: Verdict | undefined,
  oauth: OAuthConfig | undefined,
  { url = '' }: IncomingMessage,
): RefusedRequest {
  if (oauth === undefined) return { status: 401, headers: { 'www-authenticate': 'Bearer' }, text: STATIC_ONLY };
  const metadata = metadataAddress(oauth, url.slice('/mcp'.length));
  const challenge = (error: string | undefined, scopes: readonly string[], why?: string): Record<string, string> => {
    const parts = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(why === undefined ? [] : [`error_description="${plainText(why)}"`]),
      `resource_metadata="${metadata}"`,
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ];
    return { 'www-authenticate': `Bearer ${parts.join(', ')}` };
  };
  const next = `Get an access token for ${oauth.resource} from ${oauth.issuers.map(({ issuer }) => issuer).join(' or ')}; ${metadata} says how. Send it as 'Authorization: Bearer <token>'.`;
  switch (verdict?.kind) {
    case 'unavailable': {
      const { issuer, retryAfterSeconds } = verdict;
      const why = issuer === '' ? 'too many tokens are being checked' : `the issuer '${issuer}' cannot be asked now`;
      const text = `Service Unavailable: the access token could not be checked, as ${why}. Send the request again in ${retryAfterSeconds} seconds; the token may be good.`;
      return { status: 503, headers: { 'retry-after': String(retryAfterSeconds) }, text };
    }
    case 'insufficient': {
      const { scopes } = verdict;
      const text = `Forbidden: the access token does not grant the scopes that are needed: ${scopes.join(', ')}. Ask ${oauth.issuers.map(({ issuer }) => issuer).join(' or ')} for a token with them.`;
      return { status: 403, headers: challenge('insufficient_scope', scopes), text };
    }
    case 'invalid': {
      const text = `Unauthorized: the access token was refused: ${verdict.why}. ${next}`;
      return { status: 401, headers: challenge('invalid_token', scopesOf(oauth.issuers), verdict.why), text };
    }
    default:
      return { status: 401, headers: challenge(undefined, scopesOf(oauth.issuers)), text: `Unauthorized. ${next}` };
  }
}
