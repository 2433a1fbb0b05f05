import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const USER = {
  id: { type: 'integer' },
  name: { type: 'string' },
  email: { type: 'string' },
  team: { type: 'object', properties: { name: { type: 'string' } } },
};

const output = (items: object) => ({
  type: 'object',
  properties: { users: { type: 'array', items } },
  required: ['users'],
});

/** Lists of users by what is declared of them. None has an email. */
const LISTS: Readonly<Record<string, object>> = {
  list_told: { outputSchema: output({ type: 'object', properties: USER }) },
  list_closed: { outputSchema: output({ type: 'object', properties: USER, additionalProperties: false }) },
  list_open: { outputSchema: output({ type: 'object', properties: USER, additionalProperties: true }) },
  list_untold: {},
};

const USERS = [
  { id: 1, name: 'ada', team: { name: 'red' } },
  { id: 2, name: 'bob', team: { name: 'blue' } },
];

const tool = (name: string, more: object) =>
  `${name}: {
    tool: ${JSON.stringify({
      description: 'Lists users.',
      inputSchema: { type: 'object', properties: { empty: { type: 'boolean' }, email: { type: 'boolean' } } },
      annotations: { readOnlyHint: true },
      ...more,
    })},
    run: ({ empty, email }) => {
      const users = empty ? [] : ${JSON.stringify(USERS)}.map((user) => (email ? { ...user, email: user.name + '@a.io' } : user));
      return { structuredContent: { users }, content: [] };
    },
  }`;

const SERVER = `{ ${Object.entries(LISTS)
  .map(([name, more]) => tool(name, more))
  .join(', ')} }`;

/** Each way to name a field, and what the answer holds where no item has it: as many items of the two users, or a summary. */
const QUESTIONS = (field: string): Readonly<Record<string, [params: JsonObject, items?: number]>> => ({
  equals: [{ filter: { [field]: 'x' } }, 0],
  exists: [{ filter: { [field]: { exists: true } } }, 0],
  'exists not': [{ filter: { [field]: { exists: false } } }, 2],
  sort: [{ sort: `-${field}` }, 2],
  distinct: [{ distinct: field }, 1],
  fields: [{ fields: ['id', field], first: 5 }, 2],
  'fields alone': [{ fields: ['id', field] }],
  groups: [{ aggregate: { n: { count: true, group_by: field } } }],
  sum: [{ aggregate: { n: { sum: field } } }],
  least: [{ aggregate: { n: { min: field } } }],
});

const config = { mcpServers: { users: inlineServer(SERVER) } };

let gateway: LiveGateway;
let client: Client;
const call = (operation: string, params: JsonObject) => gateway.call(client, operation, params);
const codesOf = (warnings: readonly JsonObject[] = []) => warnings.map(({ code }) => code);

beforeAll(async () => {
  gateway = await openLiveGateway(config);
  client = await gateway.connect('http', 'modern');
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe.each(Object.entries(QUESTIONS('email')))(
  'a question about a field that no item has, by %s,',
  (_, [params, items]) => {
    it.each(Object.keys(LISTS))('is answered by %s', async (list) => {
      for (const empty of [false, true]) {
        const { success, data, error, warnings } = await call(list, { ...params, empty });
        expect(error).toBeUndefined();
        expect(success).toBe(true);
        if (items !== undefined && !(empty && params['distinct'] !== undefined))
          expect(data.items).toHaveLength(empty ? 0 : items);
        if (list !== 'list_untold') expect(codesOf(warnings)).not.toContain('VALIDATION_UNKNOWN_FIELD_WARNING');
      }
    });
  },
);

describe.each(Object.entries(QUESTIONS('nmae')))('a misspelt field, in %s,', (_, [params]) => {
  it.each(['list_told', 'list_closed'])(
    'is refused where %s declares the fields, on an empty list, too',
    async (list) => {
      for (const empty of [false, true]) {
        const { error } = await call(list, { ...params, empty });
        expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_FIELD', details: { unknown_fields: ['nmae'] } });
        expect(error?.message).toContain("did you mean 'name'?");
      }
    },
  );

  it.each(['list_open', 'list_untold'])('is warned of by %s, on an empty list, too', async (list) => {
    for (const empty of [false, true]) {
      const { success, warnings = [] } = await call(list, { ...params, empty });
      expect(success).toBe(true);
      const told = warnings.find(({ code }) => code === 'VALIDATION_UNKNOWN_FIELD_WARNING');
      expect(told?.['message']).toContain("'nmae' (did you mean 'name'?)");
    }
  });
});

it('a field inside another is declared like one outside', async () => {
  expect((await call('list_told', { filter: { 'team.name': 'red' } })).data.items).toEqual([USERS[0]]);
  const { error } = await call('list_told', { filter: { 'team.nmae': 'red' } });
  expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_FIELD', details: { unknown_fields: ['team.nmae'] } });
});

it('a field that an earlier answer had is known on an empty list', async () => {
  await using other = await openLiveGateway(config);
  const asking = await other.connect('http', 'modern');
  const exists = { filter: { email: { exists: true } } };
  expect(codesOf((await other.call(asking, 'list_untold', exists)).warnings)).toContain(
    'VALIDATION_UNKNOWN_FIELD_WARNING',
  );
  await other.call(asking, 'list_untold', { email: true });
  for (const empty of [false, true])
    expect(codesOf((await other.call(asking, 'list_untold', { ...exists, empty })).warnings)).toEqual([]);
});
