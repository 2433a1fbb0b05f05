import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Operation } from '../../../src/base/protocol/operation.js';
import type { KnownCatalog } from '../../../src/gateway/kept-catalog.js';
import { createLiveCatalog } from '../../../src/gateway/live-catalog.js';
import type { Snapshot } from '../../../src/gateway/pipeline/snapshot.js';
import { NO_OPERATIONS } from '../../support/no-operations.js';

type Options = Parameters<typeof createLiveCatalog>[0];
type Offered = Parameters<Options['build']>[0];

/** What yields leaves a turn to others. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await turn();
  }
}

function atOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

function openLive({
  build,
  onChange,
  ...others
}: Omit<Options, 'build' | 'buildFirst' | 'onChange'> & {
  readonly build: (offered: Offered) => Generator<void, Snapshot>;
  readonly onChange: (before: Snapshot, after: Snapshot) => Generator<void, void>;
}) {
  return createLiveCatalog({
    ...others,
    buildFirst: (offered) => atOnce(build(offered)),
    build: (offered) => inTurns(build(offered)),
    onChange: (before, after) => inTurns(onChange(before, after)),
  });
}

/** A catalog whose tool list names the upstreams that have sent a list. */
function openCatalog() {
  const changes: string[] = [];
  const catalog = openLive({
    onDefect: (cause) => expect.unreachable(String(cause)),
    *build({ toolSets, firstToolSets }) {
      const toolsJson = JSON.stringify([
        [...toolSets].map(({ upstream, tools }) => [upstream, tools.length]),
        firstToolSets.size,
      ]);
      return { ...NO_OPERATIONS, plan: { ...NO_OPERATIONS.plan, toolsJson } };
    },
    *onChange(before, after) {
      yield;
      changes.push(`${before.plan.toolsJson} -> ${after.plan.toolsJson}`);
    },
  });
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
  await catalog.settled();
  expect(changes).toEqual(['[[],0] -> [[["a",0],["b",1]],2]']);
  expect(notifications).toBe(1);
  stop();
  catalog.offer('a', [{ name: 't' }]);
  await catalog.settled();
  expect(changes).toHaveLength(2);
  expect(notifications).toBe(1);
});

it('the catalog notifies no listener of a list that changes nothing for clients', async () => {
  const { catalog, changes } = openCatalog();
  let notifications = 0;
  catalog.offer('a', []);
  await catalog.settled();
  catalog.onToolsChanged(() => {
    notifications += 1;
  });
  catalog.offer('a', []);
  await catalog.settled();
  expect(changes).toHaveLength(2);
  expect(notifications).toBe(0);
  catalog.offer('a', []);
  catalog.close();
  await turn();
  expect(changes).toHaveLength(2);
});

/** A catalog whose snapshots give each new name of a list to its upstream, and the inputs that it built from. */
function openNamed(enabled: readonly string[], known?: KnownCatalog) {
  const built: { readonly awaited: readonly string[]; readonly offering: readonly string[] }[] = [];
  const catalog = openLive({
    onDefect: (cause) => expect.unreachable(String(cause)),
    *build({ toolSets, holders, awaited }) {
      built.push({ awaited, offering: toolSets.map(({ upstream }) => upstream) });
      const claims = awaited.length > 0 ? [] : toolSets.map(({ upstream }) => [`of_${upstream}`, [upstream]] as const);
      const catalog = { ...NO_OPERATIONS.catalog, holders: new Map([...holders, ...claims]) };
      return { ...NO_OPERATIONS, catalog };
    },
    *onChange() {
      // Nothing to report.
    },
    enabled,
    ...(known === undefined ? {} : { known }),
  });
  return { catalog, built };
}

