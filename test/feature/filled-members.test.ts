import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const TOOLS = `{
  get_note: {
    tool: {
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    },
    run: ({ id = 'none' }) => ({ content: [{ type: 'text', text: JSON.stringify({ note: id }) }] }),
  },
}`;

const EMPTY: readonly unknown[] = [null, '', [], {}];

const MEMBERS: Readonly<Record<string, unknown>> = {
  operation: 'get_note',
  params: { id: 'a' },
  operations: [{ operation: 'get_note', params: { id: 'b' } }],
};

/** Every choice of members that say something, with every way to leave the others out or to fill them. */
function allRequests(): readonly { readonly filled: JsonObject; readonly plain: JsonObject }[] {
  return Object.entries(MEMBERS).reduce(
    (requests, [name, value]) =>
      requests.flatMap(({ filled, plain }) => [
        { filled, plain },
        { filled: { ...filled, [name]: value }, plain: { ...plain, [name]: value } },
        ...EMPTY.map((empty) => ({ filled: { ...filled, [name]: empty }, plain })),
      ]),
    [{ filled: {} as JsonObject, plain: {} as JsonObject }],
  );
}

describe.each(['single', 'semantic'] as const)('in %s mode, null, "", [] and {}', (mode) => {
  let gateway: LiveGateway;
  let ask: (request: JsonObject) => Promise<JsonObject>;
  const tool = mode === 'single' ? 'mcp_aql' : 'mcp_aql_read';

  beforeAll(async () => {
    gateway = await openLiveGateway({ endpoint: { mode }, mcpServers: { notes: inlineServer(TOOLS) } });
    const client = await gateway.connect('http', 'modern');
    ask = async (request) => {
      const { content } = await client.callTool({ name: tool, arguments: request });
      return JSON.parse((content as { text: string }[])[0]?.text ?? '') as JsonObject;
    };
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('of operation, params and operations say what leaving them out says, whatever the others are', async () => {
    const answers = new Map<string, JsonObject>();
    for (const { filled, plain } of allRequests()) {
      const key = JSON.stringify(plain);
      const expected = answers.get(key) ?? (await ask(plain));
      answers.set(key, expected);
      expect(await ask(filled), JSON.stringify(filled)).toEqual(expected);
    }
    expect(answers.size).toBe(8);
  });

  it('say it in the items of a batch, too', async () => {
    const items = allRequests().map(({ filled }) => filled);
    const named = items.filter(({ operation, operations }) => operation === 'get_note' && !isList(operations));
    const { results } = (await ask({ operations: named })) as { results: { result: JsonObject }[] };
    expect(results).toHaveLength(5 * 6);
    const notes = results.map(({ result }) => (result['data'] as JsonObject | undefined)?.['note']);
    expect(new Set(notes)).toEqual(new Set(['a', 'none']));
  });

  it('leave two members that both say something a contradiction', async () => {
    const { operation, params, operations } = MEMBERS;
    expect(await ask({ operation, operations })).toMatchObject({
      error: { code: 'VALIDATION_UNKNOWN_PARAM', details: { unknown_params: ['operations'] } },
    });
    expect(await ask({ params, operations })).toMatchObject({ error: { code: 'VALIDATION_UNKNOWN_PARAM' } });
  });
});

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
