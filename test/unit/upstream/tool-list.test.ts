import { ProtocolError } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { coalesce, readTools, withoutTaskTools } from '../../../src/upstream/tool-list.js';

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

describe('withoutTaskTools', () => {
  it('leaves out what can only be called as a task, and says so', () => {
    const noted: string[] = [];
    const tools = [
      { name: 'plain' },
      { name: 'either', execution: { taskSupport: 'optional' } },
      { name: 'research', execution: { taskSupport: 'required' } },
    ];
    expect(withoutTaskTools(tools, (message) => noted.push(message)).map(({ name }) => name)).toEqual([
      'plain',
      'either',
    ]);
    expect(noted).toEqual(["its tool 'research' is left out: it can only be called as a task"]);
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
    changed();
    expect(readings).toBe(1);
    for (let at = 0; at < 3_500; at += 1) {
      changed();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(readings).toBe(3);
    expect(pauses).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(10_000);
    // The last news is read; then the row has ended, and the next change is read at once.
    expect(readings).toBe(4);
    changed();
    expect(readings).toBe(5);
  });
});
