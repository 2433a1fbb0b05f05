import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import type { UpstreamConfig } from '../../../src/config/gateway-config.js';
import type { Upstream, UpstreamRequest } from '../../../src/upstream/upstream.js';
import { makeDirectory } from '../../support/gateway-folder.js';
import { anUpstream, node, type OpenedPool, openPool, SERVERS } from './opened-pool.js';

function methods(source: string, overrides: Partial<UpstreamConfig> = {}): UpstreamConfig {
  return anUpstream(node(`${SERVERS}methods-server.mjs`, source), overrides);
}

const modern = anUpstream(node(`${SERVERS}modern-resources.mjs`));

function upstreamOf(opened: OpenedPool): Upstream {
  const upstream = opened.pool.upstreams.get('one');
  if (upstream === undefined) throw new Error('there is no such upstream');
  return upstream;
}

function request(opened: OpenedPool, method: string, params: JsonObject = {}, more: Partial<UpstreamRequest> = {}) {
  return upstreamOf(opened).request({ method, params, cancellation: new Cancellation(), ...more });
}

const refusal = async (work: Promise<unknown>): Promise<OperationError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OperationError) return error;
  throw new Error(`not refused with an OperationError: ${String(error)}`);
};

describe('requests to an upstream that are no tool calls', () => {
  it('gives the result with every member as sent, and what the server declares', async () => {
    await using opened = openPool(
      methods(`{
        capabilities: { resources: { subscribe: true, 'x-other': 1 }, prompts: {} },
        'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'hi', odd: [1] }], _meta: { a: 1 }, later: true }),
      }`),
    );
    await opened.settled;
    const result = await request(opened, 'resources/read', { uri: 'a://b' });
    expect(result).toEqual({ contents: [{ uri: 'a://b', text: 'hi', odd: [1] }], _meta: { a: 1 }, later: true });
    expect(upstreamOf(opened).capabilities(undefined)).toMatchObject({ resources: { subscribe: true }, prompts: {} });
    expect(opened.news).toEqual(['one connected']);
  });

  it('masks the credentials that a server gives back', async () => {
    const source = "{ 'prompts/get': () => ({ description: process.env.API_TOKEN }) }";
    const endpoint = { ...node(`${SERVERS}methods-server.mjs`, source), env: { API_TOKEN: 'very-secret-value' } };
    await using opened = openPool(anUpstream(endpoint));
    expect(await request(opened, 'prompts/get')).toEqual({ description: '[credential]' });
  });

  it.each([
    ['the code -32002', '{ code: -32002, message: "no" }'],
    ['the code of 2026-07-28 with the URI', '{ code: -32602, message: "no", data: { uri: "a://b" } }'],
    ['words', '{ code: -32602, message: "MCP error -32602: Resource a://b not found" }'],
  ])('reads %s as a resource that does not exist', async (_how, error) => {
    await using opened = openPool(methods(`{ 'resources/read': () => { throw ${error} } }`));
    const resource = { resource_type: 'resource', resource_id: 'a://b' };
    const thrown = await refusal(request(opened, 'resources/read', { uri: 'a://b' }, { resource }));
    expect(thrown).toMatchObject({ code: 'NOT_FOUND_RESOURCE', details: { upstream: 'one', ...resource } });
  });

  it('is sent again once when the connection is lost before the answer', async () => {
    const source = `{ 'resources/read': () => {
      const fs = process.getBuiltinModule('node:fs');
      if (fs.existsSync(process.env.MARK)) return { contents: [] };
      fs.writeFileSync(process.env.MARK, '');
      process.exit(1);
    } }`;
    await using directory = await makeDirectory();
    const env = { MARK: `${directory.path}/mark` };
    await using opened = openPool(anUpstream({ ...node(`${SERVERS}methods-server.mjs`, source), env }));
    expect(await request(opened, 'resources/read', { uri: 'a://b' })).toEqual({ contents: [] });
  });

  it('refuses an answer that is longer than the upstream may send', async () => {
    const source = "{ 'resources/read': () => ({ contents: [{ uri: 'a:', text: 'x'.repeat(50_000) }] }) }";
    await using opened = openPool(methods(source, { maxAnswerBytes: 20_000 }));
    expect(await refusal(request(opened, 'resources/read'))).toMatchObject({ code: 'VALIDATION_PAYLOAD_TOO_LARGE' });
  });
});

describe('news of an upstream', () => {
  const subscribable = `{
    capabilities: { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } },
    'resources/subscribe': ({ uri }, { send }) => {
      if (uri === 'no://') throw { code: -32602, message: 'cannot be watched' };
      for (let i = 0; i < 50; i += 1) {
        send({ method: 'notifications/resources/updated', params: { uri } });
        send({ method: 'notifications/resources/updated', params: { uri: 'other://' + i } });
        send({ method: 'notifications/prompts/list_changed' });
      }
      return {};
    },
    'resources/unsubscribe': () => ({}),
    'test/received': (_, { received }) => ({ methods: received.map(({ method }) => method) }),
  }`;

  it('tells of a watched resource and of changed lists once, however often the server says it', async () => {
    await using opened = openPool(methods(subscribable));
    await upstreamOf(opened).watchResource('a://b', true);
    await upstreamOf(opened).watchResource('a://b', true);
    await opened.until(() => opened.news.includes('one list prompts') && opened.news.includes('one updated a://b'));
    expect(opened.news).toEqual(['one connected', 'one updated a://b', 'one list prompts']);
    await upstreamOf(opened).watchResource('a://b', false);
    const { methods: received } = (await request(opened, 'test/received')) as { methods: readonly string[] };
    expect(received.filter((method) => method.startsWith('resources/'))).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
  });

  it('says that the server refuses to watch a resource', async () => {
    await using opened = openPool(methods(subscribable));
    const thrown = await refusal(upstreamOf(opened).watchResource('no://', true));
    expect(thrown.details).toMatchObject({ upstream: 'one', upstream_error: 'cannot be watched' });
  });

  it('watches the same resources over a new connection', async () => {
    await using opened = openPool(
      methods(`{
        capabilities: { resources: { subscribe: true } },
        'resources/subscribe': ({ uri }, { send }) => {
          setImmediate(() => send({ method: 'notifications/resources/updated', params: { uri } }));
          return {};
        },
        'test/exit': () => process.exit(0),
      }`),
    );
    await upstreamOf(opened).watchResource('a://b', true);
    await opened.until(() => opened.news.includes('one updated a://b'));
    request(opened, 'test/exit').catch(() => undefined);
    await opened.until(() => opened.news.filter((each) => each === 'one updated a://b').length >= 2);
  });

  it('hears a server of 2026-07-28 through one stream for each set of resources', async () => {
    await using opened = openPool(modern);
    await upstreamOf(opened).watchResource('other://', true);
    await upstreamOf(opened).watchResource('notes://one', true);
    await upstreamOf(opened).watchResource('other://', false);
    await opened.call('touch');
    await opened.until(() => opened.news.length === 3);
    expect([...opened.news].sort()).toEqual(['one connected', 'one list resources', 'one updated notes://one']);
  });
});
