import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const TAKES = (properties: string, more = '') =>
  `inputSchema: { type: 'object', properties: { ${properties} } ${more} }`;
const ECHO = `run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] })`;
const TEXT = "{ type: 'string' }";

const SERVER = inlineServer(`{
  update_haiku: { tool: { ${TAKES(`topic: ${TEXT}`, ", required: ['topic']")} }, ${ECHO} },
  update_note: { tool: { ${TAKES(`noteId: { type: 'integer' }, title: ${TEXT}, body: ${TEXT}, size: { type: 'number' }, tags: { type: 'array' }, notify: { type: 'boolean' }`, ", required: ['noteId']")} }, ${ECHO} },
  update_user: { tool: { ${TAKES(`user_id: ${TEXT}, password: ${TEXT}`, ", required: ['user_id']")} }, ${ECHO} },
  update_open: { tool: { ${TAKES(`item_id: ${TEXT}, title: ${TEXT}`, ", required: ['item_id'], additionalProperties: true")} }, ${ECHO} },
}`);

interface Sent {
  readonly tool: string;
  readonly arguments: JsonObject;
}

async function open(endpoint: object = {}) {
  const live: LiveGateway = await openLiveGateway({
    endpoint: { mode: 'single', ...endpoint },
    mcpServers: { notes: SERVER },
  });
  const client = await live.connect('http', 'legacy');
  return {
    call: (operation: string, params: JsonObject) => live.call(client, operation, params),
    async send({ tool, arguments: args }: Sent) {
      const { content } = await client.callTool({ name: tool, arguments: { ...args } });
      return JSON.parse((content as readonly { text: string }[])[0]?.text ?? '');
    },
    client,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}

const LONG = 'à la carte ✓ '.repeat(5_000);

describe('an update whose fields lie beside its identifiers', () => {
  it.each([
    ['update_haiku', { topic: 'rain' }, { input: { topic: 'rain' } }],
    ['update_note', { note_id: 7, title: 'a' }, { note_id: 7, input: { title: 'a' } }],
    ['update_note', { noteId: 7, title: 'a' }, { noteId: 7, input: { title: 'a' } }],
    ['update_note', { note_id: 7, notify: true, title: 'a' }, { note_id: 7, notify: true, input: { title: 'a' } }],
    ['update_note', { note_id: 7, title: 'a', input: { body: 'b' } }, { note_id: 7, input: { body: 'b', title: 'a' } }],
    [
      'update_note',
      { note_id: 9007199254740991, body: LONG, size: 0.30000000000000004, tags: ['9007199254740993', null] },
      undefined,
    ],
    [
      'update_open',
      { item_id: 'x', title: 'a', colour: 'red' },
      { item_id: 'x', colour: 'red', input: { title: 'a' } },
    ],
  ])(
    'is refused with the one call to send, every value in it as it was sent: %s %#',
    async (operation, params, expected) => {
      await using gateway = await open();
      const { error } = await gateway.call(operation, params);
      expect(error?.code).toMatch(/^VALIDATION_(?:MISSING|UNKNOWN)_PARAM$/);
      expect(error?.message).toContain('Send details.send as it is');
      expect(error?.details).not.toHaveProperty('example');
      const send = error?.details?.['send'] as Sent;
      if (expected !== undefined) expect(send.arguments).toEqual({ operation, params: expected });
      const { input, ...beside } = send.arguments['params'] as JsonObject;
      const { input: _input, ...flat } = params as JsonObject;
      expect({ ...beside, ...(input as JsonObject) }).toEqual({ ...(_input as JsonObject), ...flat });
      const { success, data } = await gateway.send(send);
      expect(success).toBe(true);
      expect(JSON.stringify(data)).toContain(JSON.stringify(Object.values(flat).at(-1)));
    },
  );

  it('keeps in it what was said of the call', async () => {
    await using gateway = await open();
    const { error } = await gateway.call('update_note', {
      note_id: 7,
      title: 'a',
      dry_run: true,
      _execution: { background: false },
    });
    const send = error?.details?.['send'] as Sent | undefined;
    expect(send?.arguments['params']).toEqual({
      note_id: 7,
      dry_run: true,
      _execution: { background: false },
      input: { title: 'a' },
    });
  });

  it.each([
    ['a field is given twice', 'update_note', { note_id: 7, title: 'a', input: { title: 'b' } }],
    ['a name is none of its parameters', 'update_note', { note_id: 7, titel: 'a' }],
    ['a value is refused', 'update_note', { note_id: 7, title: 5 }],
    ['an identifier is missing', 'update_note', { title: 'a' }],
    ['its input is no object', 'update_note', { note_id: 7, title: 'a', input: 'b' }],
    ['an identifier lies in its input', 'update_note', { title: 'a', input: { note_id: 7 } }],
  ])('gets no call to send where %s', async (_why, operation, params) => {
    for (const flatUpdates of [false, true]) {
      await using gateway = await open({ flatUpdates });
      const { success, error } = await gateway.call(operation, params);
      expect(success).toBe(false);
      expect(error?.details).not.toHaveProperty('send');
    }
  });

  it('gets an example with a placeholder where a secret is in it, and is told so', async () => {
    await using gateway = await open();
    const { error } = await gateway.call('update_user', { user_id: 'ann', password: 'S3cret!' });
    expect(error?.details).not.toHaveProperty('send');
    expect(error?.details?.['example']).toMatchObject({
      arguments: { params: { user_id: 'ann', input: { password: '<password>' } } },
      note: expect.stringContaining('no answer repeats them'),
    });
    expect(JSON.stringify(error)).not.toContain('S3cret!');
  });

  it('is an item of a batch that says the same', async () => {
    await using gateway = await open();
    const operations = [{ operation: 'update_haiku', params: { topic: 'rain' } }];
    const answer = JSON.stringify(await gateway.client.callTool({ name: 'mcp_aql', arguments: { operations } }));
    expect(answer).toContain('Send details.send as it is');
  });

  it('runs where flatUpdates lets it, and each name has one reading', async () => {
    await using gateway = await open({ flatUpdates: true });
    expect((await gateway.call('update_haiku', { topic: 'rain' })).data).toEqual({ topic: 'rain' });
    const flat = { note_id: 7, title: 'a', notify: true, input: { body: 'b' } };
    expect((await gateway.call('update_note', flat)).data).toEqual({ noteId: 7, title: 'a', notify: true, body: 'b' });
    // What is passed on without being described could be meant either way.
    const unclear = { item_id: 'x', title: 'a', colour: 'red' };
    expect((await gateway.call('update_open', unclear)).error?.details).toHaveProperty('send');
    expect((await gateway.call('update_open', { item_id: 'x', title: 'a' })).data).toEqual({
      item_id: 'x',
      title: 'a',
    });
  });
});
