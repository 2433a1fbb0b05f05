import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { UpstreamEndpoint } from '../../../../src/config/gateway-config.js';
import { HttpDoor, type LostForm } from '../../../support/world/http-door.js';
import { ServerMind } from '../../../support/world/server-mind.js';
import { anUpstream, openPool } from '../opened-pool.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server of the old transport behind a proxy that keeps its streams open when the server is replaced. */
async function proxiedServer(lostForm: LostForm) {
  const offer = { extra: false, resources: false, prompts: false, completions: false, edition: 1 };
  const mind = new ServerMind('cedar', '2025-11-25', offer);
  const door = new HttpDoor('sse', mind);
  door.lostForm = lostForm;
  await door.open();
  const opened = openPool(anUpstream({ headers: {}, ...(door.entry as JsonObject) } as unknown as UpstreamEndpoint));
  closers.push(async () => {
    await opened.pool.close();
    await door.shut();
  });
  await opened.settled;
  return {
    opened,
    mind,
    door,
    redeploy: () => {
      door.forget();
      mind.restart();
    },
  };
}

const CERTAIN: readonly LostForm[] = [
  { status: 400, text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No transport found"},"id":null}' },
  { status: 400, text: 'no valid id' },
  { status: 404, text: 'Could not find session' },
  { status: 410, text: 'Gone' },
  { code: -32_000, text: 'unknown caller' },
];

describe('a server of HTTP+SSE whose stream stays open when it is redeployed', () => {
  it.each(CERTAIN)('gets a new session, and each call once: %o', async (form) => {
    const { opened, mind, redeploy } = await proxiedServer(form);
    await opened.call('create_cedar', { id: 'before' });
    redeploy();
    await Promise.all(['one', 'two'].map((id) => opened.call('create_cedar', { id })));
    expect([...mind.runs].map(([id, { times }]) => [id, times])).toEqual([
      ['before', 1],
      ['one', 1],
      ['two', 1],
    ]);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 1 });
  });

  it('gets a new session where it fails instead, and only what may run twice is sent again', async () => {
    const { opened, mind, redeploy } = await proxiedServer({ status: 500, text: 'no such key' });
    await opened.call('create_cedar', { id: 'before' });
    redeploy();
    const [read, write] = await Promise.allSettled([
      opened.call('read_cedar', { id: 'read' }, { retryable: true }),
      opened.call('create_cedar', { id: 'write' }),
    ]);
    expect(read.status).toBe('fulfilled');
    expect(write).toMatchObject({ reason: { details: { outcome: 'unknown', retryable: false } } });
    expect(mind.runs.has('write')).toBe(false);
    await opened.call('create_cedar', { id: 'after' });
  });
});

it('tells what a server of HTTP+SSE refuses in a session that it knows as what it is', async () => {
  const { opened, mind, door } = await proxiedServer({ status: 404, text: 'unknown' });
  door.refusesCall = { status: 404, text: 'no such record' };
  await expect(opened.call('create_cedar', { id: 'one' })).rejects.toMatchObject({ code: /./ });
  await opened.call('create_cedar', { id: 'two' });
  expect([...mind.runs.keys()]).toEqual(['two']);
  expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  expect(JSON.stringify(opened.observations)).not.toContain('never sent');
});
