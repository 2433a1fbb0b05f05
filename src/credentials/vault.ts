import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../protocol/json.js';

const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT = 'mcp-aql-gateway credentials v1';

/** Encrypts what is kept of tokens (AES-256-GCM). */
export class Vault {
  readonly #key: Buffer;

  /** @param secret of the configuration; without it, one that ends with this process */
  constructor(secret: string | undefined) {
    this.#key = secret === undefined ? randomBytes(32) : scryptSync(secret, SALT, 32);
  }

  /** @param place where it is kept: what was sealed for one place cannot be opened in another */
  seal(value: JsonObject, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(place));
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return VERSION + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** Undefined for what was not sealed with this key for this place. */
  open(sealed: unknown, place: string): JsonObject | undefined {
    if (typeof sealed !== 'string' || !sealed.startsWith(VERSION)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
    if (tag.length < TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(place)).setAuthTag(tag);
    try {
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      const value: unknown = JSON.parse(text);
      return isJsonObject(value) ? value : undefined;
    } catch {
      // Another key, another place, or a damaged record.
      return undefined;
    }
  }
}
