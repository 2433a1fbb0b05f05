import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Caller, principalOf } from '../../base/protocol/caller.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ForwardedHeaders } from '../../config/credentials-config.js';
import { UpstreamFault } from '../transport/fault.js';
import type { RequestCredentials, RightsRequest, UserRights } from '../transport/user-rights.js';
import { ownerOf } from './owner.js';

/** Of all headers of one request together, in characters. */
const MAX_LENGTH = 16_384;
/** Owners whose headers are remembered until their connection is opened. */
const MAX_OWNERS = 10_000;

/**
 * The rights of a server that gets headers of its callers' requests. Calls with different headers have different owners: a connection,
 * a cached answer or a kept result of one is never used for the other.
 */
export class HeaderRights implements UserRights {
  readonly discovery: RequestCredentials;
  readonly #upstream: string;
  readonly #names: readonly string[];
  readonly #given = new LRUCache<string, Readonly<Record<string, string>>>({ max: MAX_OWNERS });

  constructor(upstream: string, { headers, discovery }: ForwardedHeaders) {
    this.#upstream = upstream;
    this.#names = headers;
    this.discovery = discoveryWith(discovery, 'it lists nothing to the gateway itself, only to its callers');
  }

  ownerOf(caller: Caller): string {
    const whose = principalOf(caller) === undefined ? `session ${caller.sessionId}` : ownerOf(caller);
    const digest = createHash('sha256')
      .update(JSON.stringify(this.#read(caller)))
      .digest('base64url');
    return `${whose} with ${digest}`;
  }

  async require({ caller }: RightsRequest): Promise<void> {
    const headers = this.#read(caller);
    const length = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (length > MAX_LENGTH) {
      const message = `Payload exceeds forwarded_headers limit of ${MAX_LENGTH}: the headers of this request that the server '${this.#upstream}' gets are longer. Send shorter ones`;
      const details = { limit_type: 'forwarded_headers', limit_value: MAX_LENGTH, unit: 'characters' };
      throw new OperationError('VALIDATION_PAYLOAD_TOO_LARGE', message, { upstream: this.#upstream, ...details });
    }
    this.#given.set(this.ownerOf(caller), headers);
  }

  async renew(): Promise<boolean> {
    return false;
  }

  credentialsOf(owner: string): RequestCredentials {
    const headers = this.#given.get(owner);
    if (headers === undefined) throw new UpstreamFault('unavailable', 'the headers of its caller are not known');
    return fixedHeaders(headers);
  }

  onChanged(): () => void {
    return () => undefined;
  }

  #read({ carried }: Caller): Readonly<Record<string, string>> {
    const given = this.#names.flatMap((name) => {
      const value = carried?.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(given);
  }
}

/**
 * What the gateway reads with that is shown to everybody: the configured headers; without them nothing, which servers accept that let anyone
 * read what they offer. Nobody's rights are used for that.
 * @param refused what a server says that does not
 */
export function discoveryWith(headers: Readonly<Record<string, string>>, refused: string): RequestCredentials {
  if (Object.keys(headers).length > 0) return fixedHeaders(headers);
  let isRefused = false;
  return {
    async headers() {
      if (isRefused) throw new UpstreamFault('unavailable', refused, { undelivered: true });
      return {};
    },
    async refused({ status }) {
      isRefused ||= status === 401;
      return false;
    },
    secrets: [],
    get isRefused() {
      return isRefused;
    },
  };
}

/** Credentials that stay as they are for as long as a connection lives. */
export function fixedHeaders(headers: Readonly<Record<string, string>>): RequestCredentials {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const secrets = Object.values(lower).flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  return { headers: async () => lower, refused: async () => false, secrets };
}
