import { isDeepStrictEqual } from 'node:util';
import type { UpstreamConfig } from '../../config/gateway-config.js';
import { configuredHeaders } from './http-headers.js';
import type { Refusal, RequestCredentials } from './user-rights.js';

/** What the configuration says of a server's headers now; undefined where it cannot be read, or knows the server no more. */
export type RereadHeaders = () => Promise<Readonly<Record<string, string>> | undefined>;

/** Undefined for a server whose headers cannot change while it is connected. */
export function freshHeaders(
  { slug, endpoint }: UpstreamConfig,
  { rereadHeaders }: { readonly rereadHeaders?: (slug: string) => RereadHeaders | undefined },
): RequestCredentials | undefined {
  if (endpoint.type === 'stdio' || Object.keys(endpoint.headers).length === 0) return undefined;
  const reread = rereadHeaders?.(slug);
  return reread && new FreshHeaders(configuredHeaders(endpoint), reread);
}

/**
 * The configured headers of one server, which are read anew when the server refuses them: a token in a file may have been replaced, and
 * the files are looked at every few seconds only. The refused request has not run and is sent once more.
 */
class FreshHeaders implements RequestCredentials {
  readonly #configured: Readonly<Record<string, string>>;
  readonly #reread: RereadHeaders;
  /** Empty as long as the configured ones are good. */
  #current: Readonly<Record<string, string>> = {};
  secrets: readonly string[] = [];

  constructor(configured: Readonly<Record<string, string>>, reread: RereadHeaders) {
    this.#configured = configured;
    this.#reread = reread;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    return this.#current;
  }

  async refused({ status, sent, isLast }: Refusal): Promise<boolean> {
    if (status !== 401 || isLast) return false;
    const read = await this.#reread().catch(() => undefined);
    if (read !== undefined && !isDeepStrictEqual(read, { ...this.#configured, ...this.#current })) this.#take(read);
    // Another request may have brought them meanwhile.
    return this.#current !== sent;
  }

  #take(read: Readonly<Record<string, string>>): void {
    this.#current = read;
    this.secrets = [
      ...this.secrets.slice(-2),
      ...Object.values(read).flatMap((each) => [each, each.replace(/^\w+ +/, '')]),
    ];
  }
}

/** The user's credentials of a connection whose configured headers may be read anew: a refusal may be about either of them. */
export function withFreshHeaders(
  ofUser: RequestCredentials,
  fresh: RequestCredentials | undefined,
): RequestCredentials {
  return fresh === undefined ? ofUser : new CombinedCredentials(ofUser, fresh);
}

type Sent = Refusal['sent'];

class CombinedCredentials implements RequestCredentials {
  readonly #ofUser: RequestCredentials;
  readonly #fresh: RequestCredentials;
  /** What requests carried of each. */
  readonly #parts = new WeakMap<Sent, { readonly ofUser: Sent; readonly fresh: Sent }>();
  #secrets: readonly string[] = [];

  constructor(ofUser: RequestCredentials, fresh: RequestCredentials) {
    this.#ofUser = ofUser;
    this.#fresh = fresh;
  }

  async headers(): Promise<Sent> {
    const parts = { fresh: await this.#fresh.headers(), ofUser: await this.#ofUser.headers() };
    const sent = { ...parts.fresh, ...parts.ofUser };
    this.#parts.set(sent, parts);
    return sent;
  }

  /** The files come first: to ask a user for access anew because the gateway's own key is old would not help. */
  async refused(refusal: Refusal): Promise<boolean> {
    const { fresh, ofUser } = this.#parts.get(refusal.sent) ?? { fresh: refusal.sent, ofUser: refusal.sent };
    return (
      (await this.#fresh.refused({ ...refusal, sent: fresh })) || this.#ofUser.refused({ ...refusal, sent: ofUser })
    );
  }

  get secrets(): readonly string[] {
    const now = [...this.#ofUser.secrets, ...this.#fresh.secrets];
    if (!isDeepStrictEqual(now, this.#secrets)) this.#secrets = now;
    return this.#secrets;
  }
}
