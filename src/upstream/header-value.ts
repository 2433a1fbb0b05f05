const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** A field value that needs no encoding: printable ASCII or tab, not empty, no space at either end (RFC 9110, section 5.5). */
const PLAIN = /^(?! |\t)[\t\x20-\x7e]+(?<! |\t)$/;

/**
 * A string as an HTTP field value: as it is where that is safe, else as `=?base64?...?=`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (value encoding)
 */
export function encodeHeaderValue(value: string): string {
  const ambiguous = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  return PLAIN.test(value) && !ambiguous ? value : `${PREFIX}${Buffer.from(value, 'utf8').toString('base64')}${SUFFIX}`;
}
