/**
 * Bytes that every gateway of one store finds by name: bounded and expiring, for what is too large or too short-lived for a
 * record. What expires first makes room, of the same owner before that of others.
 */
export interface SharedSpace {
  /** Adds or replaces; false where the bytes alone are beyond a bound. */
  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean>;
  get(name: string): Promise<Buffer | undefined>;
  /** @param expiresAt when it expires from now on, in milliseconds since the epoch */
  renew(name: string, expiresAt: number): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The kinds of things that are shared. A closed list, so that two modules cannot use one for different things. */
export type SpaceName = 'results' | 'sessions' | 'rankings';

/** In bytes. */
export interface SpaceBounds {
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
}