it('new names wait for upstreams that have never been seen, until all are or the wait ends', async () => {
  const { catalog, built } = openNamed(['a', 'b', 'c']);
  catalog.offer('a', []);
  await catalog.settled();
  expect(built.at(-1)).toEqual({ awaited: ['b', 'c'], offering: ['a'] });
  expect(catalog.known().holders.size).toBe(0);
  catalog.stopWaitingForKnown();
  await catalog.settled();
  expect(built.at(-1)?.awaited).toEqual(['b', 'c']);
  catalog.giveUpOn('b');
  catalog.giveUpOn('c');
  await catalog.settled();
  expect(built.at(-1)?.awaited).toEqual([]);
  expect(catalog.known().holders).toEqual(new Map([['of_a', ['a']]]));
});

it('an upstream that the last run knew has the time of the start, and offers its last list from then on until it sends a new one', async () => {
  const known = {
    holders: new Map([['old', ['b']]]),
    tools: new Map([
      ['b', [{ name: 'old' }]],
      ['gone', null],
    ]),
  };
  const { catalog, built } = openNamed(['a', 'b'], known);
  expect(built).toEqual([{ awaited: ['a', 'b'], offering: [] }]);
  catalog.stopWaitingForKnown();
  await catalog.settled();
  expect(built.at(-1)).toEqual({ awaited: ['a'], offering: ['b'] });
  expect(catalog.toolSets()).toEqual([]);
  catalog.offer('b', []);
  catalog.offer('a', []);
  await catalog.settled();
  expect(built.at(-1)).toEqual({ awaited: [], offering: ['b', 'a'] });
  expect(catalog.known().holders.get('old')).toEqual(['b']);
  expect([...catalog.known().tools]).toEqual([
    ['b', []],
    ['gone', null],
    ['a', []],
  ]);
});

it('of two upstreams of an earlier run that offer one new name, neither gets it by listing its tools first', async () => {
  const known = {
    holders: new Map(),
    tools: new Map([
      ['a', []],
      ['b', []],
    ]),
  };
  const { catalog, built } = openNamed(['a', 'b'], known);
  catalog.offer('b', []);
  await catalog.settled();
  expect(built.at(-1)?.awaited).toEqual(['a']);
  expect(catalog.known().holders.size).toBe(0);
  catalog.offer('a', []);
  await catalog.settled();
  expect(built.at(-1)?.awaited).toEqual([]);
});

/** A catalog whose rebuilds stop so often, and how often they began. */
function openSlow(stops: number) {
  let begun = 0;
  const catalog = openLive({
    onDefect: (cause) => expect.unreachable(String(cause)),
    *build({ toolSets }) {
      begun += 1;
      for (let stop = 0; stop < stops; stop += 1) yield;
      const toolsJson = JSON.stringify(toolSets.map(({ tools }) => tools.length));
      return { ...NO_OPERATIONS, plan: { ...NO_OPERATIONS.plan, toolsJson } };
    },
    *onChange() {
      // Nothing to report.
    },
  });
  return { catalog, begun: () => begun };
}

it('a rebuild goes on in turns, and the old snapshot stays until it ends', async () => {
  const { catalog } = openSlow(5);
  const before = catalog.current();
  catalog.offer('a', [{ name: 't' }]);
  await turn();
  expect(catalog.current()).toBe(before);
  await catalog.settled();
  expect(catalog.current().plan.toolsJson).toBe('[1]');
});

it('however many lists come during a rebuild, one more follows', async () => {
  const { catalog, begun } = openSlow(5);
  catalog.offer('a', []);
  await turn();
  for (let count = 1; count <= 100; count += 1)
    catalog.offer(
      'a',
      Array.from({ length: count }, () => ({ name: 't' })),
    );
  await catalog.settled();
  expect(catalog.current().plan.toolsJson).toBe('[100]');
  expect(begun()).toBe(3);
});

