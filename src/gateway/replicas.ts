import { createHmac, randomBytes } from 'node:crypto';
import type { GatewayConfig } from '../config/gateway-config.js';
import { Vault } from '../credentials/vault.js';
import type { Observer } from '../observe/observation.js';
import type { OtherReplicas } from '../protocol/other-replicas.js';
import { failClosedReads } from '../store/fail-closed.js';
import type { SharedSpace } from '../store/shared-space.js';
import type { StateStore } from '../store/state-store.js';
import { ReplicaRoll } from './replica-roll.js';
import { SealedSpace } from './sealed-space.js';
import type { ReplicasState } from './status.js';

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
  /** `degraded` where another gateway of the store is configured differently. */
  state(): ReplicasState;
  others(): OtherReplicas;
  close(): Promise<void>;
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
  current: () => GatewayConfig,
  observe: Observer,
): Promise<Replicas | undefined> {
  const { store: config, credentials } = current();
  if (store.openSpace === undefined || config.type !== 'redis') return undefined;
  const { sharedBytes: maxBytes = RESULT_BOUNDS.maxBytes } = config;
  const { sharedBytesPerClient: maxBytesPerOwner = RESULT_BOUNDS.maxBytesPerOwner } = config;
  const secret = new SharedSecret(store);
  const vault = credentials.key === undefined ? undefined : new Vault(credentials.key);
  const roll = new ReplicaRoll({ store, config: current, vault, observe });
  await secret.look();
  // A store that is away delays the start once, not twice.
  void roll.beat();
  const looking = setInterval(() => {
    void secret.look();
    void roll.beat();
  }, LOOK_MS).unref();
  const results = store.openSpace('results', { maxBytes, maxBytesPerOwner });
  return {
    // They hold what servers answered, which who reads the store need not see.
    results: failClosedReads(vault === undefined ? results : new SealedSpace(results, vault)),
    sessions: store.openSpace('sessions', SESSION_BOUNDS),
    rankings: store.openSpace('rankings', RANKING_BOUNDS),
    keyFor: (purpose) => secret.value && createHmac('sha256', secret.value).update(purpose).digest(),
    state: () => roll.state(),
    others: () => roll.others(),
    close: () => {
      clearInterval(looking);
      return roll.leave();
    },
  };
}

/** A secret that the first gateway of a store makes and the others find. */
class SharedSecret {
  value: Buffer | undefined;
  readonly #store: Pick<StateStore, 'get' | 'insert'>;

  constructor(store: Pick<StateStore, 'get' | 'insert'>) {
    this.#store = store;
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
}
