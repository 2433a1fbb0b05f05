import { randomBytes } from 'node:crypto';

/** Crockford's base32 (https://www.crockford.com/base32.html): no letter that is taken for a digit when it is read out. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const PREFIX = 'ap_';

/** 50 bits: nobody comes upon one by trying, and a person can type it. */
const LENGTH = 10;

export function createApprovalId(): string {
  // 32 divides 256, so that each character is equally likely.
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return `${PREFIX}${characters.join('')}`;
}

/** An id as a person typed it: in any case, with letters that look like digits. */
export function readApprovalId(typed: string): string {
  return typed.trim().toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1');
}
