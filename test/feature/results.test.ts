import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';

const EXECUTE = 'mcp_aql_execute';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await hostGateway({
    results: { maxTokens: 0 },
    mcpServers: { behaviour: { ...behaviourServer(), operations: { '*': { category: 'EXECUTE', danger: 'safe' } } } },
  });
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

describe.each(['auto', 'legacy'] as const)('results for a client in mode %s', (mode) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectClient(gateway.url, mode);
  });
  afterAll(() => client?.[Symbol.asyncDispose]());

  it('have structured content as data, and keep _meta', async () => {
    const { success, data, raw } = await client.call(EXECUTE, 'structured');
    expect({ success, data }).toEqual({ success: true, data: { answer: 42 } });
    expect(raw['_meta']).toMatchObject({ 'example.org/kept': true });
    expect(raw['content']).toHaveLength(1);
  });

  it('keep images, audio, links and embedded resources native, and data says where they are', async () => {
    const { data, raw } = await client.call(EXECUTE, 'images');
    expect(data).toEqual({
      content: [
        { type: 'text', text: 'all kinds' },
        { type: 'image', mimeType: 'image/png', block: 1 },
        { type: 'audio', mimeType: 'audio/wav', block: 2 },
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', block: 3 },
        { type: 'resource', uri: 'file:///b.txt', mimeType: 'text/plain', block: 4 },
      ],
    });
    expect((raw['content'] as unknown[]).slice(1)).toEqual([
      { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' },
      { type: 'audio', data: 'YXVkaW8=', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' },
      { type: 'resource', resource: { uri: 'file:///b.txt', mimeType: 'text/plain', text: 'b' } },
    ]);
  });

  it('have plain text as a string, however long', async () => {
    const { data } = await client.call(EXECUTE, 'big', { bytes: 2_000_000 });
    expect(data).toBe('x'.repeat(2_000_000));
  });

  it('report a failed tool in its own words, not as a protocol error', async () => {
    const { success, error, raw } = await client.call(EXECUTE, 'tool_error', { text: 'out of paper' });
    expect({ success, code: error?.code }).toEqual({ success: false, code: 'INTERNAL_ERROR' });
    expect(error?.details).toMatchObject({ upstream_error: 'out of paper' });
    expect(raw['isError']).toBe(true);
  });
});
