import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { REPOSITORY } from '../support/served-gateway.js';

const READ = 'mcp_aql_read';
const UPDATE = 'mcp_aql_update';
const EXECUTE = 'mcp_aql_execute';

const RECORD = {
  id: '1',
  title: 'Broken link',
  status: 'open',
  settings: { priority: 'low', owner: 'ada', tags: ['web'] },
  note: 'seen twice',
};

let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  const server = join(REPOSITORY, 'test/fixtures/servers/record-server.mjs');
  gateway = await hostGateway({
    mcpServers: {
      records: {
        command: process.execPath,
        args: [server, JSON.stringify([RECORD, { ...RECORD, id: '2' }, { ...RECORD, id: '3' }])],
        operations: {
          get_record: { collection: false },
          disturb: { category: 'EXECUTE', danger: 'safe' },
          update_record: {
            danger: 'reversible',
            merge: { read: 'get_record', identifiers: { id: 'record_id' }, path: 'record' },
          },
        },
      },
    },
  });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const update = (record_id: string, input: JsonObject, more: JsonObject = {}) =>
  client.call(UPDATE, 'update_record', { record_id, input, ...more });
const read = async (id: string) => (await client.call(READ, 'get_record', { id })).data.record;

/** The envelope's `_meta`, which a model sees. */
const metaOf = ({ raw }: Answer): JsonObject | undefined => {
  const [first] = raw['content'] as readonly { readonly text: string }[];
  return JSON.parse(first?.text ?? '{}')._meta;
};

describe('an UPDATE that merges, over a server that replaces', () => {
  it('gives the version of a resource with its READ and its UPDATE, which the next update may demand', async () => {
    const read = await client.call(READ, 'get_record', { id: '3' });
    expect(metaOf(read)).toEqual({ version: expect.any(String) });
    const first = await update('3', { title: 'x' }, { if_match: metaOf(read)?.['version'] });
    expect(metaOf(first)).toEqual({ version: expect.any(String) });
    expect(metaOf(first)).not.toEqual(metaOf(read));
    expect((await update('3', { title: 'y' }, { if_match: metaOf(first)?.['version'] })).success).toBe(true);
    const late = await update('3', { title: 'z' }, { if_match: metaOf(read)?.['version'] });
    expect(late.error?.code).toBe('CONFLICT_VERSION_MISMATCH');
    const { data } = await client.introspect({ query: 'operations' });
    expect(data._protocol.supports_etag).toBe(true);
  });

  it('changes the given members, keeps the others, removes null members and replaces lists', async () => {
    expect((await update('1', { settings: { priority: 'high' } })).success).toBe(true);
    expect(await read('1')).toEqual({ ...RECORD, settings: { ...RECORD.settings, priority: 'high' } });
    expect((await update('1', { settings: { owner: null, tags: ['a', 'b'] }, note: null })).success).toBe(true);
    const { note: _note, ...rest } = RECORD;
    expect(await read('1')).toEqual({ ...rest, settings: { priority: 'high', tags: ['a', 'b'] } });
  });

  it.each([[null], [''], [7], [[]]])('refuses the condition %j', async (if_match) => {
    expect((await update('2', { title: 'x' }, { if_match })).error?.message).toContain("'if_match' expected");
    expect((await read('2')).title).toBe(RECORD.title);
  });

  it('says where the condition belongs when it is among the changes', async () => {
    const { error } = await update('2', { title: 'x', if_match: { status: 'open' } });
    expect(error?.message).toContain("'input.if_match' (did you mean 'if_match'?)");
  });

  it('writes under a condition, and shows the values that differ', async () => {
    const refused = await update('2', { title: 'x' }, { if_match: { status: 'closed', 'settings.owner': 'ada' } });
    expect(refused.error).toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
      details: { operation: 'update_record', expected: { status: 'closed' }, current: { status: 'open' } },
    });
    expect((await read('2')).title).toBe(RECORD.title);
    const version = refused.error?.details?.['current_version'];
    expect((await update('2', { title: 'x' }, { if_match: version })).success).toBe(true);
    expect((await update('2', { title: 'y' }, { if_match: version })).error?.code).toBe('CONFLICT_VERSION_MISMATCH');
    expect((await read('2')).title).toBe('x');
  });

  it('detects a change by another client between reading and writing', async () => {
    await client.call(EXECUTE, 'disturb', { id: '3', after: 1, fields: { settings: { priority: 'urgent' } } });
    const answer = await update('3', { settings: { priority: 'low' } });
    expect(answer.error).toMatchObject({ code: 'CONFLICT_VERSION_MISMATCH' });
    expect((await read('3')).settings).toEqual({ priority: 'urgent' });
    expect((await update('3', { settings: { priority: 'low' } })).success).toBe(true);
  });

  it('is described as merging, with the condition that it takes', async () => {
    const { data } = await client.introspect({ query: 'operations', name: 'update_record' });
    expect(data.operation.description).toContain('The gateway merges');
    expect(data.operation.parameters.map(({ name }: { readonly name: string }) => name)).toContain('if_match');
  });
});
