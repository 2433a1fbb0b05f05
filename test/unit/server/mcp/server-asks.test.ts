import { afterEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { ALL_ABILITIES, type Question } from '../../../../src/base/protocol/ask.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { OpenQuestions } from '../../../../src/server/mcp/elicitation.js';

const PEER = { caller: { sessionId: 's', clientName: 'c', transport: 'http' }, abilities: ALL_ABILITIES } as const;
const FORM: Question = { method: 'elicitation/create', params: {} };
const ROOTS: Question = { method: 'roots/list', params: {} };

afterEach(() => vi.useRealTimers());

function open(patienceMs = 300_000) {
  const questions = new OpenQuestions(patienceMs);
  const sent: JsonObject[] = [];
  const nothing = (): void => undefined;
  const ends = { answer: nothing, cancel: nothing, interrupt: nothing, onInterrupt: nothing };
  const notify = (text: string) => void sent.push(JSON.parse(text));
  const channel = questions.askChannel(PEER, { cancellation: new Cancellation(), canNotify: true, notify, ...ends });
  if (channel === undefined) throw new Error('no way to ask');
  const answer = (result: JsonObject) =>
    questions.takeResponse('s', { jsonrpc: '2.0', id: sent.at(-1)?.['id'], result });
  return { questions, sent, answer, ask: (question: Question) => channel.ask(question, new Cancellation()) };
}

it('a question without an answer in time is withdrawn', async () => {
  vi.useFakeTimers();
  const { ask, sent, questions } = open(1_000);
  const asked = expect(ask(FORM)).rejects.toThrow('No answer within 1 s');
  vi.advanceTimersByTime(1_000);
  await asked;
  expect([sent[1]?.['method'], questions.size]).toEqual(['notifications/cancelled', 0]);
});

it('a session has a bounded number of open questions', async () => {
  const { ask, questions } = open();
  for (let count = 0; count < 16; count += 1) void ask(FORM).catch(() => undefined);
  await expect(ask(FORM)).rejects.toThrow('16 open questions');
  expect(questions.size).toBe(16);
});

it('roots are asked once, and again when the client says that they have changed', async () => {
  const { ask, sent, answer, questions } = open();
  const first = ask(ROOTS);
  answer({ roots: [] });
  expect([await first, await ask(ROOTS)]).toEqual([{ roots: [] }, { roots: [] }]);
  expect(sent).toHaveLength(1);
  questions.noteChange('s', { jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  void ask(ROOTS);
  expect(sent).toHaveLength(2);
});
