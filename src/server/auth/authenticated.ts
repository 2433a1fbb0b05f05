import { type CallerIdentity, principalOf } from '../../base/protocol/caller.js';

/** Who sends a request, once its token has been checked. One object for each token, so that a call makes none. */
export interface Authenticated {
  readonly identity: CallerIdentity;
  /** Whose share of the sessions it draws on: the user's, else the client's. */
  readonly owner: string;
  /** Whose sessions it may use: those of the same client for the same user. */
  readonly key: string;
  /** The id of its session where its connection has none (2026-07-28). */
  readonly session: string;
  /** Its token is for the addresses of these views alone; for all where absent. */
  readonly views?: readonly string[];
}

/**
 * The identity of a token, with the names by which sessions are found.
 * @param views for whose addresses alone the token was issued
 */
export function authenticatedAs(given: CallerIdentity, views?: readonly string[]): Authenticated {
  const identity = Object.freeze({ ...given });
  const { kind, name } = principalOf(identity) ?? { kind: 'client', name: '' };
  const key = kind === 'client' ? keyOfClient(name) : `${escapeBlanks(name)} by ${escapeBlanks(identity.client ?? '')}`;
  return Object.freeze({ identity, owner: `${kind}:${name}`, key, session: `${kind}:${key}`, ...(views && { views }) });
}

/** Keys of users have two blanks. A name without any is the key that earlier versions have signed into session ids. */
function keyOfClient(name: string): string {
  return name.includes(' ') ? `client ${escapeBlanks(name)}` : name;
}

/** Names that an issuer gives may hold blanks. */
function escapeBlanks(name: string): string {
  return name.replace(/[% ]/g, encodeURIComponent);
}
