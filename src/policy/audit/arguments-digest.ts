import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { canonicalJson } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import { faultCode } from '../../base/lib/fault-code.js';

/** Identifies the true arguments of a call, which the journal holds redacted and cut. */
export interface ArgumentsDigest {
  /** HMAC-SHA256 of the canonical JSON, in base64url. */
  readonly hmac: string;
  /** Of the canonical JSON, in characters. */
  readonly characters: number;
}

const KEY_BYTES = 32;

/** Digests arguments with the key of a file. The key keeps a reader of the journal from trying out short secrets. */
export class ArgumentsDigester {
  readonly #file: string;
  readonly #onFault: (message: string) => void;
  #key: Buffer | undefined;
  #faulty = false;

  /** @param file is created with a random key where it is missing, at the first use */
  constructor(file: string, onFault: (message: string) => void) {
    this.#file = file;
    this.#onFault = onFault;
  }

  /** Undefined while there is no key. @param canonical the arguments' canonical text, where it has been written */
  digest(args: JsonObject, canonical?: string): ArgumentsDigest | undefined {
    this.#key ??= this.#readKey();
    if (this.#key === undefined) return undefined;
    const text = canonical ?? canonicalJson(args);
    return { hmac: createHmac('sha256', this.#key).update(text).digest('base64url'), characters: text.length };
  }

  #readKey(): Buffer | undefined {
    try {
      const key = readOrCreate(this.#file);
      this.#faulty = false;
      return key;
    } catch (cause) {
      if (!this.#faulty) {
        this.#onFault(
          `audit records have no digest of the arguments: '${this.#file}' cannot be used (${faultCode(cause)})`,
        );
      }
      this.#faulty = true;
      return undefined;
    }
  }
}

/**
 * Identifies the audit trail that the key belongs to, wherever its directory is mounted.
 * @param create makes the key where it is missing
 * @throws the system's error when there is no key
 */
export function identifyTrail(file: string, { create }: { readonly create: boolean }): string {
  const key = create ? readOrCreate(file) : read(file);
  return createHmac('sha256', key).update('audit trail').digest('base64url');
}

function readOrCreate(file: string): Buffer {
  try {
    writeFileSync(file, randomBytes(KEY_BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (faultCode(cause) !== 'EEXIST') throw cause;
  }
  return read(file);
}

function read(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64url');
  // Another process may be writing it at this moment; the next use reads it again.
  if (key.length !== KEY_BYTES) throw Object.assign(new Error('no key'), { code: 'no key of 32 bytes' });
  return key;
}
