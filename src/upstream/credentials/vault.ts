import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';

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
    return VERSION + this.sealBytes(Buffer.from(JSON.stringify(value)), place).toString('base64url');
  }

  /** Undefined for what was not sealed with this key for this place. */
  open(sealed: unknown, place: string): JsonObject | undefined {
    if (typeof sealed !== 'string' || !sealed.startsWith(VERSION)) return undefined;
    const bytes = this.openBytes(Buffer.from(sealed.slice(VERSION.length), 'base64url'), place);
    if (bytes === undefined) return undefined;
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  }

  sealBytes(bytes: Buffer, place: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(place));
    const sealed = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]);
  }

  /** Undefined for another key, another place, or damaged bytes. */
  openBytes(sealed: Buffer, place: string): Buffer | undefined {
    const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
    if (tag.length < TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(place)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }
}
