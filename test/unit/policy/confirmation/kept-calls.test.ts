import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { createKeptCalls } from '../../../../src/policy/confirmation/kept-calls.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';

const CALLER: Caller = { sessionId: 's', clientName: 'editor', transport: 'http' };
const OTHER: Caller = { sessionId: 't', clientName: 'editor', transport: 'http' };
const UNDER = { text: 'conf_secret', key: 'digest' };
const NOW = 1_000_000;
const options = (caller = CALLER) => ({ caller, expiresAt: NOW + 1_000, tag: caller.sessionId });

function open() {
  const store = new MemoryStore(() => NOW);
  return { store, calls: createKeptCalls(store, () => NOW) };
}

describe('the params of a call that is to be confirmed', () => {
  it('come back with the token, as they were', async () => {
    const { calls } = open();
    const params = { path: 'ä/ü', content: 'x'.repeat(50_000), deep: [{ n: 1.5, none: null }] };
    expect(await calls.keep(UNDER, params, options())).toBe(true);
    expect(await calls.recall(UNDER)).toEqual(params);
  });

  it('cannot be read in the store, nor with another token', async () => {
    const { store, calls } = open();
    await calls.keep(UNDER, { password: 'in-plain-words' }, options());
    const records = await store.list('kept_call');
    expect(Buffer.from(String(records[0]?.value['sealed']), 'base64').toString('latin1')).not.toContain('plain');
    expect(JSON.stringify(records)).not.toContain('plain');
    expect(await calls.recall({ ...UNDER, text: 'conf_guess' })).toBeUndefined();
  });

  it('are nothing where the store changed them', async () => {
    const { store, calls } = open();
    await calls.keep(UNDER, { path: '/a' }, options());
    const [record] = await store.list('kept_call');
    const sealed = Buffer.from(String(record?.value['sealed']), 'base64');
    sealed[sealed.length - 1] = (sealed[sealed.length - 1] ?? 0) ^ 1;
    await store.replace('kept_call', UNDER.key, record?.version ?? 0, { sealed: sealed.toString('base64') });
    expect(await calls.recall(UNDER)).toBeUndefined();
  });

  it('are not kept beyond a size, nor beyond what one caller may keep', async () => {
    const { calls } = open();
    expect(await calls.keep(UNDER, { text: 'x'.repeat(100_001) }, options())).toBe(false);
    const kept = [];
    for (let call = 0; call < 60; call += 1) {
      kept.push(await calls.keep({ text: 't', key: `k${call}` }, { text: 'x'.repeat(99_000) }, options()));
    }
    expect(kept.filter(Boolean)).toHaveLength(50);
    expect(await calls.keep({ text: 't', key: 'other' }, { text: 'x' }, options(OTHER))).toBe(true);
  });

  it('are gone when they were forgotten', async () => {
    const { calls } = open();
    await calls.keep(UNDER, { path: '/a' }, options());
    await calls.forget(UNDER.key);
    expect(await calls.recall(UNDER)).toBeUndefined();
  });
});
