import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const run = "(args) => ({ content: [{ type: 'text', text: 'ran with ' + JSON.stringify(args) }] })";
const text = "{ type: 'string' }";

/** Servers in some languages take `ACTION` for `action`, and the last of them counts. */
const notes = inlineServer(`{
  manage_note: { tool: { inputSchema: { type: 'object', properties: { action: { enum: ['list', 'create'] }, note_id: ${text} }, required: ['action'] } }, run: ${run} },
  get_note: { tool: { inputSchema: { type: 'object', properties: { noteId: ${text} }, additionalProperties: true }, annotations: { readOnlyHint: true } }, run: ${run} },
}`);

const rules = [{ match: { operation: 'get_note', params: { note_id: { equals: 'secret' } } }, decision: 'deny' }];
const configOf = (mode: string) => ({ endpoint: { mode }, policy: { readOnly: true, rules }, mcpServers: { notes } });

it.each([
  ['manage_note', { action: 'list', ACTION: 'create' }],
  ['manage_note', { action: 'list', Action: 'create' }],
  ['manage_note', { action: 'list', ａction: 'create' }],
  ['get_note', { NOTEID: 'secret' }],
  ['get_note', { noteId: 'open', NoteId: 'secret' }],
])('passes no second spelling of a parameter to a tool that is passed through (%s %j)', async (name, args) => {
  await using gateway = await hostGateway(configOf('passthrough'));
  await using client = await connectClient(gateway.url);
  expect(await client.callTool(name, args)).toMatchObject({
    success: false,
    error: {
      code: 'VALIDATION_UNKNOWN_PARAM',
      message: expect.stringMatching(/did you mean '(?:action|noteId)'/),
    },
  });
});

it('nor to an operation that takes further parameters, which others reach', async () => {
  await using gateway = await hostGateway(configOf('single'));
  await using client = await connectClient(gateway.url);
  for (const params of [{ NOTEID: 'secret' }, { note_id: 'open', NoteID: 'secret' }]) {
    expect(await client.call('mcp_aql', 'get_note', params)).toMatchObject({
      error: { code: 'VALIDATION_UNKNOWN_PARAM', message: expect.stringContaining("did you mean 'note_id'") },
    });
  }
  const answer = await client.call('mcp_aql', 'get_note', { noteId: 'open', colour: 'red' });
  expect(answer.data).toBe('ran with {"noteId":"open","colour":"red"}');
});
