import type { Client } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const number = { type: 'number' };
const tool = (name: string, properties: JsonObject, required: readonly string[], annotations: JsonObject) =>
  `${name}: {
    tool: ${JSON.stringify({ description: 'A tool.', inputSchema: { type: 'object', properties, required }, annotations })},
    run: (args) => ({ structuredContent: { got: args }, content: [] }),
  }`;

const READS = { readOnlyHint: true };
const WRITES = { readOnlyHint: false, destructiveHint: false };
const PAYMENT = {
  amount: number,
  account: { type: 'integer' },
  parts: { type: 'array', items: number },
  id: { type: 'string' },
};

const SERVER = `{ ${[
  tool('get_payment', PAYMENT, ['amount'], READS),
  tool('create_payment', PAYMENT, ['amount'], WRITES),
  tool('update_payment', { ...PAYMENT, id: { type: 'string' } }, ['id', 'amount'], WRITES),
  tool(
    'create_user',
    {
      name: { type: 'string' },
      password: { type: 'string' },
      mail: { type: 'string', pattern: '@' },
      age: { type: 'integer' },
    },
    ['name', 'password', 'mail'],
    WRITES,
  ),
].join(', ')} }`;

const CONFIG = { mcpServers: { bank: inlineServer(SERVER) } };

/** Numbers as callers write them, many of which no double holds. */
const LITERAL = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.stringMatching(/^\d{1,25}$/)).map(([a, b]) => `${a}.${b}`),
  fc.constantFrom(
    '9007199254740993',
    '1234567890123456789',
    '0.1234567890123456789012',
    '1e400',
    '123456789.123456789',
  ),
);

const numbersOf = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : [];
};

const isSame = (literal: string, held: number): boolean => {
  const plain = (text: string) => text.replace(/^(-?\d+)\.(\d*?)0*$/, (_, a, b) => (b === '' ? a : `${a}.${b}`));
  return plain(literal) === plain(String(held)) || (Number.isInteger(held) && plain(literal) === String(BigInt(held)));
};

describe.each(['single', 'semantic', 'passthrough'] as const)('in %s mode', (mode) => {
  let gateway: LiveGateway;
  let client: Client;
  let tools: readonly string[];

  beforeAll(async () => {
    gateway = await openLiveGateway({ ...CONFIG, endpoint: { mode } });
    client = await gateway.connect('http', 'modern');
    tools = (await client.listTools()).tools.map(({ name }) => name);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('no digit of a number that came as text is another one in what the caller is told', async () => {
    await fc.assert(
      fc.asyncProperty(
        LITERAL,
        fc.constantFrom('get_payment', 'create_payment', 'update_payment'),
        fc.nat(4),
        fc.nat(),
        async (literal, operation, form, at) => {
          const held = JSON.stringify(literal);
          const params = [
            `{"amount":${held}}`,
            `{"amount":"1","parts":"[${literal}]"}`,
            JSON.stringify(`{"amount":${literal},"account":${literal}}`),
            `{"id":"a","input":${JSON.stringify(`{"amount":${literal}}`)}}`,
            `{"id":${held},"account":${held}}`,
          ][form] as string;
          const isOwn = mode === 'passthrough';
          const request = isOwn ? `{"params":${params}}` : JSON.stringify({ operation, params: JSON.parse(params) });
          const given = JSON.parse(isOwn && form !== 2 ? params : request) as JsonObject;
          const name = isOwn ? operation : (tools[at % tools.length] as string);
          const { content } = await client.callTool({ name, arguments: given });
          const text = (content as { text: string }[]).map((block) => block.text).join('\n');
          const { error } = JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)) as { error?: { details: JsonObject } };
          for (const shown of numbersOf((error?.details['example'] as JsonObject | undefined)?.['arguments']))
            if (shown !== 1) expect([literal, isSame(literal, shown)]).toEqual([literal, true]);
        },
      ),
      { seed: Number(process.env['PROPERTY_SEED'] ?? 1), numRuns: 60 },
    );
  });
});

describe('an example in a refusal', () => {
  let gateway: LiveGateway;
  let client: Client;
  const exampleOf = async (operation: string, params: JsonObject, name = 'mcp_aql') => {
    const { content } = await client.callTool({ name, arguments: { operation, params } });
    const { error } = JSON.parse((content as { text: string }[])[0]?.text ?? '');
    return error.details.example;
  };

  beforeAll(async () => {
    gateway = await openLiveGateway({ ...CONFIG, endpoint: { mode: 'semantic' } });
    client = await gateway.connect('http', 'modern');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('says which number it leaves out, and why', async () => {
    const example = await exampleOf('get_payment', { amount: '1234567890123456789' }, 'mcp_aql_read');
    expect(example.note).toContain("'amount': a number of more digits than can be sent exactly");
    expect((await exampleOf('get_payment', { amount: '12.5' }, 'mcp_aql_read')).arguments.params).toEqual({
      amount: 12.5,
    });
    for (const padded of ['1.10000000000000000', '1234567890123.4500000', '[9007199254740992.000]'])
      expect((await exampleOf('get_payment', { amount: '1', parts: padded }, 'mcp_aql_read')).note).toBeUndefined();
    const padded = await exampleOf('get_payment', { amount: '1.10000000000000000' }, 'mcp_aql_read');
    expect(padded.arguments.params).toEqual({ amount: 1.1 });
  });

  it('of what is no READ fills in nothing that runs, and keeps what was right', async () => {
    const { arguments: args } = await exampleOf(
      'create_user',
      { name: 'ada', mail: 'nowhere', age: '7' },
      'mcp_aql_create',
    );
    expect(args.params).toEqual({ name: 'ada', password: '<password>', mail: '<mail>', age: 7 });
    const payment = await exampleOf('create_payment', { amount: '007' }, 'mcp_aql_create');
    expect(payment.arguments.params).toEqual({ amount: '<amount>' });
  });

  it.each(['mcp_aql_create', 'mcp_aql_read'])('shows no secret, called through %s', async (name) => {
    const example = await exampleOf('create_user', { name: 'ada', password: 'S3cret!', mail: 'a@b', age: 'old' }, name);
    expect(JSON.stringify(example)).not.toContain('S3cret!');
    expect(example.arguments.params).toMatchObject({ name: 'ada', password: '<password>', mail: 'a@b' });
  });
});
