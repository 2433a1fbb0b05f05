import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { readJournals } from '../support/read-journals.js';

const TAKES = (properties: string, more = '') =>
  `inputSchema: { type: 'object', properties: { ${properties} } ${more} }`;
const RUN = `run: (args, server) => {
  (server.seen ??= []).push(args);
  return { content: [{ type: 'text', text: JSON.stringify(args) }] };
}`;

/** A store of notes that takes down the arguments of every call which reaches it. */
const NOTES = inlineServer(`{
  create_note: { tool: { ${TAKES("title: { type: 'string' }, size: { type: 'number' }", ", required: ['title']")} }, ${RUN} },
  update_note: { tool: { ${TAKES("note_id: { type: 'number' }, title: { type: 'string' }", ", required: ['note_id']")} }, ${RUN} },
  delete_note: { tool: { ${TAKES("noteId: { type: 'number' }", ", required: ['noteId']")} }, ${RUN} },
  create_user: { tool: { ${TAKES("name: { type: 'string' }, password: { type: 'string' }")} }, ${RUN} },
  create_copy: { tool: { ${TAKES("name: { type: 'string' }, dry_run: { type: 'boolean' }")} }, ${RUN} },
  create_any: { tool: { ${TAKES('', ', additionalProperties: true')} }, ${RUN} },
  create_secret: { tool: { ${TAKES("text: { type: 'string' }")} }, ${RUN} },
  get_note: { tool: { ${TAKES("id: { type: 'number' }")}, annotations: { readOnlyHint: true } }, ${RUN} },
  list_seen: { tool: { annotations: { readOnlyHint: true } },
    run: (_, { seen = [] }) => ({ content: [{ type: 'text', text: JSON.stringify(seen) }] }) },
}`);

let live: LiveGateway;
let client: Client;

beforeAll(async () => {
  live = await openLiveGateway({
    mcpServers: { notes: NOTES },
    programs: { enabled: true },
    executions: { enabled: true },
    audit: { calls: 'all', sync: true },
    quotas: {
      limits: [{ name: 'few', metric: 'requests_per_day', hard_stop: 2, match: { operation: 'create_note' } }],
    },
    policy: {
      rules: [{ name: 'no secrets', match: { operation: 'create_secret' }, decision: 'deny', reason: 'closed' }],
    },
  });
  client = await live.connect('http', 'legacy');
});
afterAll(() => live?.[Symbol.asyncDispose]());

const call = (operation: string, params: JsonObject = {}): Promise<Envelope> => live.call(client, operation, params);
const seen = async (): Promise<readonly JsonObject[]> => (await call('list_seen')).data;

