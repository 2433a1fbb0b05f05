import { basename, extname } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { valueAt } from '../../base/json/json-path.js';
import { parseJsonc } from '../../config/load/parse-jsonc.js';
import { type Machine, MCP_CLIENTS, type McpClient } from './client-table.js';
import { readClientFile } from './read-client-file.js';
import { readTomlServers } from './toml-servers.js';

/** A server that a client's file names. */
export interface FoundServer {
  readonly client: string;
  readonly file: string;
  readonly name: string;
  /** As our configuration has it. */
  readonly entry: JsonObject;
  /** Settings of the client that are left out, as they mean nothing here. */
  readonly dropped: readonly string[];
}

/** What is in one file of a client. */
export interface FoundFile {
  readonly client: string;
  readonly file: string;
  readonly servers: readonly FoundServer[];
  /** Names of entries that cannot be started outside of the client. */
  readonly unusable: readonly string[];
  /** Why it cannot be read. */
  readonly problem?: string;
}

/** What a server is; the rest of a client's entry is about the client. */
const KEPT = [
  'type',
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'url',
  'headers',
  'connectTimeoutMs',
  'timeoutMs',
  'disabled',
];

/** Reads every file of the clients that is there. */
export async function findClientServers(
  machine: Machine,
  clients: Iterable<McpClient> = MCP_CLIENTS.values(),
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const client of clients) {
    for (const file of client.files(machine)) {
      const read = await tryToRead(file);
      if (read.problem !== undefined) found.push({ client: client.id, file, servers: [], unusable: [], ...read });
      else if (read.text !== undefined) found.push(readServers(read.text, file, client, machine));
    }
  }
  return found;
}

async function tryToRead(file: string): Promise<{ readonly text?: string | undefined; readonly problem?: string }> {
  try {
    return { text: await readClientFile(file) };
  } catch (cause) {
    return { problem: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Reads a file that is named: in whichever form its servers are. Whose it is, nobody knows: it is called by its name. */
export async function readServersOf(file: string, machine: Machine): Promise<FoundFile> {
  const text = await readClientFile(file);
  if (text === undefined) throw new Error('there is no such file');
  const format = extname(file) === '.toml' ? 'toml' : 'json';
  const read = [...MCP_CLIENTS.values()]
    .filter((client) => client.format === format)
    .map((client) => readServers(text, file, client, machine));
  const [best] = [...read].sort((a, b) => b.servers.length - a.servers.length);
  if (best === undefined) throw new Error(`${file}: there is no such client`);
  const client = basename(file);
  return { ...best, client, servers: best.servers.map((server) => ({ ...server, client })) };
}

function readServers(text: string, file: string, client: McpClient, machine: Machine): FoundFile {
  const place = { client: client.id, file };
  let blocks: readonly JsonObject[];
  try {
    blocks = client.format === 'toml' ? [readTomlServers(text)] : readBlocks(text, client, machine);
  } catch (cause) {
    return { ...place, servers: [], unusable: [], problem: cause instanceof Error ? cause.message : String(cause) };
  }
  const servers: FoundServer[] = [];
  const unusable: string[] = [];
  for (const [name, written] of blocks.flatMap((block) => Object.entries(block))) {
    const entry = isJsonObject(written) ? client.read(written) : undefined;
    if (entry === undefined) unusable.push(name);
    else servers.push({ ...place, name, ...divide(entry) });
  }
  return { ...place, servers, unusable };
}

function readBlocks(text: string, { blocks }: McpClient, machine: Machine): readonly JsonObject[] {
  const document = text.trim() === '' ? {} : parseJsonc(text).value;
  return blocks(machine)
    .map((block) => valueAt(document, block))
    .filter(isJsonObject);
}

function divide(entry: JsonObject): Pick<FoundServer, 'entry' | 'dropped'> {
  const members = Object.entries(entry).filter(([, value]) => value !== undefined);
  return {
    entry: Object.fromEntries(members.filter(([key]) => KEPT.includes(key))),
    dropped: members.map(([key]) => key).filter((key) => !KEPT.includes(key)),
  };
}
