import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';
import { runCommand } from '../support/run-command.js';

const text = { type: 'string' };
const flag = { type: 'boolean' };

const TOOLS = [
  {
    name: 'git_push',
    description: 'Push commits to a remote.',
    inputSchema: { type: 'object', properties: { branch: text, force: flag, delete: flag } },
  },
  {
    name: 'take_snapshot',
    description: 'Get a snapshot of the page.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: { filename: { type: 'string', description: 'Save the snapshot to this file' } },
    },
  },
  {
    name: 'create_or_update_note',
    description: 'Create or update a note.',
    inputSchema: { type: 'object', properties: { text, createOnly: flag } },
  },
];

/** READs of different kinds, each with arguments that do more than reading. */
const ACTING_READS: readonly (readonly [name: string, properties: object, args: object, code: string])[] = [
  ['get_token', { id: text, rotate: flag }, { rotate: true }, 'CONFIRMATION_REQUIRED'],
  ['get_health', { restart_if_unhealthy: flag }, { restart_if_unhealthy: true }, 'OK'],
  ['list_tasks', { purge_completed: flag }, { purge_completed: true }, 'CONFIRMATION_REQUIRED'],
  ['search_logs', { query: text, exportTo: text }, { export_to: 's3://bucket' }, 'CONFIRMATION_REQUIRED'],
  ['fetch_page', { url: text, method: text }, { url: 'x', method: 'delete' }, 'CONFIRMATION_REQUIRED'],
  ['list_mails', { mark_as_read: flag }, { mark_as_read: true }, 'OK'],
];

const DRY_RUN = {
  name: 'remove_pages',
  description: 'Remove pages.',
  inputSchema: { type: 'object', properties: { section: text, dryRun: flag } },
};

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startReplayServer(
    new Map([
      ['tools', TOOLS],
      ['reads', ACTING_READS.map(([name, properties]) => ({ name, inputSchema: { type: 'object', properties } }))],
      ['dry', [DRY_RUN]],
    ]),
  );
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const configOf = (more: object = {}): object => ({ mcpServers: { demo: { url: upstream.urlOf('tools') } }, ...more });

