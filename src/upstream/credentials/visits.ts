import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { StateStore } from '../../store/state-store.js';
import type { Vault } from './vault.js';

const COLLECTION = 'connect_link';

/** How long a visit to an authorization server may take. */
export const VISIT_MS = 600_000;

interface VisitsDeps {
  readonly store: StateStore;
  readonly vault: Vault;
  readonly now: () => number;
}

/**
 * What is known of browsers that are at an authorization server, by the state that they bring back. It is sealed in the store, so that any
 * replica may take the answer.
 */
export class Visits {
  readonly #deps: VisitsDeps;
  readonly #purpose: string;

  /** @param purpose what the answers are for: a state of one counts for no other */
  constructor(deps: VisitsDeps, purpose: string) {
    this.#deps = deps;
    this.#purpose = purpose;
  }

  newState(): string {
    return randomBytes(24).toString('base64url');
  }

  async keep(state: string, browser: string, facts: JsonObject): Promise<void> {
    const { store, vault, now } = this.#deps;
    const key = this.#keyOf(state);
    const sealed = vault.seal({ ...facts, browser: digest(browser) }, key);
    await store.insert(COLLECTION, key, { sealed }, { expiresAt: now() + VISIT_MS });
  }

  /** A state counts once, in the browser that has it. */
  async take(state: string, browser: string): Promise<JsonObject | undefined> {
    const { store, vault } = this.#deps;
    const key = this.#keyOf(state);
    const record = await store.get(COLLECTION, key);
    const facts = record && vault.open(record.value['sealed'], key);
    if (facts === undefined || facts['browser'] !== digest(browser)) return undefined;
    return (await store.remove(COLLECTION, key)) ? facts : undefined;
  }

  #keyOf(state: string): string {
    return `${this.#purpose} ${digest(state)}`;
  }
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
