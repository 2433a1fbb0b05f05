import { OperationError } from '../protocol/operation-error.js';
import { type StateStore, StoreError } from '../store/state-store.js';

/**
 * The store as the gate uses it: one that cannot be reached refuses the call. Each method rejects with an `OperationError`
 * (INTERNAL_ERROR, retryable) where the store's own rejects with a `StoreError`, whose words are for the log.
 */
export function failClosed(store: StateStore): StateStore {
  return {
    description: store.description,
    shared: store.shared,
    insert: (...args) => refuseOnFailure(store.insert(...args)),
    get: (...args) => refuseOnFailure(store.get(...args)),
    replace: (...args) => refuseOnFailure(store.replace(...args)),
    remove: (...args) => refuseOnFailure(store.remove(...args)),
    removeTagged: (...args) => refuseOnFailure(store.removeTagged(...args)),
    list: (...args) => refuseOnFailure(store.list(...args)),
    increment: (...args) => refuseOnFailure(store.increment(...args)),
    incrementAll: (...args) => refuseOnFailure(store.incrementAll(...args)),
    count: (...args) => refuseOnFailure(store.count(...args)),
    purge: () => refuseOnFailure(store.purge()),
    close: () => store.close(),
  };
}

async function refuseOnFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new OperationError(
      'INTERNAL_ERROR',
      "Internal error: 'the state of the gate cannot be reached, so the call was refused and did not run: send it again later'",
      { reason: 'unavailable', retryable: true },
      { cause: error },
    );
  }
}
