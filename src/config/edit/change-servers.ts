import { readFile, rename } from 'node:fs/promises';
import type { JsonObject } from '../../base/json/json.js';
import { suggestName } from '../../base/lib/names.js';
import type { LoadOptions } from '../load/load-config.js';
import {
  blockForServers,
  changeMainFile,
  type EditableConfig,
  editJsonc,
  placesOf,
  type ServerPlace,
  writeChange,
} from './edit-config.js';

/** A change that is not possible as it was asked for. Nothing is written. */
export class ServerChangeFault extends Error {
  readonly kind: 'exists' | 'unknown' | 'elsewhere' | 'outdated';

  constructor(kind: ServerChangeFault['kind'], message: string) {
    super(message);
    this.name = 'ServerChangeFault';
    this.kind = kind;
  }
}

export interface ServerChange {
  /** The server as it is spelt in the file. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** A file that was set out of use, where it now is. */
  readonly moved?: string;
}

export type ChangeOptions = LoadOptions & { readonly isDryRun?: boolean };

/** A server that is to be added. */
export interface NewServer {
  readonly name: string;
  readonly entry: JsonObject;
  /** Whether it takes the place of one that is there. */
  readonly isForced?: boolean;
}

/**
 * Adds a server to the main file. Who adds one vouches for it.
 * @throws ServerChangeFault @throws ConfigError with the problems that the configuration would have
 */
export function addServer(config: EditableConfig, server: NewServer, options: ChangeOptions): Promise<ServerChange> {
  return addServers(config, [server], options);
}

/** Adds all of them, or none. @throws ServerChangeFault @throws ConfigError */
export async function addServers(
  config: EditableConfig,
  servers: readonly NewServer[],
  options: ChangeOptions,
): Promise<ServerChange> {
  const edits = servers.map((server) => ({ path: pathFor(config, server), value: server.entry }));
  const text = await changeMainFile(config, edits, options);
  return { name: servers.map(({ name }) => name).join(', '), file: config.file, text };
}

/** Where a new server goes. @throws ServerChangeFault */
function pathFor(config: EditableConfig, { name, isForced = false }: NewServer): readonly (string | number)[] {
  const known = placesOf(config, name).find(isDefinition);
  if (known !== undefined && !isForced) {
    throw new ServerChangeFault('exists', `There is a server '${known.name}' in ${known.file} already`);
  }
  if (known !== undefined && known.path.length === 0) {
    throw new ServerChangeFault('elsewhere', `'${known.name}' has a file of its own, ${known.file}: change it there`);
  }
  return known?.path ?? [...blockForServers(config), name];
}

/** Removes a server; a file of its own is renamed, as it may hold curation that took work. @throws ServerChangeFault */
export async function removeServer(
  config: EditableConfig,
  name: string,
  options: ChangeOptions,
): Promise<ServerChange> {
  const places = requirePlaces(config, name);
  const own = places.find((place) => place.path.length === 0 && isDefinition(place));
  const edits = places.filter(({ path }) => path.length > 0).map(({ path }) => ({ path, value: undefined }));
  const text = await changeMainFile(config, edits, options);
  const change = { name: places[0]?.name ?? name, file: config.file, text };
  if (own === undefined) return change;
  const moved = `${own.file}.removed`;
  if (options.isDryRun !== true) await rename(own.file, moved);
  return { ...change, moved };
}

/** Starts a server or keeps it from starting. @throws ServerChangeFault @throws ConfigError */
export async function setServerDisabled(
  config: EditableConfig,
  { name, disabled }: { readonly name: string; readonly disabled: boolean },
  options: ChangeOptions,
): Promise<ServerChange> {
  const places = requirePlaces(config, name);
  // The last definition that says so counts.
  const said = places.filter(({ entry }) => entry['disabled'] !== undefined);
  const place = said.at(-1) ?? places.find(isDefinition) ?? places[0];
  if (place === undefined) throw new ServerChangeFault('unknown', `There is no server '${name}'`);
  const value = disabled || said.length > 1 ? disabled : undefined;
  const edit = { path: [...place.path, 'disabled'], value };
  if (place.path.length > 0) {
    return { name: place.name, file: config.file, text: await changeMainFile(config, [edit], options) };
  }
  const before = await readFile(place.file, 'utf8');
  const text = editJsonc(before, [edit]);
  await writeChange({ file: place.file, before, after: text }, { ...options, file: config.file });
  return { name: place.name, file: place.file, text };
}

/** Whether a place says how the server is reached, and not only how its operations are curated. */
function isDefinition({ entry }: ServerPlace): boolean {
  return entry['command'] !== undefined || entry['url'] !== undefined;
}

/** @throws ServerChangeFault where nothing is about the server */
export function requirePlaces(config: EditableConfig, name: string): readonly ServerPlace[] {
  const places = placesOf(config, name);
  if (places.length > 0) return places;
  const names = config.servers.map((server) => server.name);
  const hint = suggestName(name, names);
  const next = hint === undefined ? '' : `; ${hint}`;
  throw new ServerChangeFault('unknown', `There is no server '${name}' in ${config.file}${next}`);
}
