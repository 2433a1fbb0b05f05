import { IssuerMismatchError } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { FetchFailure } from '../../base/lib/fetch-json.js';

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
  /** How it proves the secret, where the authorization server has said so. */
  readonly token_endpoint_auth_method?: string;
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
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = value;
  if (typeof id !== 'string') return undefined;
  return {
    client_id: id,
    ...(typeof secret === 'string' ? { client_secret: secret } : {}),
    ...(typeof method === 'string' ? { token_endpoint_auth_method: method } : {}),
  };
}

/** As what the gateway acts on a grant now: a configured client may have another secret than when access was granted. */
export function clientOfToday(
  granted: ClientAtIssuer,
  { clientId, clientSecret }: { readonly clientId?: string; readonly clientSecret?: string },
): ClientAtIssuer {
  if (clientId !== granted.client_id) return granted;
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}

/** A fault that the operator can mend, or that passes; the message holds no secret. */
export class OAuthFault extends Error {
  override readonly name = 'OAuthFault';
}

/** The code of the OAuth error (RFC 6749, section 5.2) with which an authorization server has refused a request. */
export function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code : undefined;
}

/** Whether an authorization server does not know the gateway as its client, or not by this secret. */
export function isRefusedClient(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === 'invalid_client' || code === 'unauthorized_client';
}

/** Whether a refresh token is good for nothing any more: some have words of their own for it. */
export function isEndedGrant(cause: unknown): boolean {
  return /^(invalid_grant|(bad|invalid|expired)_refresh_token)$/.test(codeOf(cause) ?? '');
}

/** Of a client that is configured: only the operator can mend it. */
export function refusedClient(cause: unknown): OAuthFault {
  const message =
    "its authorization server does not accept this gateway as its client: check 'clientId' and 'clientSecret'";
  return new OAuthFault(message, { cause });
}

/** Why an authorization server has given no tokens. What it has answered beside a code stays in the cause: it may hold secrets. */
export function toFault(cause: unknown): OAuthFault {
  return cause instanceof OAuthFault ? cause : new OAuthFault(describe(cause), { cause });
}

/** What is wrong with a document or an answer, in words that hold nothing of it but names of members and a code. */
export function whyOf(cause: unknown): string {
  if (!(cause instanceof FetchFailure)) return 'its answer is none of OAuth';
  return cause.error === undefined ? cause.message : `${cause.message} with '${cause.error}'`;
}

function describe(cause: unknown): string {
  if (cause instanceof IssuerMismatchError) return 'the answer is of another authorization server than its own';
  if (cause instanceof FetchFailure) return `its authorization server gives no token: ${whyOf(cause)}`;
  const code = codeOf(cause);
  const answer = code === undefined ? 'its answer is none of OAuth' : `it answered '${code}'`;
  return `its authorization server gives no token: ${answer}`;
}
