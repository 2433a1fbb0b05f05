type Listener = (owner: string, hasRights: boolean) => void;

/** Who wants to know when an owner gets rights or loses them. */
export class RightsListeners {
  readonly #listeners = new Set<Listener>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(owner: string, hasRights: boolean): void {
    for (const listener of this.#listeners) listener(owner, hasRights);
  }
}
