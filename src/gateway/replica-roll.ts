import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Vault } from '../credentials/vault.js';
import type { Observer } from '../observe/observation.js';
import { fingerprintConfig } from '../policy/decisions.js';
import type { JsonObject } from '../protocol/json.js';
import type { OtherReplicas } from '../protocol/other-replicas.js';
import type { StateStore } from '../store/state-store.js';
import type { ReplicasState } from './status.js';

/** How long a gateway that was killed is still known, also to one whose clock is a minute behind or ahead. */
const LIFE_MS = 120_000;

const PLACE = 'replica';

interface ReplicaRollOptions {
  readonly store: Pick<StateStore, 'insert' | 'list' | 'remove'>;
  readonly config: () => GatewayConfig;
  /** Of the configured key; undefined where there is none. */
  readonly vault: Vault | undefined;
  readonly observe: Observer;
}

/**
 * The gateways of one store, and how they differ from this one where they must not. Each leaves a record again and again, which says
 * what it is configured with in forms that reveal nothing: a digest, and a text that is sealed with its key.
 */
export class ReplicaRoll {
  readonly #options: ReplicaRollOptions;
  readonly #id = randomUUID();
  #beats = 0;
  #written: readonly string[] = [];
  #differences: readonly string[] = [];
  #others: OtherReplicas = { same: 0, different: 0 };

  constructor(options: ReplicaRollOptions) {
    this.#options = options;
  }

  /** As of the last look. */
  state(): ReplicasState {
    const differences = this.#differences;
    return differences.length === 0
      ? { state: 'ok', ...this.#others }
      : { state: 'degraded', problem: differences.join(' '), ...this.#others };
  }

  /** The other gateways of the store, as of the last look. */
  others(): OtherReplicas {
    return this.#others;
  }

  /** Says that this gateway is there, and looks at the others. Never rejects: the store's own state says what is wrong. */
  async beat(): Promise<void> {
    const { store, observe, config } = this.#options;
    const configuration = fingerprintConfig(config());
    this.#beats += 1;
    const key = `${this.#id}:${this.#beats}`;
    try {
      const expiresAt = Date.now() + LIFE_MS;
      if (await store.insert('replica', key, this.#describe(configuration), { expiresAt }))
        this.#written = [...this.#written, key];
      const found = await store.list('replica');
      // Those that expire first come first, so that the newest of each gateway stays.
      const others = new Map(found.map(({ value }) => [String(value['id']), value]));
      others.delete(this.#id);
      const compared = [...others.values()].map((other) => this.#compare(other, configuration));
      const same = compared.filter((each) => each.length === 0).length;
      this.#others = { same, different: compared.length - same };
      const differences = compared.flat();
      const news = differences.filter((each) => !this.#differences.includes(each));
      this.#differences = differences;
      for (const message of news) observe({ kind: 'notice', level: 'warn', message });
      await this.#forget(this.#written.slice(0, -1));
    } catch {
      // A look at the next beat.
    }
  }

  /** A gateway that stops is not compared with any more. Never rejects. */
  async leave(): Promise<void> {
    await this.#forget(this.#written).catch(() => {});
  }

  async #forget(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#options.store.remove('replica', key);
    this.#written = this.#written.filter((key) => !keys.includes(key));
  }

  #describe(configuration: string): JsonObject {
    const { vault } = this.#options;
    return {
      id: this.#id,
      name: `${hostname()}:${process.pid}`,
      configuration,
      ...(vault && { sealed: vault.seal({}, PLACE) }),
    };
  }

  #compare({ name, configuration, sealed }: JsonObject, own: string): readonly string[] {
    const { vault } = this.#options;
    const isSame = configuration === own;
    const hasKey = vault === undefined ? sealed === undefined : vault.open(sealed, PLACE) !== undefined;
    const other = `The gateway '${String(name)}' shares this store and has another`;
    return [
      ...(isSame ? [] : [`${other} configuration: confirmations that one of them asks for are refused by the other.`]),
      ...(hasKey ? [] : [`${other} 'credentials.key': large results of one of them are not found by the other.`]),
    ];
  }
}
