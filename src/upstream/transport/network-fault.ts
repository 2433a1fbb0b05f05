import { findFault, UpstreamFault } from './fault.js';

interface Meaning {
  readonly words: string;
  /**
   * The request cannot have reached the server: `always`, or when the socket failed while it was being opened. A connection
   * that is in use can fail with the same code after it has carried the request.
   */
  readonly undelivered?: 'always' | 'while-connecting';
}

/** Node's, OpenSSL's and undici's codes in plain words. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: { words: 'connection refused', undelivered: 'while-connecting' },
  ENOTFOUND: { words: 'host name not found', undelivered: 'always' },
  EAI_AGAIN: { words: 'host name not found (the name server does not answer)', undelivered: 'always' },
  EHOSTUNREACH: { words: 'host not reachable', undelivered: 'while-connecting' },
  ENETUNREACH: { words: 'network not reachable', undelivered: 'while-connecting' },
  UND_ERR_CONNECT_TIMEOUT: { words: 'no connection in time', undelivered: 'always' },
  ETIMEDOUT: { words: 'the connection timed out', undelivered: 'while-connecting' },
  ECONNRESET: { words: 'connection reset' },
  EPIPE: { words: 'connection closed' },
  UND_ERR_SOCKET: { words: 'connection closed' },
  UND_ERR_DESTROYED: { words: 'connection closed' },
  UND_ERR_CLOSED: { words: 'connection closed', undelivered: 'always' },
  EPROTO: { words: 'the server does not speak TLS' },
  ERR_SSL_WRONG_VERSION_NUMBER: { words: 'the server does not speak TLS', undelivered: 'always' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { words: 'its certificate is self-signed', undelivered: 'always' },
  SELF_SIGNED_CERT_IN_CHAIN: { words: 'its certificate is self-signed', undelivered: 'always' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { words: 'its certificate cannot be verified', undelivered: 'always' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { words: 'its certificate cannot be verified', undelivered: 'always' },
  CERT_HAS_EXPIRED: { words: 'its certificate has expired', undelivered: 'always' },
  ERR_TLS_CERT_ALTNAME_INVALID: { words: 'its certificate is for another host', undelivered: 'always' },
};

/** TLS's alerts, which OpenSSL names otherwise in each version: https://www.rfc-editor.org/rfc/rfc8446#section-6.2 */
const ALERTS: readonly (readonly [RegExp, string])[] = [
  [/CERTIFICATE_REQUIRED/, 'the server asks for a certificate of its clients'],
  [/HANDSHAKE_FAILURE/, 'the server agrees to no TLS with this client, and may ask for a certificate of its clients'],
  [/UNKNOWN_CA/, "the server does not know the authority of the certificate 'tls.cert'"],
  [/CERTIFICATE|ACCESS_DENIED|DECRYPT_ERROR/, "the server does not accept the certificate 'tls.cert'"],
  [/UNRECOGNIZED_NAME/, "the server has no certificate for this name ('tls.serverName' asks by another)"],
  [/PROTOCOL_VERSION/, 'the server speaks no version of TLS that this client does'],
];

/** The error of a socket or of undici as a lost connection. @param place where it was going, fit to be shown. */
export function networkFault(error: unknown, place: string): UpstreamFault {
  const known = findFault(error);
  if (known !== undefined) return known;
  const source = findCoded(error);
  const code = source?.code ?? '';
  const meaning = meaningOf(code);
  const told = meaning?.words ?? (error instanceof Error ? error.message : String(error));
  const words = `${told}${namesOf(source)}`;
  return new UpstreamFault('lost', `${words} at ${place}`, {
    cause: error,
    undelivered: meaning?.undelivered === 'always' || (meaning?.undelivered !== undefined && failedToConnect(source)),
  });
}

function meaningOf(code: string): Meaning | undefined {
  if (code.startsWith('HPE_')) return { words: 'the answer is not HTTP' };
  const [, tls] = /^ERR_SSL_(.*)/.exec(code) ?? [];
  if (MEANINGS[code] !== undefined || tls === undefined) return MEANINGS[code];
  const [, words] = ALERTS.find(([sign]) => sign.test(tls)) ?? [];
  if (words !== undefined) return { words, undelivered: 'always' };
  // A record that cannot be read may come at any time, after the request, too.
  return { words: `TLS fails (${tls.toLowerCase().replaceAll('_', ' ')})` };
}

/** The names that a certificate is for, where it is for another host. */
function namesOf(error: Error | undefined): string {
  const { subjectaltname = undefined } = error !== undefined && 'cert' in error ? Object(error.cert) : {};
  if (typeof subjectaltname !== 'string') return '';
  const names = subjectaltname.slice(0, 200).replace(/[^\w.:*, -]/g, '?');
  return ` (it is for ${names}: 'tls.serverName' asks for one of them)`;
}

type CodedError = Error & { readonly code: string };

/** `fetch` hides the reason in `cause`. */
function findCoded(error: unknown): CodedError | undefined {
  for (let seen: unknown = error, depth = 0; seen instanceof Error && depth < 5; seen = seen.cause, depth += 1) {
    if (isCoded(seen)) return seen;
  }
  return undefined;
}

function isCoded(error: Error): error is CodedError {
  return 'code' in error && typeof error.code === 'string';
}

/** Node names the system call that failed; where it tried several addresses, it gathers the failures. */
function failedToConnect(error: Error | undefined): boolean {
  return error instanceof AggregateError || (error !== undefined && 'syscall' in error && error.syscall === 'connect');
}

/** A URL fit to be shown: user, password and query may be secrets. */
export function describePlace(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
