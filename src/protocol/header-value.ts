const ENCODED_PREFIX = '=?base64?';
const ENCODED_SUFFIX = '?=';
/** A field value that needs no encoding: printable ASCII or tab, not empty, no space at either end (RFC 9110, section 5.5). */
const PLAIN_VALUE = /^(?! |\t)[\t\x20-\x7e]+(?<! |\t)$/;

/**
 * A string as an HTTP field value: as it is where that is safe, else as `=?base64?...?=`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (value encoding)
 */
export function encodeHeaderValue(value: string): string {
  const ambiguous = value.startsWith(ENCODED_PREFIX) && value.endsWith(ENCODED_SUFFIX);
  return PLAIN_VALUE.test(value) && !ambiguous
    ? value
    : `${ENCODED_PREFIX}${Buffer.from(value, 'utf8').toString('base64')}${ENCODED_SUFFIX}`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What a field value says, the other way round; undefined where it is marked as Base64 and is none. */
export function decodeHeaderValue(field: string): string | undefined {
  const isEncoded = field.startsWith(ENCODED_PREFIX) && field.endsWith(ENCODED_SUFFIX);
  if (!isEncoded) return field;
  const encoded = field.slice(ENCODED_PREFIX.length, -ENCODED_SUFFIX.length);
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}
