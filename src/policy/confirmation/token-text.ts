import { createHash, randomBytes } from 'node:crypto';
import type { Token } from './confirmation-tokens.js';

const PREFIXES: Readonly<Record<Token['type'], string>> = {
  confirmation: 'conf_',
  quota_continue: 'quota_continue_',
};

/** Twice the 128 bits that are asked for; with the longest prefix 58 of at most 80 characters. */
const RANDOM_BYTES = 32;

const ID_LENGTH = 12;

/** A new token, as its owner will send it back. */
export function createTokenText(type: Token['type']): string {
  return `${PREFIXES[type]}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** The key that the store knows a token by: a stolen database gives no token that can be used. */
export function keyOfToken(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** What names a token in records without being it. */
export function idOfToken(key: string): string {
  return key.slice(0, ID_LENGTH);
}
