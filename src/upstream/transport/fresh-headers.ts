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
