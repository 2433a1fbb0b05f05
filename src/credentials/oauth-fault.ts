import { IssuerMismatchError } from '@modelcontextprotocol/client';
import { FetchFailure } from '../lib/fetch-json.js';

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

function describe(cause: unknown): string {
  if (cause instanceof IssuerMismatchError) return 'the answer is of another authorization server than its own';
  if (cause instanceof FetchFailure) return `its authorization server gives no token: ${cause.message}`;
  const code = codeOf(cause);
  const answer = code === undefined ? 'its answer is none of OAuth' : `it answered '${code}'`;
  return `its authorization server gives no token: ${answer}`;
}
