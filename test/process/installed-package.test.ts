import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'jsonc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayAddress, MCP_CLIENTS } from '../../src/cli/clients/client-table.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { REPOSITORY } from '../support/served-gateway.js';

const run = promisify(execFile);
const semver = createRequire(import.meta.url)('semver');

type Program = Extract<GatewayAddress, { kind: 'stdio' }>;

/** The folders of the packages in a node_modules; those of a scope one by one, so that one of ours can stand beside them. */
async function listPackages(modules: string): Promise<string[]> {
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const scopes = names.filter((name) => name.startsWith('@'));
  const scoped = scopes.map(async (scope) => (await readdir(join(modules, scope))).map((name) => join(scope, name)));
  return [...names.filter((name) => !name.startsWith('@')), ...(await Promise.all(scoped)).flat()];
}

/** Packs the package and lays it out as npm does, over the dependencies that are installed here: no registry is asked. */
async function installPackage(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: REPOSITORY,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const modules = join(folder, 'node_modules');
  const target = join(modules, 'mcp-aql-gateway');
  await mkdir(target, { recursive: true });
  await run('tar', ['xzf', join(folder, filename), '--strip-components=1', '-C', target]);
  for (const name of await listPackages(join(REPOSITORY, 'node_modules'))) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(REPOSITORY, 'node_modules', name), join(modules, name));
  }
  return join(target, 'dist', 'cli', 'main.js');
}

/** The entry of the gateway, wherever a client keeps its servers. */
function findEntry(value: unknown): Program | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { aql } = value as { aql?: Program };
  if (typeof aql?.command === 'string') return aql;
  return Object.values(value).map(findEntry).find(Boolean);
}

function readEntry(text: string, format: 'json' | 'toml'): Program | undefined {
  if (format === 'json') return findEntry(parse(text));
  const setting = (key: string) => JSON.parse(new RegExp(`^${key} = (.*)$`, 'm').exec(text)?.[1] ?? 'null');
  return { kind: 'stdio', command: setting('command'), args: setting('args') };
}

describe('the packed program, installed in a folder of its own', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = (await makeDirectory()).path;
    program = await installPackage(folder);
    await writeFile(join(folder, 'gateway.config.json'), JSON.stringify({ dataDir: 'data', mcpServers: {} }));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([...MCP_CLIENTS.keys()])('is what %s starts once `connect --stdio` has written it', async (id) => {
    const home = join(folder, id);
    await mkdir(home);
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    await run(process.execPath, [program, 'connect', id, '--stdio'], { cwd: folder, env });

    const client = MCP_CLIENTS.get(id);
    const [file = ''] = client?.files({ platform: process.platform, home, env, cwd: folder }) ?? [];
    const entry = readEntry(await readFile(file, 'utf8'), client?.format ?? 'json');
    const session = new Client({ name: id, version: '1.0.0' });
    await session.connect(new StdioClientTransport({ command: entry?.command ?? '', args: [...(entry?.args ?? [])] }));
    expect((await session.listTools()).tools.map(({ name }) => name)).toContain('mcp_aql_read');
    await session.close();
  });

  it.each(['--version', '-V', 'version'])('says its version at `%s`', async (words) => {
    const { stdout } = await run(process.execPath, [program, words], { cwd: folder });
    expect(stdout).toMatch(/^mcp-aql-gateway \d+\.\d+\.\d+ \(MCP-AQL .*, Node .*\)\n$/);
  });

  it('writes a first configuration that answers a call without a network, and whose schema is there', async () => {
    const place = join(folder, 'first');
    await mkdir(place);
    await run(process.execPath, [program, 'init'], { cwd: place });
    const { $schema } = JSON.parse(await readFile(join(place, 'gateway.config.json'), 'utf8'));
    expect(JSON.parse(await readFile(new URL($schema, pathToFileURL(join(place, 'x'))), 'utf8'))).toHaveProperty(
      'properties.mcpServers',
    );
    const call = ['tools', 'call', 'get_sum', '--params', '{"a": 1, "b": 2}'];
    expect((await run(process.execPath, [program, ...call], { cwd: place })).stdout).toContain('3');
  });

  it('runs a program in the engine that it brings', async () => {
    const place = join(folder, 'programs');
    await mkdir(place);
    const config = { dataDir: 'data', programs: { enabled: true }, mcpServers: {} };
    await writeFile(join(place, 'gateway.config.json'), JSON.stringify(config));
    const code =
      'const found = await aql.call("introspect", { query: "operations" }); return found.operations.length + input;';
    const call = ['tools', 'call', 'run_program_read_only', '--params', JSON.stringify({ code, input: 1_000 })];
    expect((await run(process.execPath, [program, ...call], { cwd: place })).stdout).toMatch(/"result": ?100\d/);
  });

  it('needs nothing that refuses the oldest Node which it promises, and leaves no version to `overrides`', async () => {
    const read = async (file: string) => JSON.parse(await readFile(join(REPOSITORY, file), 'utf8'));
    const { packages } = await read('package-lock.json');
    const { engines, overrides } = await read('package.json');
    const oldest = semver.minVersion(engines.node);
    const refusing = Object.entries<{ dev?: boolean; engines?: { node?: string } }>(packages)
      .filter(([, { dev, engines: own }]) => dev !== true && own?.node !== undefined)
      .filter(([, { engines: own }]) => !semver.satisfies(oldest, own?.node));
    expect(refusing.map(([path]) => path)).toEqual([]);
    // npm reads them of the package that it runs in, never of one that it installs.
    expect(overrides).toBeUndefined();
  });
});
