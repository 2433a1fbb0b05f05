import { createHmac, randomBytes } from 'node:crypto';
import type { GatewayConfig } from '../config/gateway-config.js';
import { Vault } from '../credentials/vault.js';
import type { SharedSpace } from '../store/shared-space.js';
import type { StateStore } from '../store/state-store.js';
import { SealedSpace } from './sealed-space.js';

/** What this gateway shares with others of one store, so that any of them can answer a client's next request. */
export interface Replicas {
  /** The parts of large answers. */
  readonly results: SharedSpace;
  /** What a session's client has said. */
  readonly sessions: SharedSpace;
  /** Which operations were used most, for the cursors of lists that begin with them. */
  readonly rankings: SharedSpace;
  /** A key for one purpose that all gateways of the store have; undefined until the store has been reached. */
  keyFor(purpose: string): Buffer | undefined;
  close(): void;
}

const MEGABYTE = 1_048_576;

/** What the parts of large answers may take unless the configuration says otherwise. */
const RESULT_BOUNDS = { maxBytes: 256 * MEGABYTE, maxBytesPerOwner: 32 * MEGABYTE };
const SESSION_BOUNDS = { maxBytes: 64 * MEGABYTE, maxBytesPerOwner: 4 * MEGABYTE };
const RANKING_BOUNDS = { maxBytes: MEGABYTE, maxBytesPerOwner: MEGABYTE };

/** A store that was emptied gets a new secret, which is then taken over. */
const LOOK_MS = 10_000;

const SECRET_BYTES = 32;
const SECRET_LIFE_MS = 10 * 365 * 86_400_000;

/**
 * Opens what gateways share; undefined where the store is of one machine. Waits until the store has answered or refused once, and
 * goes on without it.
 */
export async function openReplicas(
  store: StateStore,
  { store: config, credentials }: GatewayConfig,
): Promise<Replicas | undefined> {
  if (store.openSpace === undefined || config.type !== 'redis') return undefined;
  const { sharedBytes: maxBytes = RESULT_BOUNDS.maxBytes } = config;
  const { sharedBytesPerClient: maxBytesPerOwner = RESULT_BOUNDS.maxBytesPerOwner } = config;
  const secret = new SharedSecret(store);
  await secret.look();
  const results = store.openSpace('results', { maxBytes, maxBytesPerOwner });
  return {
    // They hold what servers answered, which who reads the store need not see.
    results: credentials.key === undefined ? results : new SealedSpace(results, new Vault(credentials.key)),
    sessions: store.openSpace('sessions', SESSION_BOUNDS),
    rankings: store.openSpace('rankings', RANKING_BOUNDS),
    keyFor: (purpose) => secret.value && createHmac('sha256', secret.value).update(purpose).digest(),
    close: () => secret.close(),
  };
}

/** A secret that the first gateway of a store makes and the others find. */
class SharedSecret {
  value: Buffer | undefined;
  readonly #store: Pick<StateStore, 'get' | 'insert'>;
  readonly #looking: NodeJS.Timeout;

  constructor(store: Pick<StateStore, 'get' | 'insert'>) {
    this.#store = store;
    this.#looking = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Never rejects: while the store cannot be reached, the secret stays what it is. */
  async look(): Promise<void> {
    const made = this.value ?? randomBytes(SECRET_BYTES);
    const expiresAt = Date.now() + SECRET_LIFE_MS;
    try {
      const isOurs = await this.#store.insert('secret', 'replicas', { hex: made.toString('hex') }, { expiresAt });
      const found = isOurs ? undefined : await this.#store.get('secret', 'replicas');
      const hex = found?.value['hex'];
      this.value = typeof hex === 'string' ? Buffer.from(hex, 'hex') : made;
    } catch {
      // The store's own state says what is wrong.
    }
  }

  close(): void {
    clearInterval(this.#looking);
  }
}
