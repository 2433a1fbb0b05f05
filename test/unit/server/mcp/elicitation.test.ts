import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { NO_ABILITIES } from '../../../../src/base/protocol/ask.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Responder } from '../../../../src/server/mcp/calls-in-flight.js';
import { OpenQuestions } from '../../../../src/server/mcp/elicitation.js';

const peer = {
  caller: { sessionId: 's', clientName: 'c', transport: 'http' },
  abilities: { ...NO_ABILITIES, form: true, roots: true },
} as const;
const accepted = { action: 'accept', content: { approve: true } };

function ask(patience = new Cancellation()) {
  const questions = new OpenQuestions(300_000);
  const sent: JsonObject[] = [];
  const nothing = (): void => undefined;
  const cancellation = new Cancellation();
  const notify = (text: string) => void sent.push(JSON.parse(text));
  const ends = { answer: nothing, cancel: nothing, interrupt: nothing, onInterrupt: nothing };
  const responder: Responder = { cancellation, canNotify: true, notify, ...ends };
  const user = questions.channel(peer, responder);
  if (user?.kind !== 'live') throw new Error('no way to ask');
  const answer = user.ask('Really?', patience);
  answer.catch(nothing);
  const respond = (id = sent[0]?.['id'], sessionId = 's') =>
    questions.takeResponse(sessionId, { jsonrpc: '2.0', id, result: accepted });
  return { questions, sent, responder, answer, patience, respond };
}

describe('an open question', () => {
  it('accepts one response, to its own id, from its own session', async () => {
    const { questions, answer, respond } = ask();
    expect([respond('consent-1'), respond(undefined, 'other')]).toEqual([false, false]);
    expect(questions.size).toBe(1);
    expect([respond(), respond()]).toEqual([true, false]);
    expect([await answer, questions.size]).toEqual(['accept', 0]);
  });

  it.each([
    ['the one who asks gives up', ({ patience }: ReturnType<typeof ask>) => patience.cancel('enough')],
    ['the call ends', ({ responder }: ReturnType<typeof ask>) => responder.cancellation.cancel('gone')],
  ])('is withdrawn when %s, and ignores a later answer', async (_case, end) => {
    const asked = ask();
    end(asked);
    await expect(asked.answer).rejects.toThrow('withdrawn');
    expect(asked.sent[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: asked.sent[0]?.['id'] },
    });
    expect([asked.respond(), asked.questions.size]).toEqual([false, 0]);
  });

  it('is not asked when the call has ended', async () => {
    const patience = new Cancellation();
    patience.cancel('too late');
    const { questions, sent, answer } = ask(patience);
    await expect(answer).rejects.toThrow();
    expect([sent, questions.size]).toEqual([[], 0]);
  });
});
