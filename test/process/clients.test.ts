import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { REAL_SERVERS } from '../support/real-servers.js';
import { BINARY, REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';

const run = promisify(execFile);

const TOOLS = ['mcp_aql_create', 'mcp_aql_read', 'mcp_aql_update', 'mcp_aql_delete', 'mcp_aql_execute'];

/** What every client must be able to do, whatever its line, era and transport. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function exercise(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS);
  const read = async (operation: string, params: object = {}) => {
    const result = (await client.callTool({ name: 'mcp_aql_read', arguments: { operation, params } })) as {
      content: { type: string; text: string }[];
    };
    return JSON.parse(result.content[0]?.text ?? '');
  };
  // The gateway answers before slow servers are connected.
  for (const upstream of Object.keys(REAL_SERVERS)) {
    const question = { query: 'operations', upstream };
    await expect.poll(() => read('introspect', question)).toMatchObject({ success: true });
  }
  const page = await read('introspect', { query: 'operations', upstream: 'memory' });
  expect(page.data.operations.map((entry: { name: string }) => entry.name)).toContain('read_graph');
  expect(await read('echo', { message: 'hello' })).toEqual({ success: true, data: 'Echo: hello' });
  expect(await read('read_graph')).toEqual({ success: true, data: { entities: [], relations: [] } });
  expect(await read('list_directory', { path: '.' })).toMatchObject({ success: true });
  expect(await read('no_such_thing')).toMatchObject({ success: false, error: { code: 'NOT_FOUND_OPERATION' } });
}

describe('real clients over Streamable HTTP', () => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await serveGateway({ mcpServers: REAL_SERVERS });
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());

  it.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('work with the SDK v2 client in mode %s, which speaks %s', async (mode, revision) => {
    const client = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new HttpV2(new URL(gateway.url)));
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    await exercise(client as unknown as AnyClient);
    await client.close();
  });

  it('work with the SDK v1 client', async () => {
    const client = new ClientV1({ name: 'v1', version: '1' });
    await client.connect(new HttpV1(new URL(gateway.url)));
    await exercise(client as unknown as AnyClient);
    await client.close();
  });

  it('work with the inspector', async () => {
    const args = ['--transport', 'http', '--method', 'tools/call', '--tool-name', 'mcp_aql_read'];
    const { stdout } = await inspect([gateway.url, ...args, '--tool-arg', 'operation=read_graph']);
    expect(JSON.parse(JSON.parse(stdout).content[0].text)).toEqual({
      success: true,
      data: { entities: [], relations: [] },
    });
    const { stdout: list } = await inspect([gateway.url, '--transport', 'http', '--method', 'tools/list']);
    expect(JSON.parse(list).tools.map((tool: { name: string }) => tool.name)).toEqual(TOOLS);
  });
});

describe('real clients over stdio', () => {
  async function withConfig<T>(task: (args: string[], cwd: string) => Promise<T>): Promise<T> {
    await using directory = await makeDirectory();
    const file = join(directory.path, 'gateway.config.json');
    await writeFile(file, JSON.stringify({ mcpServers: REAL_SERVERS }));
    return await task([BINARY, 'stdio', '--config', file], directory.path);
  }

  it.each(['auto', 'legacy'] as const)('work with the SDK v2 client in mode %s', async (mode) => {
    await withConfig(async (args, cwd) => {
      const client = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StdioV2({ command: process.execPath, args, cwd, stderr: 'ignore' }));
      await exercise(client as unknown as AnyClient);
      await client.close();
    });
  });

  it('work with the SDK v1 client', async () => {
    await withConfig(async (args, cwd) => {
      const client = new ClientV1({ name: 'v1', version: '1' });
      await client.connect(new StdioV1({ command: process.execPath, args, cwd, stderr: 'ignore' }));
      await exercise(client as unknown as AnyClient);
      await client.close();
    });
  });

  it('work with the inspector', async () => {
    await withConfig(async ([binary = '', , , file]) => {
      // The inspector has a --config of its own.
      const server = ['-e', `MCP_AQL_CONFIG=${file}`, process.execPath, binary, 'stdio'];
      const { stdout } = await inspect([...server, '--method', 'tools/list']);
      expect(JSON.parse(stdout).tools.map((tool: { name: string }) => tool.name)).toEqual(TOOLS);
    });
  });
});

function inspect(args: readonly string[]): Promise<{ stdout: string }> {
  const cli = join(REPOSITORY, 'node_modules/@modelcontextprotocol/inspector/cli/build/cli.js');
  return run(process.execPath, [cli, '--cli', ...args], { maxBuffer: 10_000_000 });
}
