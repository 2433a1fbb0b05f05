import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const DATE = { type: 'object', properties: { dueDate: { type: 'string' }, zone: { type: 'string' } } };

const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    when: DATE,
    list: { type: 'array', items: { $ref: '#/$defs/date' } },
    either: { anyOf: [DATE, { type: 'object', properties: { never: { type: 'boolean' } } }] },
    closed: { ...DATE, additionalProperties: false },
    free: { ...DATE, additionalProperties: true },
    blank: { type: 'object' },
  },
  $defs: { date: DATE },
};

const TOOLS = `Object.fromEntries(['get_task', 'update_task'].map((name) => [name, {
  tool: { name, inputSchema: ${JSON.stringify(SCHEMA)}, annotations: { readOnlyHint: name === 'get_task', destructiveHint: false } },
  run: (args) => ({ content: [{ type: 'text', text: JSON.stringify({ got: args }) }] }),
}]))`;

const MISSPELT: readonly (readonly [JsonObject, string, string])[] = [
  [{ when: { duedate: 'x' } }, 'when.duedate', 'dueDate'],
  [{ list: [{}, { zones: 'x' }] }, 'list[1].zones', 'zone'],
  [{ either: { neverr: true } }, 'either.neverr', 'never'],
];

const FINE: readonly JsonObject[] = [
  { when: { dueDate: 'x' }, either: { never: true, zone: 'x' } },
  { free: { duedate: 'x' } },
  { blank: { any: { thing: 1 } } },
];

describe.each([true, 'deep'] as const)('with strict: %j, members of nested objects', (strict) => {
  let gateway: LiveGateway;
  let call: (operation: string, params: JsonObject) => Promise<Envelope>;

  beforeAll(async () => {
    gateway = await openLiveGateway({ mcpServers: { tasks: inlineServer(TOOLS, { strict }) } });
    const client = await gateway.connect('http', 'modern');
    call = (operation, params) => gateway.call(client, operation, params);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(MISSPELT)(
    'that a silent schema does not name are told with what was meant: %j',
    async (params, param, nearest) => {
      for (const inside of [false, true]) {
        const answer = inside ? await call('update_task', { id: 'a', input: params }) : await call('get_task', params);
        const place = inside ? `input.${param}` : param;
        if (strict === 'deep') {
          expect(answer.error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM' });
          expect(answer.error?.message).toContain(`'${place}' (did you mean '${nearest}'?)`);
          continue;
        }
        expect(answer.data.got).toEqual(inside ? { id: 'a', ...params } : params);
        expect(answer.warnings).toMatchObject([
          { code: 'VALIDATION_UNKNOWN_MEMBER_WARNING', details: { members: [{ param: place, nearest }] } },
        ]);
      }
    },
  );

  it.each(FINE)('that are named, or may have any name, pass without a word: %j', async (params) => {
    const answer = await call('get_task', params);
    expect(answer.data.got).toEqual(params);
    expect(answer.warnings).toBeUndefined();
  });

  it('that a closed schema does not name are refused', async () => {
    const { error } = await call('get_task', { closed: { duedate: 'x' } });
    expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM', details: { unknown_params: ['closed.duedate'] } });
  });
});
