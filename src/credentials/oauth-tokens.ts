import type { JsonObject } from '../protocol/json.js';
import { isJsonObject } from '../protocol/json.js';

/** What an authorization server has given. Secret: never log. */
export interface Tokens extends JsonObject {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** In milliseconds since the epoch; absent where the server does not say. */
  readonly expiresAt?: number;
}

/** What the gateway is at an authorization server. The secret is one: never log. */
export interface ClientAtIssuer extends JsonObject {
  readonly client_id: string;
  readonly client_secret?: string;
}

export function readTokens(value: unknown): Tokens | undefined {
  if (!isJsonObject(value)) return undefined;
  const { accessToken, refreshToken, expiresAt } = value;
  if (typeof accessToken !== 'string') return undefined;
  return {
    accessToken,
    ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
  };
}

export function readClient(value: unknown): ClientAtIssuer | undefined {
  if (!isJsonObject(value)) return undefined;
  const { client_id: id, client_secret: secret } = value;
  if (typeof id !== 'string') return undefined;
  return { client_id: id, ...(typeof secret === 'string' ? { client_secret: secret } : {}) };
}

/** As what the gateway acts on a grant now: a configured client may have another secret than when access was granted. */
export function clientOfToday(
  granted: ClientAtIssuer,
  { clientId, clientSecret }: { readonly clientId?: string; readonly clientSecret?: string },
): ClientAtIssuer {
  if (clientId !== granted.client_id) return granted;
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}
