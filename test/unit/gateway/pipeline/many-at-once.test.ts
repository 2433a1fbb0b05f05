import { describe, expect, it, vi } from 'vitest';
import { TURN_WORK, turns } from '../../../../src/base/turns/turns.js';
import { openCapturedGateway, readCapturedLists } from '../../../../src/gateway/captured-gateway.js';
import { COMPARE_WORK } from '../../../../src/gateway/pipeline/not-found.js';
import { charactersOf, takeTurn } from '../../../../src/gateway/pipeline/shape.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { FAKE_CRUDE } from '../../catalog/endpoint/fake-catalog.js';

/** Starts all at once; how many of them end in each turn of the event loop. */
async function endsByTurn(count: number, begin: (index: number) => Promise<unknown>): Promise<readonly number[]> {
  const ends: number[] = [];
  let open = count;
  let ended = 0;
  for (let index = 0; index < count; index += 1)
    void begin(index).finally(() => {
      ended += 1;
      open -= 1;
    });
  while (open > 0) {
    ended = 0;
    await new Promise(setImmediate);
    ends.push(ended);
  }
  return ends;
}

describe('much that comes at once', () => {
  it('compares few unknown names with what there is in one turn', async () => {
    const tools = ['list_issues', 'get_issue'].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: {} },
    }));
    const lists = readCapturedLists([{ name: 'forge', json: { tools } }], []);
    const { config } = createFakeGateway();
    const endpoint = { ...config.endpoint, profile: FAKE_CRUDE };
    const gateway = openCapturedGateway({ ...config, endpoint, upstreams: lists.upstreams }, lists.toolSets);
    const tool = (await gateway.toolList()).tools[0]?.name ?? '';
    const call = (index: number) => {
      const caller = { sessionId: 'session', clientName: 'test', transport: 'cli' } as const;
      const request = { tool, arguments: { operation: `list_isues_${index}` }, caller };
      return gateway.handle(request as Parameters<typeof gateway.handle>[0]);
    };
    expect(JSON.parse((await call(0)).text).error.code).toMatch(/^NOT_FOUND/);
    const spent = vi.spyOn(turns, 'spend');
    const byTurn: number[] = [];
    const all = Promise.all(Array.from({ length: 60 }, (_, index) => call(index)));
    for (let sum = 0; sum < 60 && byTurn.length < 10_000; sum += byTurn.at(-1) ?? 0) {
      await new Promise(setImmediate);
      byTurn.push(spent.mock.calls.filter(([units]) => units === COMPARE_WORK).length);
      spent.mockClear();
    }
    await all;
    spent.mockRestore();
    expect(byTurn.reduce((sum, one) => sum + one)).toBe(60);
    // Those of two turns may fall between two looks.
    expect(Math.max(...byTurn)).toBeLessThan((2 * TURN_WORK) / COMPARE_WORK);
  });

  it('reads few large answers of structured content in one turn', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const answer = { content: [], structuredContent: { items: rows } };
    const characters = charactersOf(answer);
    const ends = await endsByTurn(40, async () => {
      await takeTurn(characters);
    });
    expect(Math.max(...ends)).toBeLessThanOrEqual(20);
    expect(ends.filter((one) => one > 0).length).toBeGreaterThanOrEqual(3);
  });
});
