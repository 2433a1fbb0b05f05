import { join, resolve } from 'node:path';
import type { JsonPath } from '../../base/json/json-path.js';
import type { StoreEntry } from '../config-document.js';
import type { GatewayConfig, RedisStoreConfig, StoreConfig } from '../gateway-config.js';
import { normalise } from '../schema/setting.js';
import { STORE, STORE_FILE } from '../schema/storage-schema.js';
import type { Diagnostics } from './diagnostics.js';

interface StoreContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly dataDir: string;
  readonly diagnostics: Diagnostics;
}

type Builder = (entry: StoreEntry, context: StoreContext) => StoreConfig;

/** How each kind of store is built, and which keys it uses. */
const KINDS: Readonly<Record<StoreConfig['type'], { readonly keys: readonly string[]; readonly build: Builder }>> = {
  memory: { keys: [], build: () => ({ type: 'memory' }) },
  sqlite: {
    keys: ['file'],
    build: ({ file }, { directory, dataDir }) => ({
      type: 'sqlite',
      file: file === undefined ? join(dataDir, STORE_FILE) : resolve(directory, file),
    }),
  },
  redis: {
    keys: [
      ...['url', 'cluster', 'sentinel', 'username', 'password', 'tls', 'prefix'],
      ...['sharedBytes', 'sharedBytesPerClient'],
    ],
    build: buildRedis,
  },
};

/** Builds the store settings. What is wrong goes into the diagnostics. */
export function buildStore(entry: StoreEntry = {}, context: StoreContext): StoreConfig {
  const { diagnostics } = context;
  // An address alone selects Redis.
  const type = entry.type ?? (placesIn(entry).length === 0 ? normalise(STORE, entry).type : 'redis');
  const { keys, build } = KINDS[type];
  for (const key of Object.keys(entry)) {
    if (key === 'type' || keys.includes(key)) continue;
    diagnostics.warning(['store', key], `not used by a store of type '${type}'; ignored`);
  }
  return build(entry, context);
}

/** Where Redis can be; one of them is given. */
const PLACES = ['url', 'cluster', 'sentinel'] as const;

function placesIn(entry: StoreEntry): readonly (typeof PLACES)[number][] {
  return PLACES.filter((key) => entry[key] !== undefined);
}

function buildRedis(entry: StoreEntry, { directory, diagnostics }: StoreContext): RedisStoreConfig {
  const { type: _, file: __, url, cluster, sentinel, tls, ...rest } = normalise(STORE, entry);
  const [first, ...others] = placesIn(entry);
  if (others.length > 0) {
    const given = [first, ...others].map((key) => `'${key}'`).join(' and ');
    diagnostics.problem(['store'], `${given} do not combine; expected one of them`, 'keep what your servers are');
  }
  const files = Object.entries(tls ?? {}).map(([key, file]) => [key, resolve(directory, file)]);
  const access = {
    type: 'redis' as const,
    ...rest,
    ...(tls !== undefined && { tls: Object.fromEntries(files) }),
  };
  if (cluster !== undefined) return { ...access, cluster: readAddresses(cluster, ['store', 'cluster'], diagnostics) };
  if (sentinel === undefined) return { ...access, url: readAddress(url, ['store', 'url'], diagnostics) };
  const { name = '', nodes = [] } = sentinel;
  if (name === '' && !diagnostics.has(['store', 'sentinel', 'name'])) {
    const hint = "it is the name after 'sentinel monitor' in the sentinels' configuration";
    diagnostics.problem(['store', 'sentinel', 'name'], 'missing; expected what the sentinels call their servers', hint);
  }
  return { ...access, sentinel: { name, nodes: readAddresses(nodes, ['store', 'sentinel', 'nodes'], diagnostics) } };
}

function readAddresses(given: readonly string[], path: JsonPath, diagnostics: Diagnostics): readonly string[] {
  if (given.length === 0 && !diagnostics.has(path)) diagnostics.problem(path, 'expected at least one address');
  return given.map((text, index) => readAddress(text, [...path, index], diagnostics));
}

/** The address as `URL` writes it, so that masking finds a password with any characters. */
function readAddress(text: string | undefined, path: JsonPath, diagnostics: Diagnostics): string {
  const address = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = address !== undefined && /^rediss?:$/.test(address.protocol) && address.hostname !== '';
  if (isRedis) return address.href;
  if (!diagnostics.has(path)) {
    const missing = text === undefined ? 'missing; ' : '';
    const example =
      text === undefined
        ? 'set store.url or MCP_AQL_REDIS_URL: redis://localhost:6379'
        : 'as in redis://localhost:6379';
    diagnostics.problem(path, `${missing}expected a redis:// or rediss:// address`, example);
  }
  return '';
}

/** Gateways that share a store start servers of their own: what these keep in the data directory, each gateway has another of. */
export function noteFilesOfServers(
  { store, upstreams, dataDir }: Pick<GatewayConfig, 'store' | 'upstreams' | 'dataDir'>,
  diagnostics: Diagnostics,
): void {
  if (store.type !== 'redis') return;
  for (const { name, disabled, endpoint } of upstreams) {
    if (disabled || endpoint.type !== 'stdio') continue;
    const { cwd, args, env } = endpoint;
    if (![cwd, ...args, ...Object.values(env)].some((text) => text.includes(dataDir))) continue;
    const advice = 'each gateway that shares the store has its own; serve it by HTTP, once for all of them';
    diagnostics.warning(['mcpServers', name], `keeps files in the data directory, of which ${advice}`);
  }
}
