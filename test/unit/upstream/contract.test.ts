import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProgressUpdate } from '../../../src/base/protocol/call.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import type { UpstreamEndpoint } from '../../../src/config/gateway-config.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { type ServedHttp, serveLegacyHttp, serveModernHttp, serveSse } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, behaviourServer, type OpenedPool, openPool, textOf } from './opened-pool.js';

interface Flavour {
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  readonly endpoint: () => Promise<UpstreamEndpoint>;
}

const running: ServedHttp[] = [];
afterAll(() => Promise.all(running.map((server) => server.close())));

const http = (type: 'http' | 'sse', serve: () => Promise<ServedHttp>) => async (): Promise<UpstreamEndpoint> => {
  const server = await serve();
  running.push(server);
  return { type, url: server.url, headers: {} };
};

const FLAVOURS: readonly Flavour[] = [
  { name: 'stdio, legacy', era: 'legacy', endpoint: async () => behaviourServer() },
  { name: 'stdio, modern', era: 'modern', endpoint: async () => behaviourServer('--modern') },
  { name: 'http, legacy, events', era: 'legacy', endpoint: http('http', () => serveLegacyHttp(createBehaviours())) },
  {
    name: 'http, legacy, json',
    era: 'legacy',
    endpoint: http('http', () => serveLegacyHttp(createBehaviours(), { json: true })),
  },
  { name: 'http, modern', era: 'modern', endpoint: http('http', () => serveModernHttp(createBehaviours())) },
  { name: 'sse', era: 'legacy', endpoint: http('sse', () => serveSse(createBehaviours())) },
];

describe.each(FLAVOURS)('an upstream over $name', ({ name, era, endpoint }) => {
  let opened: OpenedPool;
  beforeAll(async () => {
    opened = openPool(anUpstream(await endpoint(), { maxConcurrency: 200 }));
    await opened.settled;
  });
  afterAll(() => opened.pool.close());

  it('connects, reads the tools as they are and tells what it knows', () => {
    const [status] = opened.pool.statuses();
    expect(status).toMatchObject({
      state: 'ready',
      era,
      restarts: 0,
      server: { name: 'behaviour-server', version: '1.2.3' },
    });
    expect(status?.problem).toBeUndefined();
    const [tools] = opened.lists.get('one') ?? [];
    expect(tools).toEqual(createBehaviours().list());
    expect(status?.tools).toBe(tools?.length);
  });

  it('hands over results as they are', async () => {
    const echoed = await opened.call('echo', { text: 'héllo ✓', nested: { list: [1, null] } });
    expect(JSON.parse(textOf(echoed))).toEqual({ text: 'héllo ✓', nested: { list: [1, null] } });
    const structured = await opened.call('structured');
    expect(structured).toMatchObject({ structuredContent: { answer: 42 }, _meta: { 'example.org/kept': true } });
    expect(structured).not.toHaveProperty('resultType');
    const { content } = await opened.call('images');
    expect(content?.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource_link', 'resource']);
    expect(await opened.call('tool_error', { text: 'no' })).toMatchObject({ isError: true });
  });

  it('carries 2 MB', async () => {
    expect(textOf(await opened.call('big', { bytes: 2_000_000 }))).toHaveLength(2_000_000);
  });

  it('gets arguments of a megabyte whole, whatever else is sent at the same time', async () => {
    const long = { list: Array.from({ length: 150_000 }, (_, index) => index), text: 'é'.repeat(100_000) };
    const short = { text: 'short' };
    const given = [short, long, short, long, short];
    const echoed = await Promise.all(given.map((args) => opened.call('echo', args)));
    expect(echoed.map((result) => textOf(result) === JSON.stringify(given[echoed.indexOf(result)]))).toEqual(
      given.map(() => true),
    );
  });

  it('translates JSON-RPC errors and keeps their words', async () => {
    const failure = { code: -32602, message: 'bad id', data: { field: 'id' } };
    await expect(opened.call('fail', failure)).rejects.toMatchObject({
      code: 'VALIDATION_INVALID_TYPE',
      details: { upstream: 'one', upstream_error: 'bad id', upstream_code: -32602, upstream_data: { field: 'id' } },
    });
    await expect(opened.call('fail', { code: -32050, message: 'odd' })).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: "The server 'one' answered: 'odd'",
      details: { upstream: 'one', upstream_error: 'odd', reason: 'upstream_error', retryable: false },
    });
  });

  // Answers in JSON have no room for notifications.
  it.runIf(name !== 'http, legacy, json')('relays progress, which keeps the call from timing out', async () => {
    const updates: ProgressUpdate[] = [];
    const onProgress = (update: ProgressUpdate): void => void updates.push(update);
    const args = { steps: 5, every_ms: 250 };
    const heard = opened.call('progress', args, { timeoutMs: 1_000, onProgress });
    const unheard = opened.call('progress', args, { timeoutMs: 1_000 });
    expect((await Promise.all([heard, unheard])).map(textOf)).toEqual(['done', 'done']);
    expect(updates).toEqual([1, 2, 3, 4, 5].map((progress) => ({ progress, total: 5, message: `step ${progress}` })));
  });

  it('times a silent call out and tells the server', async () => {
    await expect(opened.call('hold', { key: 'late' }, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { upstream: 'one', reason: 'timeout', retryable: false, outcome: 'unknown' },
    });
    await expect.poll(async () => textOf(await opened.call('cancelled'))).toContain('late');
  });

  it('cancels at once and tells the server', async () => {
    const cancellation = new Cancellation();
    const held = opened.call('hold', { key: 'unwanted' }, { cancellation });
    const refused = expect(held).rejects.toMatchObject({ details: { reason: 'cancelled', retryable: false } });
    await opened.call('echo');
    cancellation.cancel('the user left');
    await refused;
    await expect.poll(async () => textOf(await opened.call('cancelled'))).toContain('unwanted');
  });

  it('refuses a call that was cancelled before it was sent', async () => {
    const counted = Number(textOf(await opened.call('counter')));
    const cancellation = new Cancellation();
    cancellation.cancel('never mind');
    await expect(opened.call('counter', {}, { cancellation })).rejects.toMatchObject({
      details: { reason: 'cancelled' },
    });
    expect(textOf(await opened.call('counter'))).toBe(String(counted + 1));
  });

  it('carries a thousand calls at once without gathering listeners', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 1_000 }, (_, at) => opened.call('echo', { at }, { timeoutMs: 60_000 }));
    const answers = (await Promise.all(calls)).map((result) => (JSON.parse(textOf(result)) as { at: number }).at);
    process.off('warning', onWarning);
    expect(answers).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
    expect(warnings).toEqual([]);
  });

  it('reads the list again when it changes', async () => {
    await opened.call('add_tool', { name: 'later' });
    await opened.until(() => opened.lists.get('one')?.at(-1)?.at(-1)?.['name'] === 'later');
    expect(opened.pool.statuses()[0]?.tools).toBe(createBehaviours().list().length + 1);
  });
});