describe('a dry run', () => {
  it('says what would be sent, and what policy says of it', async () => {
    const { data } = await call('create_note', { title: 'a', size: 1234567.25, dry_run: true });
    expect(data).toMatchObject({
      dry_run: true,
      operation: 'create_note',
      category: 'CREATE',
      policy: { effect: 'allow' },
      would_send: { upstream: 'notes', tool: 'create_note', arguments: { title: 'a', size: 1234567.25 } },
    });
    const asking = await call('delete_note', { note_id: 7, dry_run: true });
    expect(asking.data).toMatchObject({
      danger: 'destructive',
      policy: { effect: 'confirm', by: 'matrix', requires: 'token' },
      would_send: { tool: 'delete_note', arguments: { noteId: 7 } },
    });
    const denied = await call('create_secret', { text: 'x', dry_run: true });
    expect(denied.data).toMatchObject({
      policy: {
        effect: 'deny',
        by: 'rule',
        rule: 'no secrets',
        reason: 'closed',
        refusal: expect.stringContaining('closed'),
      },
    });
    const update = await call('update_note', { note_id: 7, input: { title: 'b' }, dry_run: true });
    expect(update.data.would_send.arguments).toEqual({ note_id: 7, title: 'b' });
    expect(await seen()).toEqual([]);
  });

  it('counts against no budget, and says what is left of it', async () => {
    for (let run = 0; run < 5; run += 1) {
      const { data } = await call('create_note', { title: 'a', dry_run: true });
      expect(data.quota.quotas).toMatchObject([{ name: 'few', current: 0, status: 'ok' }]);
    }
  });

  it('is refused for what the call would be refused for', async () => {
    expect((await call('create_note', { size: 1, dry_run: true })).error?.code).toBe('VALIDATION_MISSING_PARAM');
    expect((await call('create_note', { title: 'a', colour: 'red', dry_run: true })).error?.code).toBe(
      'VALIDATION_UNKNOWN_PARAM',
    );
  });

  it.each(['true', 1, 'yes', {}, [true]])('is no call where its switch is %j', async (value) => {
    for (const name of ['dry_run', '_dry_run']) {
      const { error } = await call('create_note', { title: 'a', [name]: value });
      expect(error).toMatchObject({ code: 'VALIDATION_INVALID_TYPE', details: { param_name: name } });
    }
    expect((await call('create_note', { title: 'a', dryrun: true })).error?.message).toContain("'dry_run'");
    expect((await call('create_note', { title: 'a', _dryrun: true })).error?.message).toContain("'_dry_run'");
    expect(await seen()).toEqual([]);
  });

  it('is none where the switch is off, absent or null', async () => {
    expect((await call('create_user', { name: 'a', dry_run: false })).data).toEqual({ name: 'a' });
    expect((await call('create_user', { name: 'b', dry_run: null })).data).toEqual({ name: 'b' });
  });

  it('repeats no secret', async () => {
    const { data } = await call('create_user', { name: 'ann', password: 'S3cret!', dry_run: true });
    expect(data.would_send.arguments).toEqual({ name: 'ann', password: '<password>' });
    expect(data.note).toContain('the value given would be sent');
  });

  it("is the server's own where its tool takes a parameter of that name, or may; the gateway's is '_dry_run' there", async () => {
    for (const operation of ['create_copy', 'create_any']) {
      expect((await call(operation, { name: 'a', dry_run: true })).data).toEqual({ name: 'a', dry_run: true });
      const { data } = await call(operation, { name: 'a', dry_run: true, _dry_run: true });
      expect(data.would_send.arguments).toEqual({ name: 'a', dry_run: true });
    }
  });

  it('is described where something is changed, and no parameter elsewhere', async () => {
    const namesOf = async (name: string): Promise<readonly string[]> => {
      const { data } = await call('introspect', { query: 'operations', name });
      return data.operation.parameters.map((each: { name: string }) => each.name);
    };
    expect(await namesOf('delete_note')).toContain('dry_run');
    expect(await namesOf('get_note')).not.toContain('dry_run');
    expect((await call('get_note', { id: 1, dry_run: true })).error?.code).toBe('VALIDATION_UNKNOWN_PARAM');
    expect((await call('get_note', { id: 1, _dry_run: true })).data).toMatchObject({ dry_run: true, category: 'READ' });
  });

  it('is an item of a batch that asks nothing and runs nothing, and is no member of a batch', async () => {
    const before = (await seen()).length;
    const item = { operation: 'delete_note', params: { note_id: 7, dry_run: true } };
    const send = async (args: JsonObject) =>
      JSON.stringify(await client.callTool({ name: 'mcp_aql', arguments: args }));
    expect(await send({ operations: [item, item] })).not.toContain('CONFIRMATION_REQUIRED');
    const plain = { operation: 'create_user', params: { name: 'a' } };
    for (const name of ['dry_run', '_dry_run'])
      expect(await send({ operations: [plain], [name]: true })).toContain('Parameters belong inside each operation');
    expect((await seen()).length).toBe(before);
  });

  it('is a value to a program, and ends at once where it was to go on in the background', async () => {
    const before = (await seen()).length;
    const code = "return await aql.call('delete_note', { note_id: 7, dry_run: true });";
    expect((await call('run_program', { code })).data.result).toMatchObject({
      dry_run: true,
      operation: 'delete_note',
    });
    const params = { name: 'a', dry_run: true, _execution: { background: true } };
    expect((await call('create_user', params)).data).toMatchObject({ dry_run: true });
    expect((await seen()).length).toBe(before);
  });

  it('is not recorded as a call that ran', async () => {
    await call('create_secret', { text: 'a', dry_run: true });
    const records = (await readJournals(live.gateway.config.directory)).filter(
      ({ operation }) => operation === 'notes__create_secret',
    );
    expect(new Set(records.map(({ type, code }) => `${type} ${code}`))).toEqual(new Set(['call DRY_RUN']));
  });
});

describe('a tool that is passed through', () => {
  it('gets a dry_run of its caller as it is, whatever it is called', async () => {
    await using passing = await openLiveGateway({ endpoint: { mode: 'passthrough' }, mcpServers: { notes: NOTES } });
    const own = await passing.connect('http', 'legacy');
    for (const name of ['dry_run', '_dry_run']) {
      const answer = await own.callTool({ name: 'create_any', arguments: { [name]: true } });
      expect(JSON.stringify(answer)).toContain(JSON.stringify(JSON.stringify({ [name]: true })));
    }
  });
});
