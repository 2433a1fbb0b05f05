import { expect, it } from 'vitest';
import { describeStatus } from '../../../src/gateway/status.js';
import type { UpstreamStatus } from '../../../src/upstream/upstream.js';
import { NO_OPERATIONS } from '../../support/no-operations.js';

const connected = (slug: string, required = false): UpstreamStatus => ({
  name: slug,
  slug,
  state: 'ready',
  transport: 'http',
  tools: 3,
  restarts: 0,
  calls: { inFlight: 0, waiting: 0 },
  ...(required ? { required } : {}),
});

/** Whether the gateway is ready while these upstreams are connected and the catalog lacks some of them. */
function isReady(upstreams: readonly UpstreamStatus[], lacking: readonly string[]): boolean {
  const dependencies = { audit: { state: 'ok' }, store: { state: 'ok' } } as const;
  const isAwaitingFirst = (slug: string): boolean => lacking.includes(slug);
  return describeStatus(NO_OPERATIONS, upstreams, dependencies, { isAwaitingFirst }).ready;
}

it('the gateway is not ready before the first catalog has the tools of a connected upstream', () => {
  expect(isReady([connected('a')], ['a'])).toBe(false);
  expect(isReady([connected('a')], [])).toBe(true);
});

it('the gateway stays ready while another upstream is added, unless readiness needs that one', () => {
  expect(isReady([connected('a'), connected('b')], ['b'])).toBe(true);
  expect(isReady([connected('a'), connected('b', true)], ['b'])).toBe(false);
});
