import { describe, expect, it, vi } from 'vitest';
import { TURN_WORK, turns } from '../../../../src/base/turns/turns.js';
import { SEARCH_WORK, searchOperations } from '../../../../src/catalog/search/search.js';
import { fakeCatalog, fakeOperation } from '../endpoint/fake-catalog.js';

describe('many searches that wait for the index', () => {
  it('go on in turns of the event loop in which few of them begin', async () => {
    const catalog = fakeCatalog(Array.from({ length: 20 }, (_, id) => fakeOperation(`list_thing_${id}`)));
    const spent = vi.spyOn(turns, 'spend');
    const byTurn: number[] = [];
    let open = 40;
    const all = Array.from({ length: open }, (_, id) =>
      searchOperations(catalog, `things of kind ${id}`).finally(() => {
        open -= 1;
      }),
    );
    while (open > 0) {
      await new Promise(setImmediate);
      byTurn.push(spent.mock.calls.filter(([units]) => units === SEARCH_WORK).length);
      spent.mockClear();
    }
    await Promise.all(all);
    spent.mockRestore();
    expect(byTurn.reduce((sum, one) => sum + one, 0)).toBe(40);
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(Math.ceil(TURN_WORK / SEARCH_WORK));
  });
});
