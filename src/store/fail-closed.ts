import { OperationError } from '../protocol/operation-error.js';
import type { SharedSpace } from './shared-space.js';
import { type StateStore, StoreError } from './state-store.js';

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

/** The same for what is read of a space. What is written there is a copy, and its writers go on without it. */
export function failClosedReads(space: SharedSpace): SharedSpace {
  return {
    put: (...args) => space.put(...args),
    get: (name) => refuseOnFailure(space.get(name)),
    renew: (...args) => space.renew(...args),
    remove: (name) => space.remove(name),
  };
}

/** By then a store that has failed was tried again: what waits for it tries once a second. */
const RETRY_AFTER_SECONDS = 2;

/** The same for one piece of a call's work that reads or writes the store. */
export async function refuseOnFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new OperationError(
      'INTERNAL_ERROR',
      `Internal error: 'the state store cannot be reached, so the call was refused and did not run'. Send it again in ${RETRY_AFTER_SECONDS} seconds`,
      { reason: 'unavailable', retryable: true, outcome: 'not_run', retry_after_seconds: RETRY_AFTER_SECONDS },
      { cause: error },
    );
  }
}
