import { expect, it } from 'vitest';
import { CallChannel } from '../../../src/upstream/call-channel.js';
import type { UpstreamTransport } from '../../../src/upstream/transport/transport.js';

it('news of a changed list is passed on once until it was seen, and then again', async () => {
  const transport: UpstreamTransport = {
    kind: 'stdio',
    start: async () => undefined,
    send: async () => undefined,
    close: async () => undefined,
  };
  new CallChannel(transport, { maxAnswerBytes: 1_000, connectTimeoutMs: 1_000 });
  const admits = (method: string): boolean => transport.admits?.(JSON.stringify({ jsonrpc: '2.0', method })) === true;
  const changed = 'notifications/tools/list_changed';
  expect([changed, changed, changed].map(admits)).toEqual([true, false, false]);
  expect(admits('notifications/message')).toBe(true);
  await Promise.resolve();
  expect([changed, changed].map(admits)).toEqual([true, false]);
});
