import { OperationError } from '../protocol/operation-error.js';
import { type StateStore, StoreError } from '../store/state-store.js';

/**
 * Wraps a store so that a call is refused while the store cannot be reached. Each method rejects with an `OperationError`
 * (INTERNAL_ERROR, retryable) where the store rejects with a `StoreError`, whose message is for the log.
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
      "Internal error: 'the state store cannot be reached, so the call was refused and did not run: send it again later'",
      { reason: 'unavailable', retryable: true },
      { cause: error },
    );
  }
}
