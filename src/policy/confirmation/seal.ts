import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with a key that follows from a token, of which the store has a digest only.
 * @param purpose keeps what is sealed for one use from being read as another's
 */
export function seal(written: string, token: string, purpose: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(token, purpose), iv);
  const encrypted = Buffer.concat([cipher.update(written, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** Undefined where the record was changed in the store. */
export function unseal(sealed: string, token: string, purpose: string): JsonObject | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, keyFrom(token, purpose), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const written = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    const params: unknown = JSON.parse(written.toString('utf8'));
    return isJsonObject(params) ? params : undefined;
  } catch {
    return undefined;
  }
}

/** A token has 256 random bits: a key derived from it needs no salt. */
function keyFrom(token: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', purpose, KEY_BYTES));
}
