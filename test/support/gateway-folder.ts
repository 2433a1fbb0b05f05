import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSnakeCase } from '../../src/base/lib/names.js';
import type { GatewayStatus } from '../../src/gateway/gateway.js';

/** What `serve --json` prints once it is ready. */
export interface StartReport {
  readonly url: string;
  readonly status: Pick<GatewayStatus, 'operations' | 'upstreams' | 'families'>;
}

/** A gateway that serves clients, in a process of its own or in this one. */
export interface RunningGateway extends AsyncDisposable {
  /** Of MCP over HTTP. */
  readonly url: string;
  readonly report: StartReport;
  /** Of its configuration and its data. */
  readonly directory: string;
}

/** What lies in a gateway's folder before it starts. */
export interface GatewayFolder {
  /** Texts of other files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folder of an earlier or another gateway, whose state this one uses; the caller removes it. */
  readonly directory?: string;
  /** The upstreams that a last run has seen, so that new names do not wait for them; all where absent. */
  readonly seen?: readonly string[];
}

interface Directory extends AsyncDisposable {
  readonly path: string;
}

/** A new folder for one test's configuration and data. */
export async function makeDirectory(): Promise<Directory> {
  const path = await mkdtemp(join(tmpdir(), 'aql-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Writes the configuration and what lies beside it. Disposing of it removes the folder, unless it was given. */
export async function prepareFolder(
  config: object,
  { files = {}, directory, seen = serversOf(config) }: GatewayFolder,
): Promise<Directory & { readonly file: string }> {
  const folder = directory === undefined ? await makeDirectory() : existingDirectory(directory);
  const file = join(folder.path, 'gateway.config.json');
  await writeFile(file, JSON.stringify(config));
  if (directory === undefined) await pretendSeen(seen, folder.path);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  return { ...folder, file };
}

function existingDirectory(path: string): Directory {
  return { path, [Symbol.asyncDispose]: async () => undefined };
}

function serversOf(config: object): readonly string[] {
  return 'mcpServers' in config && typeof config.mcpServers === 'object' ? Object.keys(config.mcpServers ?? {}) : [];
}

/** Writes the catalog of a last run in which these upstreams were seen and offered nothing. */
async function pretendSeen(servers: readonly string[], directory: string): Promise<void> {
  const upstreams = Object.fromEntries(servers.map((name) => [toSnakeCase(name), []]));
  await mkdir(join(directory, '.mcp-aql'), { recursive: true, mode: 0o700 });
  await writeFile(join(directory, '.mcp-aql', 'catalog.json'), JSON.stringify({ version: 1, names: {}, upstreams }));
}
