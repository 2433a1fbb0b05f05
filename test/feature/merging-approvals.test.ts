import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { readJournals } from '../support/read-journals.js';
import { REPOSITORY } from '../support/served-gateway.js';

const READ = 'mcp_aql_read';
const UPDATE = 'mcp_aql_update';
const EXECUTE = 'mcp_aql_execute';
const TOKEN = 'operator-omar-has-a-long-token';
const ALICE = { token: 'alice-has-a-long-token' };

const RECORD = {
  id: '1',
  title: '<img src=x onerror=alert(1)>',
  status: 'open',
  settings: { priority: 'low', owner: 'ada' },
  note: 'seen twice',
  secret: 'hunter2',
};

let gateway: RunningGateway;
let alice: McpClient;
let omar: ConsoleVisitor;

beforeAll(async () => {
  const server = join(REPOSITORY, 'test/fixtures/servers/record-server.mjs');
  gateway = await hostGateway({
    clients: { alice: ALICE },
    policy: {
      rules: [{ match: { operation: 'update_record' }, decision: 'confirm', requires: 'human' }],
      approvals: { operators: { omar: { token: TOKEN } }, elicitation: false },
    },
    audit: { enabled: true, sync: true, calls: 'all' },
    mcpServers: {
      records: {
        command: process.execPath,
        args: [server, JSON.stringify(['1', '2', '3'].map((id) => ({ ...RECORD, id })))],
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
  alice = await connectClient(gateway.url, 'auto', ALICE);
  omar = new ConsoleVisitor(gateway.url);
  await omar.signIn(TOKEN);
});

afterAll(async () => {
  await alice?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const update = (record_id: string, input: JsonObject): Promise<Answer> =>
  alice.call(UPDATE, 'update_record', { record_id, input });
const approvalOf = ({ error }: Answer): string =>
  String((error?.details?.['approval'] as { readonly id?: string } | undefined)?.id);
const goOn = ({ error }: Answer): Promise<Answer> =>
  alice.call(UPDATE, 'update_record', { _confirmation: error?.details?.['confirmation_token'] });
const approve = (id: string) => omar.submit(`approvals/${id}`, `approvals/${id}/decide`, { verdict: 'approved' });
const read = async (id: string) => (await alice.call(READ, 'get_record', { id })).data.record;

describe('an update that merges and waits for an operator', () => {
  it('is shown with the values that it replaces and those that stay, and writes just that', async () => {
    const asked = await update('1', { title: 'A plain title', settings: { priority: 'high' } });
    const { html } = await omar.get(`approvals/${approvalOf(asked)}`);
    for (const part of [
      'removed: </span><bdi>&quot;&lt;img src=x onerror=alert(1)&gt;&quot;',
      'added: </span><bdi>&quot;A plain title&quot;',
      '<bdi>settings.priority</bdi>',
      'What stays as it is',
      '&quot;seen twice&quot;',
    ])
      expect(html).toContain(part);
    expect(html).not.toContain('hunter2');
    expect(html).not.toContain('<img');
    await approve(approvalOf(asked));
    expect((await goOn(asked)).success).toBe(true);
    const settings = { priority: 'high', owner: 'ada' };
    expect(await read('1')).toEqual({ ...RECORD, title: 'A plain title', settings });
  });

  it('is not written where the resource has changed meanwhile, and is asked about anew with what is there now', async () => {
    const asked = await update('2', { title: 'Mine' });
    await alice.call(EXECUTE, 'disturb', { id: '2', after: 1, fields: { title: 'Theirs' } });
    await read('2');
    await approve(approvalOf(asked));
    expect((await goOn(asked)).error).toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
      details: { reason: 'changed_since_agreement', current: { title: 'Theirs' } },
    });
    expect((await read('2')).title).toBe('Theirs');
    expect((await goOn(asked)).error?.code).toBe('TOKEN_ALREADY_USED');
    const again = await update('2', { title: 'Mine' });
    expect(approvalOf(again)).not.toBe(approvalOf(asked));
    expect((await omar.get(`approvals/${approvalOf(again)}`)).html).toContain('&quot;Theirs&quot;');
    await approve(approvalOf(again));
    expect((await goOn(again)).success).toBe(true);
    expect((await read('2')).title).toBe('Mine');
  });

  it('can be approved where the present state cannot be read, which the page says', async () => {
    const { html } = await omar.get(`approvals/${approvalOf(await update('404', { title: 'x' }))}`);
    expect(html).toContain('The present values are not known');
    expect(html).toContain('Record 404 does not exist');
    expect(html).toContain('Fields that would be set');
  });

  it('is read as a call of its caller, which the record has', async () => {
    await update('3', { title: 'x' });
    const records = await readJournals(gateway.directory);
    expect(records.map(({ event, ...record }) => Object.assign(record, event))).toContainEqual(
      expect.objectContaining({
        type: 'call',
        operation: 'records__get_record',
        parameters: { id: '3' },
        actor: expect.objectContaining({ client: 'alice' }),
      }),
    );
  });
});
