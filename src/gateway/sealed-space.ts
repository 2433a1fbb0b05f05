import type { Vault } from '../credentials/vault.js';
import type { SharedSpace } from '../store/shared-space.js';

/** A space whose bytes the store cannot read. What was sealed with another key is not there. */
export class SealedSpace implements SharedSpace {
  readonly #space: SharedSpace;
  readonly #vault: Vault;

  constructor(space: SharedSpace, vault: Vault) {
    this.#space = space;
    this.#vault = vault;
  }

  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean> {
    return this.#space.put(name, this.#vault.sealBytes(bytes, name), options);
  }

  async get(name: string): Promise<Buffer | undefined> {
    const sealed = await this.#space.get(name);
    return sealed && this.#vault.openBytes(sealed, name);
  }

  renew(name: string, expiresAt: number): Promise<void> {
    return this.#space.renew(name, expiresAt);
  }

  remove(name: string): Promise<void> {
    return this.#space.remove(name);
  }
}
