import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Crockford's alphabet: no letter that people take for another one or for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 28 characters of 5 bits each are 140 bits; the specification asks for 128. */
const GROUPS = 7;
const GROUP_LENGTH = 4;

/** What a code begins with, so that it is known wherever it stands and never recorded (`protocol/secret-forms.ts`). */
const PREFIX = 'VC';

/** A new code from the system's source of randomness: `VC-7K2M-...`. */
export function makeCode(): string {
  const group = (): string => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return [PREFIX, ...Array.from({ length: GROUPS }, group)].join('-');
}

/** What is kept of a code. A code has too many possible values for its digest to be searched. */
export function digestCode(code: string): string {
  return createHash('sha256').update(spell(code)).digest('hex');
}

/** Whether a person's spelling of a code is the one with this digest; takes as long for each. */
export function isCode(entered: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestCode(entered), 'hex'), Buffer.from(digest, 'hex'));
}

/** In capitals and without hyphens and blanks, with the letters that stand for digits read as these. */
function spell(code: string): string {
  return code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
}
