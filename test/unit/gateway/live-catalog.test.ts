import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLiveCatalog } from '../../../src/gateway/live-catalog.js';
import type { Snapshot } from '../../../src/pipeline/snapshot.js';
import { NO_OPERATIONS } from '../../support/no-operations.js';

/** A catalog whose tool list names the upstreams that have sent a list. */
function openCatalog() {
  const changes: string[] = [];
  const catalog = createLiveCatalog(
    ({ toolSets, firstToolSets }): Snapshot => {
      const toolsJson = JSON.stringify([
        [...toolSets].map(({ upstream, tools }) => [upstream, tools.length]),
        firstToolSets.size,
      ]);
      return { ...NO_OPERATIONS, plan: { ...NO_OPERATIONS.plan, toolsJson } };
    },
    (before, after) => changes.push(`${before.plan.toolsJson} -> ${after.plan.toolsJson}`),
  );
  return { catalog, changes };
}

it('the catalog builds one snapshot for all lists of one turn and notifies its listeners once', async () => {
  const { catalog, changes } = openCatalog();
  let notifications = 0;
  const stop = catalog.onToolsChanged(() => {
    notifications += 1;
  });
  const before = catalog.current();
  catalog.offer('a', []);
  catalog.offer('b', [{ name: 't' }]);
  expect(catalog.current()).toBe(before);
  await turn();
  expect(changes).toEqual(['[[],0] -> [[["a",0],["b",1]],2]']);
  expect(notifications).toBe(1);
  stop();
  catalog.offer('a', [{ name: 't' }]);
  catalog.settle();
  expect(changes).toHaveLength(2);
  expect(notifications).toBe(1);
});

it('the catalog notifies no listener of a list that changes nothing for clients', async () => {
  const { catalog, changes } = openCatalog();
  let notifications = 0;
  catalog.offer('a', []);
  catalog.settle();
  catalog.onToolsChanged(() => {
    notifications += 1;
  });
  catalog.offer('a', []);
  await turn();
  expect(changes).toHaveLength(2);
  expect(notifications).toBe(0);
  catalog.offer('a', []);
  catalog.close();
  await turn();
  expect(changes).toHaveLength(2);
});
