import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject } from '../base/json/json.js';
import { measureJson } from '../base/json/measure.js';
import { faultCode } from '../base/lib/fault-code.js';
import { readBounded } from '../base/lib/read-bounded.js';
import { replaceFile } from '../base/lib/replace-file.js';
import type { Observer } from '../base/observe/observation.js';
import type { RawTool } from '../base/protocol/tools.js';
import { parseBounded } from '../base/protocol/weigh-text.js';
import type { NameHolders } from '../catalog/names.js';
import type { LockContent, UpstreamConfig } from '../config/gateway-config.js';

/** How a process treats the names of operations. */
export interface NameSettings {
  /** How long new names wait for an upstream never seen: milliseconds from its first start, or until all were tried once. */
  readonly wait: number | 'until tried';
  /** Whether names and lists are kept for the next start. */
  readonly keep: boolean;
}

/** A server that starts with its neighbours may be some seconds late; a name that is given stays given. */
export const SERVER_NAMES: NameSettings = { wait: 10_000, keep: true };

/** What is known of the upstreams before they connect: the names that they hold, and what each offered last. */
export interface KnownCatalog {
  readonly holders: NameHolders;
  /** By slug. Null where an upstream has been seen and its list is too long to be kept. */
  readonly tools: ReadonlyMap<string, readonly RawTool[] | null>;
}

export const NOTHING_KNOWN: KnownCatalog = { holders: new Map(), tools: new Map() };

/** The file in the data directory. */
export const KEPT_CATALOG_FILE = 'catalog.json';

/** A list of more characters of JSON is not kept, nor what would make the whole file longer. */
const LONGEST_LIST = 2_000_000;
const LONGEST_FILE = 8_000_000;
const MOST_VALUES = 1_000_000;

/** Reads what an earlier process kept. A file that is missing, too long or damaged counts as empty: names are then claimed anew. */
export async function readKeptCatalog(file: string, observe: Observer): Promise<KnownCatalog> {
  try {
    const text = String(await readBounded(file, 2 * LONGEST_FILE));
    return parseKept(parseBounded(text, { values: MOST_VALUES }));
  } catch (cause) {
    if (faultCode(cause) !== 'ENOENT') {
      const message = `The names of the last run are not known, as '${file}' cannot be read: ${describe(cause)}`;
      observe({ kind: 'diagnostic', severity: 'warning', upstream: '', message });
    }
    return NOTHING_KNOWN;
  }
}

function parseKept(content: unknown): KnownCatalog {
  if (!isJsonObject(content) || content['version'] !== 1) throw new TypeError('it is not a kept catalog');
  const names = Object.entries(readMember(content, 'names'));
  const upstreams = Object.entries(readMember(content, 'upstreams'));
  return {
    holders: new Map(names.flatMap(([name, slugs]) => (isTexts(slugs) ? [[name, slugs]] : []))),
    tools: new Map(upstreams.map(([slug, tools]) => [slug, isTools(tools) ? tools : null])),
  };
}

function readMember(content: { readonly [key: string]: unknown }, key: string): { readonly [key: string]: unknown } {
  const member = content[key];
  if (!isJsonObject(member)) throw new TypeError(`it has no '${key}'`);
  return member;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isTools(value: unknown): value is readonly RawTool[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What the lock says: a name in one upstream's accepted tools is that upstream's. Definitions stand in for lists. */
export function readLockedCatalog(lock: LockContent | null, upstreams: readonly UpstreamConfig[]): KnownCatalog {
  if (lock === null) return NOTHING_KNOWN;
  const holders = new Map<string, readonly string[]>();
  const tools = new Map<string, readonly RawTool[]>();
  for (const { name, slug } of upstreams) {
    const locked = Object.hasOwn(lock.upstreams, name) ? lock.upstreams[name] : undefined;
    if (locked === undefined) continue;
    tools.set(
      slug,
      Object.values(locked).map(({ definition }) => definition),
    );
    for (const operation of Object.values(locked).flatMap(({ operations }) => Object.keys(operations))) {
      const others = holders.get(operation) ?? [];
      if (!others.includes(slug)) holders.set(operation, [...others, slug]);
    }
  }
  return { holders, tools };
}

/** The lock decides where it names one upstream. Where it names several, the last run says which had the name first. */
export function combineKnown(locked: KnownCatalog, kept: KnownCatalog): KnownCatalog {
  const undecided = [...locked.holders].filter(([, slugs]) => slugs.length > 1);
  const decided = [...locked.holders].filter(([, slugs]) => slugs.length === 1);
  return {
    holders: new Map([...undecided, ...kept.holders, ...decided]),
    tools: new Map([...locked.tools, ...kept.tools]),
  };
}

/** Writes the catalog after each change; one write at a time, and of several changes meanwhile only the last. */
export interface CatalogKeeper {
  keep(catalog: KnownCatalog): void;
  /** Resolves when the last change is written. */
  close(): Promise<void>;
}

export const KEEPS_NOTHING: CatalogKeeper = { keep: () => undefined, close: async () => undefined };

/** Clients that wait for the start to end are answered before long lists are written as text. */
const PAUSE_MS = 100;

/** @param first gives the slugs of the configured upstreams, whose lists are kept before others that share the file */
export function createCatalogKeeper(file: string, first: () => readonly string[], observe: Observer): CatalogKeeper {
  let pending: KnownCatalog | undefined;
  let writing: Promise<void> | undefined;
  let written = '';
  let failed = false;
  const closing = new AbortController();

  const writeAll = async (): Promise<void> => {
    while (pending !== undefined) {
      const catalog = pending;
      pending = undefined;
      const text = await render(catalog, first());
      if (text === written) continue;
      try {
        await replaceFile(file, text);
        written = text;
      } catch (cause) {
        if (!failed) {
          const message = `The names of operations cannot be kept for the next start: '${file}' cannot be written (${faultCode(cause)})`;
          observe({ kind: 'diagnostic', severity: 'warning', upstream: '', message });
        }
        failed = true;
      }
    }
    writing = undefined;
  };
  return {
    keep(catalog) {
      pending = catalog;
      writing ??= delay(PAUSE_MS, undefined, { signal: closing.signal })
        .catch(() => undefined)
        .then(writeAll);
    },
    close: async () => {
      closing.abort();
      await writing;
    },
  };
}

/** Each list is written in a turn of its own. */
async function render({ holders, tools }: KnownCatalog, first: readonly string[]): Promise<string> {
  const slugs = [...new Set([...first.filter((slug) => tools.has(slug)), ...tools.keys()])];
  const lists: string[] = [];
  let length = 0;
  for (const slug of slugs) {
    const list = tools.get(slug) ?? null;
    const size = measureJson(list, LONGEST_LIST);
    const fits = size <= LONGEST_LIST && length + size <= LONGEST_FILE;
    if (fits) length += size;
    await nextTurn();
    lists.push(`${JSON.stringify(slug)}:${JSON.stringify(fits ? list : null)}`);
  }
  const names = [...holders].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{"version":1,"names":${JSON.stringify(Object.fromEntries(names))},"upstreams":{${lists.join()}}}\n`;
}
