import { describe, expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { waitFor } from '../support/patience.js';

const READS =
  '{ inputSchema: { type: "object", properties: { answer: {}, of: {} } }, annotations: { readOnlyHint: true } }';

/** A server that takes its tool `get_note` out without a word, and then answers its calls as it was told to. */
const SERVER = `{
  retire: { tool: ${READS}, run: ({ answer }, server) => {
    server.tools = server.tools.filter(({ name }) => name !== 'get_note');
    server.answer = answer;
    return { content: [] };
  } },
  get_note: { tool: ${READS}, run: ({}, { answer }) => answer },
}`;

const error = (code: number, message: string) => ({ error: { code, message } });
const text = (words: string) => ({ isError: true, content: [{ type: 'text', text: words }] });

const open = (endpoint: object = { mode: 'single' }) =>
  openLiveGateway({
    endpoint,
    mcpServers: { notes: inlineServer(SERVER, { operations: { retire: { category: 'EXECUTE', danger: 'safe' } } }) },
  });

/** What a call of the tool brings first once it is gone. */
async function denied(answer: object, params: object = {}) {
  const live = await open();
  const client = await live.connect('http', 'modern');
  await live.call(client, 'retire', { answer });
  const first = await live.call(client, 'get_note', { ...params });
  return { live, client, error: first.error };
}

describe('a tool that its server does not have any more', () => {
  it.each([
    ['the error of MCP', error(-32602, 'Unknown tool: get_note')],
    ['an error of a library', error(-32602, "tool 'get_note' not found: tool not found")],
    ['an internal error', error(-32603, 'Unknown tool: get_note')],
    ['an error of an older library', error(-32601, 'MCP error -32601: Tool not found: get_note')],
    ['a failed result', text('Unknown tool: get_note')],
    ['a failed result of a newer library', text('MCP error -32602: Tool get_note not found')],
  ])('is unknown where it says so by %s, and its list is read anew', async (_by, answer) => {
    const { live, client, error } = await denied(answer);
    await using _live = live;
    expect(error).toMatchObject({
      code: 'NOT_FOUND_OPERATION',
      message: expect.stringContaining('see introspect for the present one'),
    });
    await waitFor(async () => {
      const { error } = await live.call(client, 'get_note');
      expect(error?.message).toContain('Unknown operation');
    });
  });

  it.each([
    ['names another tool', error(-32602, 'Unknown tool: get_notes')],
    ['says more than that', text('Saved 3 notes. Unknown tool: get_note')],
    ['has a code of its own', error(-32000, 'Unknown tool: get_note')],
    ['names none', error(-32602, 'Tool not found')],
  ])('may have run where the answer %s', async (_what, answer) => {
    const { live, error } = await denied(answer);
    await using _live = live;
    expect(error?.details?.['upstream_error']).toBeDefined();
    expect(error?.code).not.toBe('NOT_FOUND_OPERATION');
  });

  it('may be one that an argument names, where a tool runs others', async () => {
    const { live, error } = await denied(text('Unknown tool: get_note'), { of: 'get_note' });
    await using _live = live;
    expect(error?.code).not.toBe('NOT_FOUND_OPERATION');
  });

  it('is told in its server’s own words in passthrough, and its list is read anew', async () => {
    await using live = await open({ mode: 'passthrough', passthrough: true });
    const client = await live.connect('http', 'modern');
    const answer = text('Unknown tool: get_note');
    await client.callTool({ name: 'retire', arguments: { answer } });
    expect(await client.callTool({ name: 'get_note', arguments: {} })).toMatchObject(answer);
    await waitFor(async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).not.toContain('get_note');
    });
  });
});
