import { type StateStore, StoreError } from './state-store.js';

/** Whether the store works, for readiness. */
export interface StoreState {
  readonly failing: boolean;
  /** Why, for people; absent while it works. */
  readonly problem?: string;
  /** For how long nothing has failed there, in milliseconds; infinite where nothing has yet. */
  readonly worksForMs: number;
}

/** After a failure, one call a second tries the store again. */
const PROBE_MS = 1_000;

export interface GuardedStore {
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
      description: store.description,
      shared: store.shared,
      insert: (...args) => guard(() => store.insert(...args)),
      get: (...args) => guard(() => store.get(...args)),
      replace: (...args) => guard(() => store.replace(...args)),
      remove: (...args) => guard(() => store.remove(...args)),
      removeTagged: (...args) => guard(() => store.removeTagged(...args)),
      list: (...args) => guard(() => store.list(...args)),
      increment: (...args) => guard(() => store.increment(...args)),
      incrementAll: (...args) => guard(() => store.incrementAll(...args)),
      count: (...args) => guard(() => store.count(...args)),
      ...(store.openSpace === undefined ? {} : { openSpace: guardSpaces(store.openSpace.bind(store), guard) }),
      purge: () => guard(() => store.purge()),
      close: () => store.close(),
    },
  };
}

type Guard = <T>(work: () => Promise<T>) => Promise<T>;

function guardSpaces(open: NonNullable<StateStore['openSpace']>, guard: Guard): NonNullable<StateStore['openSpace']> {
  return (name, bounds) => {
    const space = open(name, bounds);
    return {
      put: (...args) => guard(() => space.put(...args)),
      get: (...args) => guard(() => space.get(...args)),
      renew: (...args) => guard(() => space.renew(...args)),
      remove: (...args) => guard(() => space.remove(...args)),
    };
  };
}
