import { ProtocolError } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import { coalesce, readDefinitions, readTools, type ToolMemory } from '../../../src/upstream/tool-list.js';

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

  it('reads no more tools than the largest catalog has, in pages of any length', async () => {
    const some = Array.from({ length: 150_000 }, (_, index) => ({ name: `t${index}` }));
    const { tools, diagnostic } = await readTools(pages({ first: { tools: some } }));
    expect(tools).toHaveLength(50_000);
    expect(diagnostic).toBe("its 'tools/list' has 50000 tools or more; the rest was not read");
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

describe('readDefinitions', () => {
  const judge = { isUsable: () => true, onDiagnostic: () => undefined };

  it('hands over the object of the last list where a definition is the same in every character', async () => {
    const memory: ToolMemory = new Map();
    const read = (...tools: readonly RawTool[]) => readDefinitions(tools, memory, judge);
    const first = await read({ name: 'a', inputSchema: { type: 'object' } }, { name: 'b' });
    const second = await read({ name: 'b' }, { name: 'a', inputSchema: { type: 'object', required: [] } });
    expect(second.usable[0]).toBe(first.usable[1]);
    expect(second.usable[1]).not.toBe(first.usable[0]);
    expect(second.digest).not.toBe(first.digest);
    const third = await read({ name: 'b' }, { name: 'a', inputSchema: { type: 'object', required: [] } });
    expect(third).toEqual(second);
    // Only the last list is remembered.
    expect(memory.size).toBe(2);
  });

  it('leaves out what it is said to, and definitions that no model could read', async () => {
    const noted: string[] = [];
    const tools = [{ name: 'a' }, { name: 'b' }, { name: 'c', description: 'x'.repeat(1_000_001) }, null as never];
    const isUsable = (tool: RawTool): boolean => tool?.['name'] !== 'b';
    const onDiagnostic = (message: string): void => void noted.push(message);
    const { usable } = await readDefinitions(tools, new Map(), { isUsable, onDiagnostic });
    expect(usable).toEqual([tools[0], null]);
    expect(noted).toEqual(["its tool 'c' is left out: its definition has more than 128000 characters"]);
  });
});

describe('a server that says again and again that its list has changed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is read at once, then once a second at most, then ever more rarely', async () => {
    let readings = 0;
    const pauses: number[] = [];
    const changed = coalesce(
      async () => {
        readings += 1;
      },
      {
        onFailure: () => undefined,
        pauseOf: (row) => {
          pauses.push(row);
          return 1_000 * row;
        },
      },
    );
    changed.note();
    expect(readings).toBe(1);
    for (let at = 0; at < 3_500; at += 1) {
      changed.note();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(readings).toBe(3);
    expect(pauses).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(10_000);
    // The last news is read; then the row has ended, and the next change is read at once.
    expect(readings).toBe(4);
    changed.note();
    expect(readings).toBe(5);
  });
});
