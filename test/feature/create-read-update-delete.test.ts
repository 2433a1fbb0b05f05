import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { REPOSITORY } from '../support/served-gateway.js';

const BIN = join(REPOSITORY, 'node_modules/.bin');

/** The same server behind the gateway and directly: both get the same calls and must give the same answers. */
interface Twins extends AsyncDisposable {
  readonly gateway: McpClient;
  readonly direct: Client;
}

const CREATE = 'mcp_aql_create';
const READ = 'mcp_aql_read';
const UPDATE = 'mcp_aql_update';
const DELETE = 'mcp_aql_delete';

let home: Awaited<ReturnType<typeof makeDirectory>>;
let served: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  home = await makeDirectory();
  for (const side of ['gateway', 'direct']) await mkdir(join(home.path, side));
  served = await hostGateway({
    mcpServers: {
      filesystem: { command: 'mcp-server-filesystem', args: ['.'], cwd: join(home.path, 'gateway') },
      memory: { command: 'mcp-server-memory', env: { MEMORY_FILE_PATH: join(home.path, 'gateway.json') } },
    },
  });
  client = await connectClient(served.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

async function connectDirectly(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Client> {
  const direct = new Client({ name: 'direct', version: '1.0.0' });
  await direct.connect(new StdioClientTransport({ command: join(BIN, command), args, cwd, env, stderr: 'ignore' }));
  return direct;
}

async function twinsOf(direct: Client): Promise<Twins> {
  return { gateway: client, direct, [Symbol.asyncDispose]: () => direct.close() };
}

/** Calls both, confirming where the gateway asks, and compares their structured content or text. */
async function same(
  twins: Twins,
  tool: string,
  operation: string,
  params: JsonObject,
  flat: JsonObject,
): Promise<unknown> {
  const viaGateway = await twins.gateway.callConfirmed(tool, operation, params);
  const result = (await twins.direct.callTool({ name: operation, arguments: flat })) as JsonObject;
  expect(viaGateway).toMatchObject({ success: true });
  // The server names its own folder in diffs; that is the only difference between the two.
  const expected = JSON.parse(
    JSON.stringify(result['structuredContent']).replaceAll(`${home.path}/direct`, `${home.path}/gateway`),
  );
  expect(viaGateway.data).toEqual(expected);
  return viaGateway.data;
}

describe('a sequence of create, read, update and delete through the gateway', () => {
  it('gives the same answers as direct calls to the memory server', async () => {
    await using twins = await twinsOf(
      await connectDirectly('mcp-server-memory', [], home.path, { MEMORY_FILE_PATH: join(home.path, 'direct.json') }),
    );
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs', 'ünïcödé 😀'] }];
    const call = (tool: string, operation: string, params: JsonObject) => same(twins, tool, operation, params, params);
    await call(CREATE, 'create_entities', { entities });
    await call(READ, 'read_graph', {});
    await call(CREATE, 'add_observations', { observations: [{ entityName: 'Ada', contents: ['met Charles'] }] });
    const graph = (await call(READ, 'search_nodes', { query: 'Charles' })) as { entities: unknown[] };
    expect(graph.entities).toHaveLength(1);
    await call(DELETE, 'delete_observations', { deletions: [{ entityName: 'Ada', observations: ['met Charles'] }] });
    await call(DELETE, 'delete_entities', { entityNames: ['Ada'] });
    expect(await call(READ, 'read_graph', {})).toEqual({ entities: [], relations: [] });
  });

  it('accepts the canonical spelling of the same parameters', async () => {
    const entities = [{ name: 'Bob', entityType: 'person', observations: [] }];
    await client.call(CREATE, 'create_entities', { entities });
    expect(await client.callConfirmed(DELETE, 'delete_entities', { entity_names: ['Bob'] })).toMatchObject({
      success: true,
    });
    expect((await client.call(READ, 'read_graph')).data.entities).toEqual([]);
  });

  it('gives the same answers as direct calls to the filesystem server', async () => {
    await using twins = await twinsOf(await connectDirectly('mcp-server-filesystem', ['.'], join(home.path, 'direct')));
    const content = 'first line\nsecond line\twith a tab, "quotes" and ünïcödé 😀\n';
    const inFolder = { path: 'notes' };
    await same(twins, CREATE, 'create_directory', inFolder, inFolder);
    const path = 'notes/today.txt';
    await same(twins, UPDATE, 'write_file', { path, input: { content } }, { path, content });
    await same(twins, READ, 'read_text_file', { path }, { path });
    const edits = [{ oldText: 'second line', newText: 'changed line' }];
    await same(twins, UPDATE, 'edit_file', { path, input: { edits } }, { path, edits });
    await same(twins, READ, 'read_text_file', { path, head: 2 }, { path, head: 2 });
    await same(twins, READ, 'list_directory', inFolder, inFolder);
    for (const side of ['gateway', 'direct']) {
      expect(await readFile(join(home.path, side, path), 'utf8')).toBe(content.replace('second line', 'changed line'));
    }
  });

  it('passes binary content on unchanged as a native block', async () => {
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await writeFile(join(home.path, 'gateway', 'dot.png'), bytes);
    const { raw } = await client.call(READ, 'read_media_file', { path: 'dot.png' });
    const image = (raw['content'] as { type: string; data?: string }[]).find(({ type }) => type === 'image');
    expect(Buffer.from(image?.data ?? '', 'base64')).toEqual(bytes);
  });
});
