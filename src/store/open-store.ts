import type { StoreConfig } from '../config/gateway-config.js';
import { MemoryStore } from './memory-store.js';
import type { StateStore } from './state-store.js';

interface OpenStoreOptions {
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
  /** Called when a server or file becomes unusable and when it can be used again, for the log; the text holds no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/**
 * Opens the configured store and loads only its driver. Does not wait for a Redis server:
 * the gateway starts without it, and calls that need the store are refused until the server can be reached.
 * @throws StoreError when the store cannot be used; the message is for the operator.
 */
export async function openStore(config: StoreConfig, options: OpenStoreOptions = {}): Promise<StateStore> {
  const { now = Date.now, onProblem } = options;
  const open = STORES[config.type] as (config: StoreConfig, needs: StoreNeeds) => StateStore | Promise<StateStore>;
  return await open(config, { now, onProblem });
}

interface StoreNeeds extends Pick<OpenStoreOptions, 'onProblem'> {
  readonly now: () => number;
}

/** How each type is opened. */
const STORES: {
  readonly [Type in StoreConfig['type']]: (
    config: Extract<StoreConfig, { readonly type: Type }>,
    needs: StoreNeeds,
  ) => StateStore | Promise<StateStore>;
} = {
  memory: (_config, { now }) => new MemoryStore(now),
  sqlite: async ({ file }, needs) => {
    const { openSqliteStore } = await import('./threaded-store.js');
    return openSqliteStore(file, needs);
  },
  redis: async (config, needs) => {
    const { RedisStore } = await import('./redis-store.js');
    return new RedisStore(config, needs);
  },
};