it('a call whose tool a rebuild may change waits for its end, with the newest lists', async () => {
  const { catalog } = openSlow(5);
  catalog.offer('a', []);
  await turn();
  catalog.offer('a', [{ name: 't' }]);
  const before = catalog.current();
  const settled = catalog.currentFor({ upstream: 'a', tool: 't' });
  expect(catalog.current()).toBe(before);
  expect((await settled).plan.toolsJson).toBe('[1]');
  await catalog.settled();
  expect(catalog.current().plan.toolsJson).toBe('[1]');
});

it.each([
  ['same', false],
  ['changed', true],
  ['gone', true],
  ['twice', true],
])(
  'a rebuild under way is waited for by calls of a tool whose definition it may change: %s',
  async (name, isAwaited) => {
    const { catalog } = openSlow(5);
    const tool = (called: string, description: string) => ({ name: called, description });
    catalog.offer('a', [tool('same', 'x'), tool('changed', 'x'), tool('gone', 'x')]);
    await catalog.settled();
    const before = catalog.current();
    catalog.offer('a', [tool('same', 'x'), tool('changed', 'y'), tool('twice', 'x'), tool('twice', 'x')]);
    expect(catalog.currentFor({ upstream: 'b', tool: name })).toBe(before);
    expect(catalog.currentFor({ upstream: 'a', tool: name }) === before).toBe(!isAwaited);
    expect((await catalog.currentFor({ upstream: 'a', tool: name })) === before).toBe(!isAwaited);
  },
);

it('a call that waits for a rebuild goes on with the snapshot before it where it cannot be built, or the gateway closes', async () => {
  let defects = 0;
  const open = (isBuilt: boolean) =>
    openLive({
      *build({ toolSets }) {
        yield;
        if (!isBuilt && toolSets.length > 0) throw new Error('cannot be built');
        return { ...NO_OPERATIONS };
      },
      *onChange() {
        // Nothing to report.
      },
      onDefect: () => {
        defects += 1;
      },
    });
  const [broken, closing] = [open(false), open(true)];
  for (const catalog of [broken, closing]) {
    const before = catalog.current();
    catalog.offer('a', [{ name: 't' }]);
    const current = catalog.currentFor({ upstream: 'a', tool: 't' });
    if (catalog === closing) catalog.close();
    expect(await current).toBe(before);
  }
  expect(defects).toBe(1);
});

it('new names wait for every upstream without a list, but for one that cannot be started', async () => {
  const awaitedSeen: (readonly string[])[] = [];
  const catalog = openLive({
    *build({ awaited }) {
      awaitedSeen.push(awaited);
      yield;
      return NO_OPERATIONS;
    },
    *onChange() {
      // Nothing to report.
    },
    onDefect: (cause) => expect.unreachable(String(cause)),
    enabled: ['a', 'broken', 'slow'],
  });
  catalog.offer('a', []);
  catalog.giveUpOn('broken');
  await catalog.settled();
  catalog.giveUpOn('broken');
  catalog.offer('slow', []);
  await catalog.settled();
  expect(awaitedSeen).toEqual([['a', 'broken', 'slow'], ['slow'], []]);
});

/** A catalog that finds the operations that are called as the tools of its lists, after so many stops; and its reports. */
function openFinding(stops: number, known?: KnownCatalog) {
  const reports: string[] = [];
  const catalog = openLive({
    onDefect: (cause) => expect.unreachable(String(cause)),
    *build({ toolSets }) {
      for (let stop = 0; stop < stops; stop += 1) yield;
      const names = new Set(toolSets.flatMap(({ tools }) => tools.map(({ name }) => name)));
      const find = (name: string): Operation | undefined =>
        names.has(name) ? ({ name } as unknown as Operation) : undefined;
      return { ...NO_OPERATIONS, catalog: { ...NO_OPERATIONS.catalog, find } };
    },
    *onChange(before, after) {
      for (let stop = 0; stop < stops; stop += 1) yield;
      reports.push(`${before.catalog.find('old')?.name} -> ${after.catalog.find('old')?.name}`);
    },
    enabled: ['a', 'b'],
    ...(known === undefined ? {} : { known }),
  });
  return { catalog, reports };
}

