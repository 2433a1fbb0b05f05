import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ListAge } from '../../../src/upstream/tool-list.js';
import { listen, type ServedHttp } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, entered, type OpenedPool, openPool } from './opened-pool.js';

interface Deployed {
  readonly tools: readonly string[];
  readonly capabilities: ServerCapabilities;
}

/** A server of 2026-07-28, of which each request finds what is deployed then. */
function deploy(port: number, deployed: () => Deployed): Promise<ServedHttp> {
  const handler = createMcpHandler(
    () => {
      const { tools, capabilities } = deployed();
      const server = new Server({ name: 'deployed', version: '1' }, { capabilities });
      server.setRequestHandler('tools/list', () => ({
        tools: tools.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
      }));
      server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text' as const, text: 'done' }] }));
      return server;
    },
    { legacy: 'reject' },
  );
  return listen(toNodeHandler(handler) as RequestListener, port);
}

function listed(opened: OpenedPool): readonly unknown[] | undefined {
  return opened.lists
    .get('one')
    ?.at(-1)
    ?.map(({ name }) => name);
}

function open({ url }: ServedHttp): OpenedPool {
  return openPool(anUpstream({ type: 'http', url, headers: {} }));
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a server of 2026-07-28 that is deployed anew', () => {
  it.each([
    ['gains', { tools: {} }, { tools: {}, prompts: {} }],
    ['loses', { tools: {}, prompts: {} }, { tools: {} }],
  ])('%s capabilities and tools with the next connection', async (_what, before, after) => {
    const first = await deploy(0, () => ({ tools: ['old'], capabilities: before }));
    await using opened = open(first);
    await opened.settled;
    expect(opened.pool.upstreams.get('one')?.capabilities(undefined)).toEqual(before);
    await first.close();
    await expect(opened.call('old', {}, { timeoutMs: 100 })).rejects.toThrow('one');
    const second = await deploy(first.port, () => ({ tools: ['new'], capabilities: after }));
    await opened.until(() => opened.observations.filter(entered('ready')).length === 2);
    expect(opened.pool.upstreams.get('one')?.capabilities(undefined)).toEqual(after);
    expect(listed(opened)).toEqual(['new']);
    await opened.pool.close();
    await second.close();
  });

  it('is asked anew with the first call after a minute, where it does not tell of changes and nobody called meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    let deployed: Deployed = { tools: ['old'], capabilities: { tools: {} } };
    const served = await deploy(0, () => deployed);
    await using opened = open(served);
    await opened.settled;
    deployed = { tools: ['old', 'new'], capabilities: { tools: {}, prompts: {} } };
    await opened.call('old');
    expect(listed(opened)).toEqual(['old']);
    await vi.advanceTimersByTimeAsync(60_000);
    await opened.call('old');
    await opened.until(() => listed(opened)?.length === 2);
    expect(opened.pool.upstreams.get('one')?.capabilities(undefined)).toEqual({ tools: {}, prompts: {} });
    await opened.pool.close();
    await served.close();
  });
});

describe('the age of a list', () => {
  it('is as its server says, and a minute at least', () => {
    vi.useFakeTimers();
    let read = 0;
    const age = new ListAge(() => {
      read += 1;
    });
    age.begin(90_000);
    vi.advanceTimersByTime(89_999);
    expect(read).toBe(0);
    vi.advanceTimersByTime(1);
    expect(read).toBe(1);
    age.begin(5);
    vi.advanceTimersByTime(59_999);
    expect(read).toBe(1);
    vi.advanceTimersByTime(1);
    expect(read).toBe(2);
    age.begin(90_000);
    age.end();
    vi.advanceTimersByTime(1_000_000);
    expect(read).toBe(2);
  });

  it('is over with the first use after a minute where the server says that it is stale at once', () => {
    vi.useFakeTimers();
    let read = 0;
    const age = new ListAge(() => {
      read += 1;
    });
    age.begin(0);
    age.use();
    vi.advanceTimersByTime(600_000);
    expect(read).toBe(0);
    age.use();
    age.use();
    expect(read).toBe(1);
  });
});
