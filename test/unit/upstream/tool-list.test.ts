import { ProtocolError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { readTools } from '../../../src/upstream/tool-list.js';

const pages = (answers: Readonly<Record<string, JsonObject>>) => async (params: JsonObject) =>
  answers[String(params['cursor'] ?? 'first')] ?? {};

describe('readTools', () => {
  it('joins the pages in order', async () => {
    const request = pages({
      first: { tools: [{ name: 'a' }], nextCursor: '2' },
      '2': { tools: [{ name: 'b' }], nextCursor: '3' },
      '3': { tools: [], nextCursor: '' },
    });
    expect(await readTools(request)).toEqual({ tools: [{ name: 'a' }, { name: 'b' }] });
  });

  it('leaves a circle of pages with what it has', async () => {
    const request = pages({
      first: { tools: [{ name: 'a' }], nextCursor: '2' },
      '2': { tools: [{ name: 'b' }], nextCursor: '2' },
    });
    const { tools, diagnostic } = await readTools(request);
    expect(diagnostic).toContain('a page it had already sent');
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('ends an endless list', async () => {
    const next = async (params: JsonObject) => ({
      tools: [{ name: 't' }],
      nextCursor: String(Number(params['cursor'] ?? 0) + 1),
    });
    const { tools, diagnostic } = await readTools(next);
    expect(diagnostic).toContain('more than 1000 pages');
    expect(tools).toHaveLength(1_000);
  });

  it('takes a server that does not know the method for one without tools', async () => {
    const unknown = async (): Promise<JsonObject> =>
      Promise.reject(ProtocolError.fromError(-32601, 'Method not found'));
    expect(await readTools(unknown)).toEqual({ tools: [] });
  });

  it('refuses what is no list', async () => {
    await expect(readTools(async () => ({ tools: 'none' }))).rejects.toThrow('holds no list of tools');
  });
});
