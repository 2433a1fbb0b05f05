import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

/** A server whose parameters have the names of the gateway's metadata. */
const TOOLS = `Object.fromEntries(['get_form', 'delete_form'].map((name) => [name, {
  tool: {
    name,
    annotations: name === 'get_form' ? { readOnlyHint: true } : {},
    inputSchema: {
      type: 'object',
      properties: { _confirmation: {}, _quota_continue: {}, _execution: {}, _fields: {}, _id: { type: 'string' } },
    },
  },
  run: (args) => ({ content: [{ type: 'text', text: JSON.stringify({ got: args }) }] }),
}]))`;

const OWN = {
  _confirmation: 'yes, I am sure',
  _quota_continue: 7,
  _execution: { mode: 'fast' },
  _fields: ['a'],
  _id: 'x',
};

describe.each(['single', 'passthrough'] as const)('in %s mode', (mode) => {
  let gateway: LiveGateway;
  let call: (operation: string, params: object, beside?: object) => Promise<Answer>;

  beforeAll(async () => {
    gateway = await openLiveGateway({ endpoint: { mode }, mcpServers: { forms: inlineServer(TOOLS) } });
    const client = await gateway.connect('http', 'modern');
    call = async (operation, params, beside = {}) => {
      const request =
        mode === 'single'
          ? { name: 'mcp_aql', arguments: { operation, params, ...beside } }
          : { name: operation, arguments: { ...params } };
      const { content } = await client.callTool(request);
      return JSON.parse((content as { text: string }[])[0]?.text ?? '') as Answer;
    };
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it("a server's own parameters with the names of metadata reach it under its own spelling", async () => {
    const answer = await call('get_form', OWN);
    expect(answer.got ?? answer.data?.got).toEqual(OWN);
    const alone = await call('get_form', { _confirmation: 'no' });
    expect(alone.got ?? alone.data?.got).toEqual({ _confirmation: 'no' });
  });

  it('a token is a token there all the same', async () => {
    const asked = await call('delete_form', OWN);
    expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
    const confirmed = await call('delete_form', { _confirmation: asked.error?.details['confirmation_token'] });
    expect(confirmed.got ?? confirmed.data?.got).toEqual(OWN);
  });

  it.runIf(mode === 'single')('a misspelt one is refused beside params as inside', async () => {
    for (const name of ['_exection', '_confirmaton', '_quota_continued']) {
      const inside = await call('get_form', { [name]: 'x' });
      expect(inside.error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM', details: { unknown_params: [name] } });
      expect((await call('get_form', {}, { [name]: 'x' })).error).toEqual(inside.error);
    }
    expect(await call('get_form', {}, { _request_id: '1' })).toMatchObject({ success: true });
  });
});

interface Answer {
  readonly got?: object;
  readonly data?: { readonly got: object };
  readonly error?: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
}
