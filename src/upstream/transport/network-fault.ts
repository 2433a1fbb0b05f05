import { UpstreamFault } from '../fault.js';

interface Meaning {
  readonly words: string;
  /** The request cannot have reached the server. */
  readonly undelivered?: true;
}

/** Node's, OpenSSL's and undici's codes in plain words. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: { words: 'connection refused', undelivered: true },
  ENOTFOUND: { words: 'host name not found', undelivered: true },
  EAI_AGAIN: { words: 'host name not found (the name server does not answer)', undelivered: true },
  EHOSTUNREACH: { words: 'host not reachable', undelivered: true },
  ENETUNREACH: { words: 'network not reachable', undelivered: true },
  UND_ERR_CONNECT_TIMEOUT: { words: 'no connection in time', undelivered: true },
  ETIMEDOUT: { words: 'the connection timed out' },
  ECONNRESET: { words: 'connection reset' },
  EPIPE: { words: 'connection closed' },
  UND_ERR_SOCKET: { words: 'connection closed' },
  UND_ERR_DESTROYED: { words: 'connection closed' },
  UND_ERR_CLOSED: { words: 'connection closed', undelivered: true },
  EPROTO: { words: 'the server does not speak TLS', undelivered: true },
  ERR_SSL_WRONG_VERSION_NUMBER: { words: 'the server does not speak TLS', undelivered: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { words: 'its certificate is self-signed', undelivered: true },
  SELF_SIGNED_CERT_IN_CHAIN: { words: 'its certificate is self-signed', undelivered: true },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { words: 'its certificate cannot be verified', undelivered: true },
  CERT_HAS_EXPIRED: { words: 'its certificate has expired', undelivered: true },
  ERR_TLS_CERT_ALTNAME_INVALID: { words: 'its certificate is for another host', undelivered: true },
};

/** The error of a socket or of undici as a lost connection. @param place where it was going, fit to be shown. */
export function networkFault(error: unknown, place: string): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  const code = errorCode(error);
  const meaning = MEANINGS[code] ?? (code.startsWith('HPE_') ? { words: 'the answer is not HTTP' } : undefined);
  const words = meaning?.words ?? (error instanceof Error ? error.message : String(error));
  return new UpstreamFault('lost', `${words} at ${place}`, {
    cause: error,
    undelivered: meaning?.undelivered === true,
  });
}

/** `fetch` hides the reason in `cause`. */
function errorCode(error: unknown): string {
  for (let seen: unknown = error, depth = 0; seen instanceof Error && depth < 5; seen = seen.cause, depth += 1) {
    if ('code' in seen && typeof seen.code === 'string') return seen.code;
  }
  return '';
}

/** A URL fit to be shown: user, password and query may be secrets. */
export function describePlace(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