describe('the danger of a call', () => {
  it('follows its arguments: a forced push and a removed branch are asked for, a plain push is not', async () => {
    await using gateway = await hostGateway(configOf());
    await using client = await connectClient(gateway.url);
    const codeOf = async (params: object) =>
      (await client.call('mcp_aql_execute', 'git_push', { ...params })).error?.code ?? 'OK';
    expect(await codeOf({ branch: 'main' })).toBe('OK');
    expect(await codeOf({ branch: 'main', force: false })).toBe('OK');
    expect(await codeOf({ branch: 'main', force: true })).toBe('CONFIRMATION_REQUIRED');
    expect(await codeOf({ branch: 'main', delete: true })).toBe('CONFIRMATION_REQUIRED');
    const asked = await client.call('mcp_aql_execute', 'git_push', { branch: 'main', force: true });
    const token = asked.error?.details?.['confirmation_token'];
    expect(await codeOf({ branch: 'main', force: true, _confirmation: token })).toBe('OK');
  });

  it('makes EXECUTE of a READ that writes: refused as READ with the corrected call, asked for as EXECUTE', async () => {
    await using gateway = await hostGateway(configOf());
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql_read', 'take_snapshot', {})).success).toBe(true);
    const refused = await client.call('mcp_aql_read', 'take_snapshot', { filename: 'a.txt' });
    expect(refused.error?.code).toBe('VALIDATION_ENDPOINT_MISMATCH');
    expect(refused.error?.details?.['example']).toEqual({
      tool: 'mcp_aql_execute',
      arguments: { operation: 'take_snapshot', params: { filename: 'a.txt' } },
    });
    const asked = await client.call('mcp_aql_execute', 'take_snapshot', { filename: 'a.txt' });
    expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
    const pointless = await client.call('mcp_aql_execute', 'take_snapshot', {});
    expect(pointless.error?.details?.['expected_endpoint']).toBe('read');
  });

  it.each(ACTING_READS)(
    'refuses %s as READ with arguments that act, and takes it as EXECUTE',
    async (name, _schema, args, code) => {
      await using gateway = await hostGateway({ mcpServers: { reads: { url: upstream.urlOf('reads') } } });
      await using client = await connectClient(gateway.url);
      const calls = () => upstream.calls.length;
      const before = calls();
      expect((await client.call('mcp_aql_read', name, { ...args })).error?.code).toBe('VALIDATION_ENDPOINT_MISMATCH');
      expect(calls()).toBe(before);
      expect((await client.call('mcp_aql_execute', name, { ...args })).error?.code ?? 'OK').toBe(code);
      expect((await client.call('mcp_aql_read', name, {})).success).toBe(true);
    },
  );

  it('is lowered by a dry run of a server that is believed, and by no other', async () => {
    const dry = { url: upstream.urlOf('dry') };
    await using gateway = await hostGateway({ mcpServers: { dry, doubtful: { ...dry, trust: 'untested' } } });
    await using client = await connectClient(gateway.url);
    const codeOf = async (operation: string, params: object) =>
      (await client.call('mcp_aql_delete', operation, { ...params })).error?.code ?? 'OK';
    expect(await codeOf('dry__remove_pages', { section: 'a' })).toBe('CONFIRMATION_REQUIRED');
    expect(await codeOf('dry__remove_pages', { section: 'a', dry_run: false })).toBe('CONFIRMATION_REQUIRED');
    expect(await codeOf('dry__remove_pages', { section: 'a', dry_run: true })).toBe('OK');
    expect(await codeOf('doubtful__remove_pages', { section: 'a', dry_run: true })).toBe(
      'PERMISSION_DANGER_LEVEL_DENIED',
    );
    const details = await client.call('mcp_aql_read', 'introspect', { query: 'operations', name: 'dry__remove_pages' });
    expect(JSON.stringify(details)).toContain('needs confirmation, but not with dry_run=true');
  });

  it('is the same through a single tool, where a READ that writes is only asked for', async () => {
    await using gateway = await hostGateway(configOf({ endpoint: { mode: 'single' } }));
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql', 'take_snapshot', {})).success).toBe(true);
    const asked = await client.call('mcp_aql', 'take_snapshot', { filename: 'a.txt' });
    expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
  });

  it('is what rules and the read-only gateway go by', async () => {
    const rules = [{ name: 'no-loss', match: { danger: 'destructive' }, decision: 'deny' }];
    await using gateway = await hostGateway(configOf({ policy: { rules } }));
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql_execute', 'git_push', {})).success).toBe(true);
    const denied = await client.call('mcp_aql_execute', 'git_push', { force: true });
    expect(denied.error?.code).toBe('PERMISSION_DENIED');
  });

  it('is shown by introspection and promised by no family', async () => {
    await using gateway = await hostGateway(configOf());
    await using client = await connectClient(gateway.url);
    const list = await client.call('mcp_aql_read', 'introspect', { query: 'operations', include: ['danger'] });
    const shown = JSON.stringify(list.data);
    expect(shown).toMatch(/\[destructive with [^\]]*force=true, delete=true[^\]]*\]/);
    expect(shown).toContain('"with":"force=true"');
    const { tools } = await client.client.listTools();
    const create = tools.find(({ name }) => name === 'mcp_aql_create');
    expect(create?.description).toContain('May replace what exists.');
    expect(create?.annotations?.destructiveHint).toBe(true);
  });
});

it('policy explain names the argument that raises the danger', async () => {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, JSON.stringify(configOf()));
  const asked = ['policy', 'explain', 'git_push', '--params', '{"force":true}', '--config', file];
  const { stdout } = await runCommand(asked, { cwd: directory.path });
  expect(stdout).toContain("parameter 'force'");
});
