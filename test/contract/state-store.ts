import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collection, type StateStore, StoreError } from '../../src/store/state-store.js';

/** A store under test and its clock. */
export interface StoreFixture {
  /** Opens a store that has none of the keys of this test. */
  open(now: () => number): Promise<StateStore>;
  /** Whether others may write to it, so that there is no telling how much there is of a collection. */
  readonly isOpenToOthers?: boolean;
}

const MINUTE = 60_000;
const VALUE = { owner: 'alice' };

/** Adds to one counter. */
export async function increment(
  store: StateStore,
  counter: string,
  by: number,
  options: { readonly expiresAt: number; readonly limit?: number },
): Promise<{ readonly value: number; readonly added: boolean }> {
  const { values, added } = await store.increment([{ counter, by, ...options }]);
  return { value: values[0] as number, added };
}

/** The contract of every state store. */
export function describeStateStore(name: string, fixture: StoreFixture): void {
  describe(`${name}: the state store's contract`, () => {
    let now = Date.now();
    let serial = 0;
    let store: StateStore;

    beforeAll(async () => {
      store = await fixture.open(() => now);
    });
    afterAll(() => store.close());

    /** Names that no other test uses, so that the tests of this file can share one store. */
    const fresh = (stem: string) => `${stem}-${serial++}`;
    const soon = () => ({ expiresAt: now + MINUTE });
    const keysOf = async (collection: Collection) => (await store.list(collection)).map(({ key }) => key);

    describe('a record', () => {
      it('is returned as it was inserted', async () => {
        const key = fresh('key');
        expect(await store.insert('token', key, VALUE, soon())).toBe(true);
        expect(await store.get('token', key)).toEqual({ key, value: VALUE, version: expect.any(Number) });
      });

      it('is undefined for a key that was never inserted', async () => {
        const key = fresh('key');
        expect(await store.get('token', key)).toBeUndefined();
        expect(await store.replace('token', key, 1, VALUE)).toBe(false);
        expect(await store.remove('token', key)).toBe(false);
      });

      it('is not replaced by an insert with its key', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        expect(await store.insert('token', key, { owner: 'mallory' }, soon())).toBe(false);
        expect((await store.get('token', key))?.value).toEqual(VALUE);
      });

      it('belongs to one collection', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        expect(await store.get('approval', key)).toBeUndefined();
        expect(await store.insert('approval', key, { other: true }, soon())).toBe(true);
        expect(await store.remove('approval', key)).toBe(true);
        expect((await store.get('token', key))?.value).toEqual(VALUE);
      });

      it('is removed once', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        expect(await store.remove('token', key)).toBe(true);
        expect(await store.get('token', key)).toBeUndefined();
        expect(await store.remove('token', key)).toBe(false);
        expect(await store.insert('token', key, VALUE, soon())).toBe(true);
      });

      it('does not change with the object that was passed in or out', async () => {
        const key = fresh('key');
        const value = { list: ['one'] };
        await store.insert('token', key, value, soon());
        value.list.push('two');
        const found = (await store.get('token', key))!;
        (found.value['list'] as string[]).push('three');
        expect((await store.get('token', key))?.value).toEqual({ list: ['one'] });
      });

      it('keeps any JSON object unchanged', async () => {
        const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), {
          noNullPrototype: true,
        });
        await fc.assert(
          fc.asyncProperty(json, async (value) => {
            const key = fresh('json');
            await store.insert('token', key, value, soon());
            expect(JSON.stringify((await store.get('token', key))?.value)).toBe(JSON.stringify(value));
          }),
          { numRuns: 100 },
        );
      });

      it.each([
        ['an empty object', {}],
        ['empty lists and objects', { list: [], object: {}, none: null }],
        [
          'numbers at the edge',
          { max: Number.MAX_SAFE_INTEGER, tiny: 5e-324, huge: 1.7976931348623157e308, third: 1 / 3 },
        ],
        ['text beyond ASCII', { 'ключ 🔑': 'naïve \u0000 \u2028 \ud800 "quoted" \\' }],
        ['a large text', { text: 'x'.repeat(200_000) }],
      ])('keeps %s', async (_, value) => {
        const key = fresh('json');
        await store.insert('approval', key, value, soon());
        expect((await store.get('approval', key))?.value).toEqual(value);
      });

      it.each(['with space', 'a:b}{c', "it's", 'ключ', '%_*?[x]'])('may have the key and tag %j', async (text) => {
        const key = fresh(text);
        await store.insert('token', key, VALUE, { ...soon(), tag: key });
        expect((await store.get('token', key))?.key).toBe(key);
        expect(await keysOf('token')).toContain(key);
        expect(await store.removeTagged('token', key)).toEqual([key]);
      });
    });

    describe('replace', () => {
      it('changes the value and the version, and nothing else', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, { ...soon(), tag: key });
        const before = await store.get('token', key);
        expect(await store.replace('token', key, before!.version, { owner: 'bob' })).toBe(true);
        const after = await store.get('token', key);
        expect(after?.value).toEqual({ owner: 'bob' });
        expect(after?.version).toBeGreaterThan(before!.version);
        expect(await store.removeTagged('token', key)).toEqual([key]);
      });

      it('refuses a version that is no longer the record', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        const { version } = (await store.get('token', key))!;
        await store.replace('token', key, version, { turn: 1 });
        expect(await store.replace('token', key, version, { turn: 2 })).toBe(false);
        expect((await store.get('token', key))?.value).toEqual({ turn: 1 });
      });

      it('refuses the version of a removed record for its successor', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        const { version } = (await store.get('token', key))!;
        await store.remove('token', key);
        await store.insert('token', key, VALUE, soon());
        expect(await store.replace('token', key, version, { owner: 'mallory' })).toBe(false);
      });

      it('succeeds once of a hundred simultaneous attempts', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        const { version } = (await store.get('token', key))!;
        const attempts = Array.from({ length: 100 }, (_, attempt) => store.replace('token', key, version, { attempt }));
        const outcomes = await Promise.all(attempts);
        const winner = outcomes.indexOf(true);
        expect(outcomes.filter(Boolean)).toHaveLength(1);
        expect((await store.get('token', key))?.value).toEqual({ attempt: winner });
      });

      it('leaves the expiry as it was', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, soon());
        const { version } = (await store.get('token', key))!;
        now += MINUTE / 2;
        await store.replace('token', key, version, { owner: 'bob' });
        now += MINUTE / 2;
        expect(await store.get('token', key)).toBeUndefined();
      });
    });

    describe('the expiry of a record', () => {
      const found = async (key: string, version: number) => ({
        get: (await store.get('token', key)) !== undefined,
        list: (await keysOf('token')).includes(key),
        replace: await store.replace('token', key, version, VALUE),
      });

      it('hides it from the moment it expires', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, { ...soon(), tag: key });
        const { version } = (await store.get('token', key))!;
        now += MINUTE - 1;
        expect(await found(key, version)).toEqual({ get: true, list: true, replace: true });
        now += 1;
        expect(await found(key, version + 1)).toEqual({ get: false, list: false, replace: false });
        expect(await store.removeTagged('token', key)).toEqual([]);
        expect(await store.remove('token', key)).toBe(false);
      });

      it('frees the key', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, { ...soon(), tag: 'old' });
        now += MINUTE;
        expect(await store.insert('token', key, { owner: 'bob' }, { ...soon(), tag: 'new' })).toBe(true);
        expect(await store.removeTagged('token', 'old')).toEqual([]);
        expect((await store.get('token', key))?.value).toEqual({ owner: 'bob' });
        expect(await store.insert('token', key, VALUE, soon())).toBe(false);
      });

      it('applies to a record that is expired when it is inserted', async () => {
        const key = fresh('key');
        await store.insert('token', key, VALUE, { expiresAt: now - MINUTE, tag: key });
        expect(await found(key, 1)).toEqual({ get: false, list: false, replace: false });
        expect(await store.remove('token', key)).toBe(false);
        expect(await store.insert('token', key, VALUE, soon())).toBe(true);
        expect(await store.get('token', key)).toBeDefined();
      });

      it('is not changed by a purge', async () => {
        const [short, long, counter] = [fresh('short'), fresh('long'), fresh('counter')];
        await store.insert('token', short, VALUE, soon());
        await store.insert('token', long, VALUE, { expiresAt: now + 2 * MINUTE, tag: long });
        await increment(store, counter, 3, { expiresAt: now + 2 * MINUTE });
        now += MINUTE;
        await store.purge();
        expect(await store.get('token', short)).toBeUndefined();
        expect((await store.get('token', long))?.value).toEqual(VALUE);
        expect(await store.removeTagged('token', long)).toEqual([long]);
        expect(await store.count(counter)).toBe(3);
      });
    });

    describe('list', () => {
      it('returns the records of one collection, in the order of their expiry', async () => {
        const keys = [fresh('late'), fresh('early'), fresh('middle')];
        const delays = [3, 1, 2];
        for (const [index, key] of keys.entries()) {
          await store.insert('approval', key, { index }, { expiresAt: now + delays[index]! * 1_000 });
        }
        await store.insert('token', fresh('other'), VALUE, soon());
        const mine = (await store.list('approval')).filter(({ key }) => keys.includes(key));
        expect(mine.map(({ key }) => key)).toEqual([keys[1], keys[2], keys[0]]);
        expect(mine[0]).toEqual(await store.get('approval', keys[1]!));
      });

      it('leaves out what was removed', async () => {
        const key = fresh('key');
        await store.insert('approval', key, VALUE, soon());
        await store.remove('approval', key);
        expect(await keysOf('approval')).not.toContain(key);
      });

      it.runIf(fixture.isOpenToOthers).each([
        ['16 MB', { text: 'x'.repeat(6_000_000) }],
        ['a million values', { list: Array(400_000).fill(0) }],
      ])('returns no more than %s, of those that expire first, and each of the others alone', async (_bound, value) => {
        const own = await fixture.open(() => now);
        const keys = ['first', 'second', 'third'];
        for (const [index, key] of keys.entries())
          await own.insert('challenge', key, value, { expiresAt: now + MINUTE + index });
        expect((await own.list('challenge')).map(({ key }) => key)).toEqual(['first', 'second']);
        for (const key of keys) expect((await own.get('challenge', key))?.value).toEqual(value);
        await own.close();
      });
    });

    describe('removeTagged', () => {
      it('removes the records with the tag in that collection and returns their keys', async () => {
        const [tag, one, two, other, bare] = ['tag', 'one', 'two', 'other', 'bare'].map(fresh) as [string, ...string[]];
        await store.insert('token', one!, VALUE, { ...soon(), tag });
        await store.insert('token', two!, VALUE, { ...soon(), tag });
        await store.insert('token', other!, VALUE, { ...soon(), tag: fresh('tag') });
        await store.insert('token', bare!, VALUE, soon());
        await store.insert('approval', one!, VALUE, { ...soon(), tag });
        expect([...(await store.removeTagged('token', tag))].sort()).toEqual([one, two].sort());
        expect(await store.get('token', one!)).toBeUndefined();
        expect(await keysOf('token')).toEqual(expect.arrayContaining([other, bare]));
        expect(await store.get('approval', one!)).toBeDefined();
        expect(await store.removeTagged('token', tag)).toEqual([]);
      });

      it('keeps a key that was inserted again with another tag', async () => {
        const [key, tag] = [fresh('key'), fresh('tag')];
        await store.insert('token', key, VALUE, { ...soon(), tag });
        await store.remove('token', key);
        await store.insert('token', key, VALUE, { ...soon(), tag: fresh('tag') });
        expect(await store.removeTagged('token', tag)).toEqual([]);
        expect(await store.get('token', key)).toBeDefined();
      });

      it('returns each key once over simultaneous calls', async () => {
        const tag = fresh('tag');
        const keys = Array.from({ length: 150 }, () => fresh('key'));
        for (const key of keys) await store.insert('token', key, VALUE, { ...soon(), tag });
        const removed = await Promise.all([1, 2, 3].map(() => store.removeTagged('token', tag)));
        expect(removed.flat().sort()).toEqual([...keys].sort());
      });
    });

    describe('counters', () => {
      it('count from 0', async () => {
        const counter = fresh('counter');
        expect(await store.count(counter)).toBe(0);
        expect(await increment(store, counter, 2, soon())).toEqual({ value: 2, added: true });
        expect(await increment(store, counter, 3, soon())).toEqual({ value: 5, added: true });
        expect(await increment(store, counter, -1, soon())).toEqual({ value: 4, added: true });
        expect(await store.count(counter)).toBe(4);
      });

      it('keep fractions exactly', async () => {
        const counter = fresh('counter');
        await increment(store, counter, 0.1, soon());
        expect((await increment(store, counter, 0.2, soon())).value).toBe(0.1 + 0.2);
        expect(await store.count(counter)).toBe(0.1 + 0.2);
      });

      it.each([
        { steps: [5, 5], limit: 10, last: { value: 10, added: true } },
        { steps: [5, 6], limit: 10, last: { value: 5, added: false } },
        { steps: [11], limit: 10, last: { value: 0, added: false } },
        { steps: [1], limit: 0, last: { value: 0, added: false } },
        { steps: [0], limit: 0, last: { value: 0, added: true } },
        { steps: [-5, 12], limit: 10, last: { value: 7, added: true } },
      ])('add $steps under the limit $limit: $last', async ({ steps, limit, last }) => {
        const counter = fresh('counter');
        const outcomes = [];
        for (const by of steps) outcomes.push(await increment(store, counter, by, { ...soon(), limit }));
        expect(outcomes.at(-1)).toEqual(last);
        expect(await store.count(counter)).toBe(last.value);
      });

      it('never exceed their limit over simultaneous increments', async () => {
        const counter = fresh('counter');
        const attempts = Array.from({ length: 100 }, () => increment(store, counter, 1, { ...soon(), limit: 37 }));
        const outcomes = await Promise.all(attempts);
        const values = outcomes.filter(({ added }) => added).map(({ value }) => value);
        expect(values.sort((one, other) => one - other)).toEqual(Array.from({ length: 37 }, (_, index) => index + 1));
        expect(await store.count(counter)).toBe(37);
      });

      it('expire with their first increment', async () => {
        const counter = fresh('counter');
        await increment(store, counter, 1, soon());
        now += MINUTE - 1;
        expect(await increment(store, counter, 1, { expiresAt: now + MINUTE })).toEqual({ value: 2, added: true });
        now += 1;
        expect(await store.count(counter)).toBe(0);
        expect(await increment(store, counter, 1, { ...soon(), limit: 1 })).toEqual({ value: 1, added: true });
        expect(await increment(store, counter, 1, { ...soon(), limit: 1 })).toEqual({ value: 1, added: false });
      });

      it('are separate from records of the same name', async () => {
        const name = fresh('name');
        await store.insert('token', name, VALUE, soon());
        expect((await increment(store, name, 1, soon())).value).toBe(1);
        expect((await store.get('token', name))?.value).toEqual(VALUE);
      });
    });

    describe('several counters at once', () => {
      const step = (counter: string, by: number, limit?: number) => ({
        counter,
        by,
        ...soon(),
        ...(limit === undefined ? {} : { limit }),
      });

      it('all grow together', async () => {
        const [one, two] = [fresh('one'), fresh('two')] as [string, string];
        expect(await store.increment([step(one, 2, 5), step(two, 0.5)])).toEqual({ values: [2, 0.5], added: true });
        expect(await store.increment([step(two, 0), step(one, 3, 5)])).toEqual({ values: [0.5, 5], added: true });
        expect([await store.count(one), await store.count(two)]).toEqual([5, 0.5]);
        expect(await store.increment([])).toEqual({ values: [], added: true });
      });

      it.each([0, 1])('stay as they are when the sum at %i would pass its limit', async (full) => {
        const [one, two] = [fresh('one'), fresh('two')] as [string, string];
        await store.increment([step(one, 1), step(two, 1)]);
        const refused = [one, two].map((counter, index) => step(counter, 2, index === full ? 2 : 10));
        expect(await store.increment(refused)).toEqual({ values: [1, 1], added: false });
        expect([await store.count(one), await store.count(two)]).toEqual([1, 1]);
        expect((await increment(store, one, 1, { ...soon(), limit: 2 })).value).toBe(2);
      });

      it('never exceed their limits, and a failed increment changes none of them', async () => {
        const [all, alice, bob] = [fresh('all'), fresh('alice'), fresh('bob')] as [string, string, string];
        const attempts = Array.from({ length: 200 }, (_, index) =>
          store.increment([step(all, 1, 50), step(index % 2 === 0 ? alice : bob, 1, 30)]),
        );
        const outcomes = await Promise.all(attempts);
        expect(outcomes.filter(({ added }) => added)).toHaveLength(50);
        const [ofAlice, ofBob] = [await store.count(alice), await store.count(bob)];
        expect([await store.count(all), ofAlice + ofBob]).toEqual([50, 50]);
        expect(Math.max(ofAlice, ofBob)).toBeLessThanOrEqual(30);
      });

      it('expire independently', async () => {
        const [short, long] = [fresh('short'), fresh('long')] as [string, string];
        await store.increment([step(short, 1), { ...step(long, 1), expiresAt: now + 2 * MINUTE }]);
        now += MINUTE;
        expect(await store.increment([step(short, 1, 1), step(long, 1, 2)])).toEqual({
          values: [1, 2],
          added: true,
        });
        now += MINUTE;
        expect([await store.count(short), await store.count(long)]).toEqual([0, 0]);
      });
    });

    describe('close', () => {
      it('may be repeated, and the store refuses every call afterwards', async () => {
        const closed = await fixture.open(() => now);
        await closed.close();
        await closed.close();
        const key = fresh('key');
        const refused = [
          () => closed.insert('token', key, VALUE, soon()),
          () => closed.get('token', key),
          () => closed.replace('token', key, 1, VALUE),
          () => closed.remove('token', key),
          () => closed.removeTagged('token', key),
          () => closed.list('token'),
          () => increment(closed, key, 1, soon()),
          () => closed.increment([{ counter: key, by: 1, ...soon() }]),
          () => closed.count(key),
          () => closed.purge(),
        ];
        for (const work of refused) await expect(work()).rejects.toThrow(StoreError);
      });
    });
  });
}