it('a call that names nothing known waits while the first list of an upstream is read, as does what is about all operations', async () => {
  const { catalog } = openFinding(5);
  expect(catalog.currentOf(() => ['none'])).toBe(catalog.current());
  catalog.offer('a', [{ name: 'old' }]);
  const snapshot = await catalog.currentOf(() => ['old']);
  expect(snapshot.catalog.find('old')).toBeDefined();
  expect(catalog.currentOf(() => ['none'])).toBe(snapshot);
  expect(catalog.currentOfAll()).toBe(snapshot);
  catalog.offer('b', [{ name: 'new' }]);
  expect(catalog.currentOf(() => ['old'])).toBe(snapshot);
  expect(catalog.currentOfAll()).toBeInstanceOf(Promise);
  expect((await catalog.currentOf(() => ['old', 'new'])).catalog.find('new')).toBeDefined();
  catalog.offer('b', []);
  expect(catalog.currentOf(() => ['none'])).toBe(catalog.current());
});

it('a call waits no longer when the catalog is closed', async () => {
  const { catalog } = openFinding(5);
  catalog.offer('a', [{ name: 'old' }]);
  const waiting = catalog.currentOf(() => ['old']);
  catalog.close();
  expect(await waiting).toBe(catalog.current());
});

it('a call that names an operation of the last run waits for it once its upstream has had the time of the start', async () => {
  const { catalog } = openFinding(5, { holders: new Map(), tools: new Map([['a', [{ name: 'old' }]]]) });
  catalog.stopWaitingForKnown();
  expect((await catalog.currentOf(() => ['old'])).catalog.find('old')).toBeDefined();
});

it('a call that names what an upstream has new since the last run waits for the first list of this one', async () => {
  const { catalog } = openFinding(5, { holders: new Map(), tools: new Map([['a', [{ name: 'old' }]]]) });
  catalog.stopWaitingForKnown();
  await catalog.settled();
  catalog.offer('a', [{ name: 'old' }, { name: 'new' }]);
  expect(catalog.lacks('a')).toBe(true);
  expect(catalog.currentOf(() => ['old'])).toBe(catalog.current());
  expect((await catalog.currentOf(() => ['new'])).catalog.find('new')).toBeDefined();
  expect(catalog.lacks('a')).toBe(false);
});

it('each change is reported in turns and in order, whatever lists come meanwhile', async () => {
  const { catalog, reports } = openFinding(5);
  catalog.offer('a', [{ name: 'old' }]);
  await catalog.currentOf(() => ['old']);
  expect(reports).toEqual([]);
  catalog.offer('a', []);
  expect((await catalog.currentFor({ upstream: 'a', tool: 'old' })).catalog.find('old')).toBeUndefined();
  await catalog.settled();
  expect(reports).toEqual(['undefined -> old', 'old -> undefined']);
});

it('a list of which no snapshot can be built leaves the one before it, and later lists are built', async () => {
  const defects: unknown[] = [];
  const catalog = openLive({
    *build({ toolSets }) {
      yield;
      if (toolSets.some(({ tools }) => tools.length === 1)) throw new Error('cannot be built');
      const toolsJson = JSON.stringify(toolSets.map(({ tools }) => tools.length));
      return { ...NO_OPERATIONS, plan: { ...NO_OPERATIONS.plan, toolsJson } };
    },
    *onChange() {
      // Nothing to report.
    },
    onDefect: (cause) => defects.push(cause),
  });
  const before = catalog.current();
  catalog.offer('a', [{ name: 't' }]);
  expect(await catalog.currentOf(() => ['t'])).toBe(before);
  await catalog.settled();
  expect(defects).toEqual([new Error('cannot be built')]);
  catalog.offer('a', []);
  await catalog.settled();
  expect(catalog.current().plan.toolsJson).toBe('[0]');
});
