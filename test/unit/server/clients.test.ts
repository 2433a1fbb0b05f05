import { afterEach, describe, expect, it } from 'vitest';
import type { ProgressUpdate, RawCall } from '../../../src/base/protocol/call.js';
import type { Reply } from '../../../src/base/protocol/result.js';
import { createFakeGateway, type FakeGateway, toReply } from '../../support/fake-gateway.js';
import { CONNECTIONS, type GatewayClient, SERVER_INFO } from '../../support/server-clients.js';

/** The behaviour that every client must see on every transport, on the fast path and on the SDK path. */
describe.each(CONNECTIONS)('$name', ({ open, transport, era }) => {
  let client: GatewayClient;
  afterEach(() => client.close());

  const connect = async (handle?: (call: RawCall) => Promise<Reply> | Reply): Promise<FakeGateway> => {
    const gateway = createFakeGateway(handle === undefined ? {} : { handle });
    client = await open(gateway);
    return gateway;
  };

  it('sends its identity and the instruction to introspect first', async () => {
    await connect();
    expect(client.serverName()).toBe(SERVER_INFO.name);
    expect(client.instructions()).toContain("introspect {query: 'upstreams'}");
  });

  it('lists the current tools', async () => {
    const gateway = await connect();
    expect(await client.listTools()).toMatchObject({ tools: [{ name: 'mcp_aql_read' }, { name: 'mcp_aql_create' }] });
    gateway.changeTools(['mcp_aql']);
    const list = (await client.listTools()) as { tools: { name: string }[] };
    expect(list.tools.map(({ name }) => name)).toEqual(['mcp_aql']);
  });

  it('passes a call on unchanged, with its caller', async () => {
    const gateway = await connect();
    const args = { operation: 'get_thing', params: { id: 7, nested: { ü: [null, 1.5] } } };
    const result = await client.callTool('mcp_aql_read', args);
    expect(result['content']).toEqual([
      { type: 'text', text: JSON.stringify({ success: true, data: { tool: 'mcp_aql_read', arguments: args } }) },
    ]);
    expect(result['isError']).not.toBe(true);
    const [call] = gateway.calls;
    expect(call?.caller).toMatchObject({ clientName: 'test-client', transport });
    expect(call?.caller.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps one session for the calls of one client', async () => {
    const gateway = await connect();
    await client.callTool('mcp_aql_read', {});
    await client.callTool('mcp_aql_read', {});
    const [first, second] = gateway.calls;
    expect(second?.caller.sessionId).toBe(first?.caller.sessionId);
  });

  it('passes on isError, native blocks and _meta', async () => {
    const blocks = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
    await connect(() => toReply('seen', { blocks, isError: true, meta: { 'example.com/trace': 'abc' } }));
    const result = await client.callTool('mcp_aql_read', {});
    expect(result).toMatchObject({
      content: [{ type: 'text' }, ...blocks],
      isError: true,
      _meta: { 'example.com/trace': 'abc' },
    });
  });

  it('answers each of many concurrent calls with its own answer', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await connect(async (call) => {
      const { n } = call.arguments as { n: number };
      if (n === 0) await held;
      return toReply(n);
    });
    const first = client.callTool('mcp_aql_read', { n: 0 });
    const rest = await Promise.all([1, 2, 3, 4].map((n) => client.callTool('mcp_aql_read', { n })));
    release();
    const texts = [await first, ...rest].map(({ content }) => (content as { text: string }[])[0]?.text);
    expect(texts).toEqual([0, 1, 2, 3, 4].map((n) => JSON.stringify({ success: true, data: n })));
  });

  it('passes progress on before the answer', async () => {
    const seen: unknown[] = [];
    const seenBoth = deferred();
    await connect(async ({ onProgress }) => {
      onProgress?.({ progress: 1, total: 2, message: 'half' });
      onProgress?.({ progress: 2, total: 2 });
      // The SDK's clients lose progress that reaches them in one piece with the answer.
      await seenBoth.promise;
      return toReply('done');
    });
    const onprogress = (update: unknown): void => {
      if (seen.push(update) === 2) seenBoth.resolve(undefined);
    };
    const result = await client.callTool('mcp_aql_read', {}, { onprogress });
    const expected: ProgressUpdate[] = [
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ];
    expect(seen).toEqual(expected);
    expect(JSON.stringify(result)).toContain('done');
  });

  it('requests no progress when the client requested none', async () => {
    const gateway = await connect();
    await client.callTool('mcp_aql_read', {});
    expect(gateway.calls[0]?.onProgress).toBeUndefined();
  });

  it('cancels a call when the client cancels it, and goes on serving', async () => {
    const cancelled = deferred();
    const gateway = await connect(({ cancellation, arguments: args }) => {
      if ((args as { wait?: boolean }).wait !== true) return toReply('still here');
      return new Promise((resolve) => {
        cancellation.onCancel(() => {
          cancelled.resolve(cancellation.reason);
          resolve(toReply('too late'));
        });
      });
    });
    const controller = new AbortController();
    const arrived = gateway.nextCall();
    const call = client.callTool('mcp_aql_read', { wait: true }, { signal: controller.signal });
    await arrived;
    controller.abort('no longer needed');
    await expect(call).rejects.toThrow();
    expect(await cancelled.promise).toMatch(/no longer needed|closed the connection|cancelled/);
    expect(JSON.stringify(await client.callTool('mcp_aql_read', {}))).toContain('still here');
  });

  it('notifies listening clients that the tools changed', async () => {
    const gateway = await connect();
    // A legacy HTTP client opens its stream on its own, after connecting: a first call gives it the time to.
    const { changed } = await client.listenForChange();
    if (transport === 'http' && era === 'legacy') await streamOpened(gateway, changed);
    else gateway.changeTools(['mcp_aql']);
    await changed;
  });

  it('answers an unknown method with method not found', async () => {
    await connect();
    const problem = await client.request('gateway/unheard-of').catch((error: unknown) => error);
    // The modern HTTP client turns a 404 into an error of its own, which holds the answer as text.
    expect(String(Object.values(problem as object)) + problem).toMatch(/-32601|Method not found/);
  });
});

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Changes the tools until the client is notified, because it does not say when its stream is open. */
async function streamOpened(gateway: FakeGateway, changed: Promise<void>): Promise<void> {
  let heard = false;
  const listening = changed.then(() => {
    heard = true;
  });
  for (let round = 0; !heard; round += 1) {
    gateway.changeTools([`tool_${round}`]);
    await Promise.race([listening, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
}
