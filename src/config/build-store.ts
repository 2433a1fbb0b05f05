import { join, resolve } from 'node:path';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { Notes } from './config-report.js';
import type { StoreConfig } from './policy-config.js';
import type { StoreEntry } from './policy-document.js';

export interface StoreContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly dataDir: string;
  readonly notes: Notes;
}

type Builder = (entry: StoreEntry, context: StoreContext) => StoreConfig;

/** Each kind of store: what is built of the entry, and which keys are asked for it. */
const KINDS: Readonly<Record<StoreConfig['type'], { readonly keys: readonly string[]; readonly build: Builder }>> = {
  memory: { keys: [], build: () => ({ type: 'memory' }) },
  sqlite: {
    keys: ['file'],
    build: ({ file }, { directory, dataDir }) => ({
      type: 'sqlite',
      file: file === undefined ? join(dataDir, CONFIG_DEFAULTS.store.file) : resolve(directory, file),
    }),
  },
  redis: {
    keys: ['url', 'prefix'],
    build: ({ url, prefix }, { notes }) => ({
      type: 'redis',
      url: readRedisUrl(url, notes),
      prefix: prefix ?? CONFIG_DEFAULTS.store.prefix,
    }),
  },
};

/** Where state is kept. What is wrong goes into the notes. */
export function buildStore(entry: StoreEntry = {}, context: StoreContext): StoreConfig {
  const { notes } = context;
  // Whoever gives the address of a Redis wants it used.
  const type = entry.type ?? (entry.url === undefined ? CONFIG_DEFAULTS.store.type : 'redis');
  const { keys, build } = KINDS[type];
  for (const key of Object.keys(entry)) {
    if (key === 'type' || keys.includes(key)) continue;
    notes.warning(['store', key], `not used by a store of type '${type}'; ignored`);
  }
  return build(entry, context);
}

/** As `URL` writes it, so that masking finds the password whatever stands in it. */
function readRedisUrl(text: string | undefined, notes: Notes): string {
  const path = ['store', 'url'];
  const address = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = address !== undefined && /^rediss?:$/.test(address.protocol) && address.hostname !== '';
  if (isRedis) return address.href;
  if (!notes.has(path)) {
    const missing = text === undefined ? 'missing; ' : '';
    const example = 'set store.url or MCP_AQL_REDIS_URL: redis://localhost:6379';
    notes.problem(path, `${missing}expected a redis:// or rediss:// address`, example);
  }
  return '';
}
