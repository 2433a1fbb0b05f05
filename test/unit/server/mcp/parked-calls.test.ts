import { afterEach, expect, it, vi } from 'vitest';
import { ALL_ABILITIES, type Question } from '../../../../src/base/protocol/ask.js';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Reply } from '../../../../src/base/protocol/result.js';
import { ParkedCalls } from '../../../../src/server/mcp/parked-calls.js';
import type { ParkableCall } from '../../../../src/server/mcp/resumable-call.js';
import { toReply } from '../../../support/fake-gateway.js';

const ANN: Caller = { sessionId: 'ann', clientName: 'c', transport: 'http' };
const BOB: Caller = { ...ANN, sessionId: 'bob' };
const CALL = { tool: 'read', arguments: { operation: 'x' }, caller: ANN };
const FORM: Question = { method: 'elicitation/create', params: {} };

afterEach(() => vi.useRealTimers());

const attempt = () => ({ cancellation: new Cancellation() });

type Asked = { readonly requests: Record<string, unknown>; readonly state: string };

const questionsOf = ({ inputRequired }: Reply): Asked => {
  if (inputRequired === undefined || !('requests' in inputRequired)) throw new Error('nothing was asked');
  return inputRequired as Asked;
};

const codeOf = ({ code }: Reply): string => code;

/** A call that asks so many questions at once and answers with what it gets. */
const asks =
  (count: number, runs: ParkableCall[] = []) =>
  async (call: ParkableCall): Promise<Reply> => {
    runs.push(call);
    const questions = Array.from({ length: count }, () => call.ask.ask(FORM, new Cancellation()));
    return toReply(await Promise.all(questions).catch((failure: Error) => failure.message));
  };

it('a call goes on with the answers of its client, and runs once', async () => {
  const parked = new ParkedCalls();
  const runs: ParkableCall[] = [];
  const { requests, state } = questionsOf(await parked.begin(CALL, ALL_ABILITIES, attempt(), asks(2, runs)));
  expect(Object.values(requests)).toEqual([FORM, FORM]);
  const [first = '', second = ''] = Object.keys(requests);
  const again = questionsOf(await parked.resume(state, CALL, { [first]: { action: 'accept' } }, attempt()));
  expect(Object.keys(again.requests)).toEqual([second]);
  const reply = await parked.resume(again.state, CALL, { [second]: { action: 'cancel' } }, attempt());
  expect(JSON.parse(reply.text).data).toEqual([{ action: 'accept' }, { action: 'cancel' }]);
  expect([runs.length, parked.size]).toEqual([1, 0]);
});

it.each([
  ['another client', { ...CALL, caller: BOB }],
  ['another tool', { ...CALL, tool: 'write' }],
  ['other arguments', { ...CALL, arguments: { operation: 'y' } }],
])('a call does not go on for %s', async (_case, other) => {
  const parked = new ParkedCalls();
  const { requests, state } = questionsOf(await parked.begin(CALL, ALL_ABILITIES, attempt(), asks(1)));
  const [key = ''] = Object.keys(requests);
  const answer = { [key]: { action: 'accept' } };
  expect(codeOf(await parked.resume(state, other, answer, attempt()))).toBe('TOKEN_EXPIRED');
  expect(codeOf(await parked.resume(state, CALL, answer, attempt()))).toBe('OK');
  expect(codeOf(await parked.resume(state, CALL, answer, attempt()))).toBe('TOKEN_EXPIRED');
});

it('a call is cancelled when its client does not come back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const parked = new ParkedCalls({ patienceMs: 1_000 });
  const runs: ParkableCall[] = [];
  const { state } = questionsOf(await parked.begin(CALL, ALL_ABILITIES, attempt(), asks(1, runs)));
  vi.advanceTimersByTime(1_000);
  expect(runs[0]?.cancellation.cancelled).toBe(true);
  expect(codeOf(await parked.resume(state, CALL, {}, attempt()))).toBe('TOKEN_EXPIRED');
});

it('a call is cancelled when the request that waits for it is, and when its session ends', async () => {
  const parked = new ParkedCalls();
  const runs: ParkableCall[] = [];
  const first = attempt();
  const { state } = questionsOf(await parked.begin(CALL, ALL_ABILITIES, first, asks(1, runs)));
  first.cancellation.cancel('the connection was closed after the answer');
  expect(runs[0]?.cancellation.cancelled).toBe(false);
  const second = attempt();
  const waiting = parked.resume(state, CALL, {}, second);
  second.cancellation.cancel('gone');
  expect(runs[0]?.cancellation.cancelled).toBe(true);
  void waiting;
  await parked.begin({ ...CALL, caller: BOB }, ALL_ABILITIES, attempt(), asks(1, runs));
  parked.endSession('bob');
  expect([runs[1]?.cancellation.cancelled, parked.size]).toEqual([true, 0]);
});

it('the calls that wait are bounded for each session and for all', async () => {
  const parked = new ParkedCalls({ perSession: 1, all: 2 });
  const begin = (sessionId: string) =>
    parked.begin({ ...CALL, caller: { ...ANN, sessionId } }, ALL_ABILITIES, attempt(), asks(1));
  questionsOf(await begin('ann'));
  expect((await begin('ann')).text).toContain('Too many calls');
  questionsOf(await begin('bob'));
  expect((await begin('cid')).text).toContain('Too many calls');
  parked.endAll();
});

it('the answer of a call that ended meanwhile is given to its client when it comes back', async () => {
  const parked = new ParkedCalls();
  const withdrawn = new Cancellation();
  const { state } = questionsOf(
    await parked.begin(CALL, ALL_ABILITIES, attempt(), async ({ ask }) =>
      toReply(await ask.ask(FORM, withdrawn).catch(({ message }: Error) => message)),
    ),
  );
  withdrawn.cancel('the server does not wait');
  expect(JSON.parse((await parked.resume(state, CALL, {}, attempt())).text).data).toBe('The question was withdrawn');
});
