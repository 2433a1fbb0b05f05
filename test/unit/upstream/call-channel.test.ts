import type { RequestId } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { LargeMessage } from '../../../src/base/protocol/large-answer.js';
import { CallChannel } from '../../../src/upstream/call-channel.js';
import type { UpstreamTransport } from '../../../src/upstream/transport/transport.js';

const LIMITS = { connectTimeoutMs: 1_000, pings: { afterIdleMs: 0, duringCallMs: 0 } };

it('a list whose values would take more memory than the process has for it is refused before it is parsed', async () => {
  const sent: RequestId[] = [];
  const transport: UpstreamTransport = {
    kind: 'stdio',
    start: async () => undefined,
    send: async (message) => {
      if ('id' in message && message.id !== undefined) sent.push(message.id);
    },
    close: async () => undefined,
  };
  const channel = new CallChannel(transport, { maxAnswerBytes: 50_000_000, ...LIMITS });
  const list = channel.request('tools/list', {}, { timeoutMs: 60_000 });
  const message = new LargeMessage([Buffer.alloc(6_000_000, '['), Buffer.alloc(6_000_000, '[')]);
  transport.onlarge?.(message, sent[0] ?? 0);
  await expect(list).rejects.toMatchObject({ kind: 'malformed', message: expect.stringContaining('12000000 bytes') });
});

it('news of a changed list is passed on once until it was seen, and then again', async () => {
  const transport: UpstreamTransport = {
    kind: 'stdio',
    start: async () => undefined,
    send: async () => undefined,
    close: async () => undefined,
  };
  new CallChannel(transport, { maxAnswerBytes: 1_000, ...LIMITS });
  const admits = (method: string): boolean => transport.admits?.(JSON.stringify({ jsonrpc: '2.0', method })) === true;
  const changed = 'notifications/tools/list_changed';
  expect([changed, changed, changed].map(admits)).toEqual([true, false, false]);
  expect(admits('notifications/message')).toBe(true);
  await Promise.resolve();
  expect([changed, changed].map(admits)).toEqual([true, false]);
});
