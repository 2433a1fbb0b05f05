import { OperationError } from '../base/protocol/operation-error.js';
import { makeUses, runUse, type SharedSpace, type StateStore, StoreError } from './state-store.js';

/** Whether the store works, for readiness. */
export interface StoreState {
  readonly failing: boolean;
  /** Why, for people; absent while it works. */
  readonly problem?: string;
  /** For how long nothing has failed there, in milliseconds; infinite where nothing has yet. */
  readonly worksForMs: number;
}

/**
 * Wraps a store so that a call is refused while the store cannot be reached. Each method rejects with an `OperationError`
 * (INTERNAL_ERROR, retryable) where the store rejects with a `StoreError`, whose message is for the log.
 */
export function failClosed(store: StateStore): StateStore {
  return around(store, (work) => refuseOnFailure(work()));
}

/** Does something around each use of a store but of its spaces. */
function around(store: StateStore, guard: Guard): StateStore {
  return {
    description: store.description,
    shared: store.shared,
    ...makeUses(({ method, args }) => guard(() => runUse(store, { method, args }))),
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

/** After a failure, one call a second tries the store again. */
const PROBE_MS = 1_000;

interface GuardedStore {
  readonly store: StateStore;
  state(): StoreState;
}

/**
 * Wraps a store so that calls fail at once while it cannot be reached, instead of each waiting for its own time-out. After a
 * failure one call a second goes through and finds out whether the store is back.
 */
export function guardStore(store: StateStore, now: () => number = () => performance.now()): GuardedStore {
  let fault: StoreError | undefined;
  let nextProbe = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    if (fault !== undefined && now() < nextProbe) throw new StoreError(fault.message, { cause: fault });
    // The next call does not try as well while this one does.
    if (fault !== undefined) nextProbe = now() + PROBE_MS;
    try {
      const outcome = await work();
      fault = undefined;
      return outcome;
    } catch (error) {
      if (error instanceof StoreError) {
        fault = error;
        failedAt = now();
        nextProbe = failedAt + PROBE_MS;
      }
      throw error;
    }
  };
  return {
    state: () =>
      fault === undefined
        ? { failing: false, worksForMs: now() - failedAt }
        : { failing: true, problem: fault.message, worksForMs: 0 },
    store: {
      ...around(store, guard),
      ...(store.openSpace === undefined ? {} : { openSpace: guardSpaces(store.openSpace.bind(store), guard) }),
    },
  };
}

type Guard = <T>(work: () => Promise<T>) => Promise<T>;

function guardSpaces(open: NonNullable<StateStore['openSpace']>, guard: Guard): NonNullable<StateStore['openSpace']> {
  return (name) => {
    const space = open(name);
    return {
      put: (...args) => guard(() => space.put(...args)),
      get: (...args) => guard(() => space.get(...args)),
      renew: (...args) => guard(() => space.renew(...args)),
      remove: (...args) => guard(() => space.remove(...args)),
    };
  };
}
