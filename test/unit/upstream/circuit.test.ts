import { ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { Circuit } from '../../../src/upstream/circuit.js';
import { RestartBudget } from '../../../src/upstream/retries.js';
import { UpstreamFault } from '../../../src/upstream/transport/fault.js';

const LOST = new UpstreamFault('lost', 'gone');
const UNAVAILABLE = new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'HTTP 503', { status: 503 });

function openCircuit() {
  const clock = { now: 0 };
  const news: (string | undefined)[] = [];
  const circuit = new Circuit({
    bounds: { failures: 3, openSeconds: 10 },
    onChange: (cause) => news.push(cause?.message),
    now: () => clock.now,
  });
  const fail = (error: unknown) => circuit.run(() => Promise.reject(error)).catch((reason: unknown) => reason);
  return { circuit, clock, news, fail };
}

it('opens after so many failures in a row, lets one call through after a while, and closes with its answer', async () => {
  const { circuit, clock, news, fail } = openCircuit();
  for (const error of [LOST, UNAVAILABLE, LOST]) expect(await fail(error)).toBe(error);
  expect([circuit.state, circuit.remainingMs, news]).toEqual(['open', 10_000, ['gone']]);
  expect(await fail(LOST)).toMatchObject({ kind: 'unavailable', retryAfterMs: 10_000 });
  clock.now = 10_000;
  expect(circuit.state).toBe('half-open');
  let answer: (value: string) => void = () => undefined;
  const probe = circuit.run(() => new Promise<string>((resolve) => (answer = resolve)));
  expect(await fail(LOST)).toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
  answer('well');
  expect([await probe, circuit.state, news]).toEqual(['well', 'closed', ['gone', undefined]]);
});

it('stays open for another while where the call that is let through fails, and tries another where it is cancelled', async () => {
  const { circuit, clock, fail } = openCircuit();
  for (const error of [LOST, LOST, LOST]) await fail(error);
  clock.now = 10_000;
  await fail(LOST);
  expect([circuit.state, circuit.remainingMs]).toEqual(['open', 10_000]);
  clock.now = 20_000;
  await fail(new UpstreamFault('cancelled', 'cancelled'));
  expect(circuit.state).toBe('half-open');
  await circuit.run(() => Promise.resolve());
  expect(circuit.state).toBe('closed');
});

it.each([
  ['an error of the protocol', new ProtocolError(-32_000, 'no')],
  ['an HTTP status below 500', new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'HTTP 404', { status: 404 })],
])('counts %s as an answer', async (_what, error) => {
  const { circuit, fail } = openCircuit();
  for (const each of [LOST, LOST, error, LOST, LOST]) await fail(each);
  expect(circuit.state).toBe('closed');
});

it('is not kept open for longer by calls that were sent before it opened', async () => {
  const { circuit, clock, fail } = openCircuit();
  let lose: (error: unknown) => void = () => undefined;
  const slow = circuit.run(() => new Promise((_resolve, reject) => (lose = reject))).catch(() => undefined);
  for (const error of [LOST, LOST, LOST]) await fail(error);
  clock.now = 9_000;
  lose(LOST);
  await slow;
  expect([circuit.state, circuit.remainingMs]).toEqual(['open', 1_000]);
});

it('does not count what never reached the server', async () => {
  const { circuit, fail } = openCircuit();
  const unsent = new UpstreamFault('lost', 'lost before', { undelivered: true });
  for (const error of [LOST, LOST, unsent, unsent]) await fail(error);
  expect(circuit.state).toBe('closed');
  await fail(LOST);
  expect(circuit.state).toBe('open');
});

it('allows so many starts within the window', () => {
  let now = 0;
  const budget = new RestartBudget({ max: 2, windowSeconds: 60 }, () => now);
  expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false]);
  now = 60_000;
  expect(budget.spend()).toBe(true);
  const endless = new RestartBudget({ max: 0, windowSeconds: 60 }, () => now);
  expect([1, 2, 3, 4].every(() => endless.spend())).toBe(true);
});
