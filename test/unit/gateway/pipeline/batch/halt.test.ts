import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/base/json/json.js';
import { OperationError } from '../../../../../src/base/protocol/operation-error.js';
import type { ForeseeingPolicy } from '../../../../../src/gateway/pipeline/batch/ask-ahead.js';
import { ASKED, askAbout, fail, openBench, type SentItem, succeed } from './batch-bench.js';

const UPDATE = { operation: 'update_user', params: { id: 'alice' } };
const DELETE = { operation: 'delete_user', params: { user_id: 'alice' } };
const NOTIFY = { operation: 'send_notification', params: { user_id: 'alice', message: 'Account deleted' } };

const { error: QUESTION } = JSON.parse(ASKED.text) as { error: { message: string; details: object } };
const REFUSAL = { success: false, error: QUESTION };
const GO_ON = "To go on, send a batch of this operation with its token, then 'pending_operations' as they are";
const HALT = { success: false, error: { ...QUESTION, message: `${QUESTION.message}. ${GO_ON}` } };

describe('a batch whose item needs a confirmation', () => {
  it("halts as the specification's example does (section 7.5.2)", async () => {
    const bench = openBench({ answer: askAbout('delete_user') });
    expect(await bench.run([UPDATE, DELETE, NOTIFY])).toEqual({
      success: true,
      data: null,
      results: [{ index: 0, operation: 'update_user', result: { success: true, data: { id: 'alice' } } }],
      halted_at: { index: 1, operation: 'delete_user', result: HALT },
      pending_operations: [{ index: 2, ...NOTIFY }],
      summary: { total: 3, succeeded: 1, failed: 0, halted: 1, pending: 1 },
    });
    expect(bench.sent.map(({ operation }) => operation)).toEqual(['update_user', 'delete_user']);
  });

  it('is continued by a batch that begins with the token (section 7.5.3)', async () => {
    const bench = openBench({
      answer: (item) =>
        item.params['confirmation_token'] === undefined ? askAbout('delete_user')(item) : succeed(null),
    });
    const halted = await bench.run([UPDATE, DELETE, NOTIFY]);
    const confirmed = { ...DELETE, params: { ...DELETE.params, confirmation_token: 'conf_abc123' } };
    const rest = (halted.pending_operations ?? []).map(({ operation, params }) => ({ operation, params }));
    expect((await bench.run([confirmed, ...rest])).summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
  });

  it('is continued by its pending operations unchanged: their old index is no parameter', async () => {
    const bench = openBench({ answer: askAbout('delete_user') });
    const { pending_operations = [] } = await bench.run([DELETE, NOTIFY, UPDATE]);
    await bench.run(pending_operations);
    expect(bench.sent.slice(1).map(({ raw }) => raw.arguments)).toEqual([NOTIFY, UPDATE]);
  });

  it('keeps the parameters that pending operations have beside params', async () => {
    const bench = openBench({ answer: askAbout('delete_user') });
    const flat = { operation: 'list_items', team: 'a', _filter: { id: 1 }, _request_id: 'r' };
    const { pending_operations } = await bench.run([DELETE, flat]);
    expect(pending_operations).toEqual([
      { index: 1, operation: 'list_items', params: { team: 'a', _filter: { id: 1 } } },
    ]);
  });

  it('keeps an `index` that is a parameter of the operation', async () => {
    const bench = openBench();
    const item = { operation: 'get_page', index: 3 };
    await bench.run([item]);
    expect(bench.sent[0]?.raw.arguments).toEqual(item);
  });

  it('also halts for a quota that pauses', async () => {
    const bench = openBench({
      answer: () => fail('RATE_LIMIT_QUOTA_PAUSE', { confirmation_token: 'quota_continue_x' }),
    });
    const { halted_at, summary } = await bench.run([UPDATE, DELETE]);
    expect(halted_at?.result.error?.code).toBe('RATE_LIMIT_QUOTA_PAUSE');
    expect(summary).toEqual({ total: 2, succeeded: 0, failed: 0, halted: 1, pending: 1 });
  });

  it('skips it and runs the others where that is configured (section 7.5.4)', async () => {
    const bench = openBench({ answer: askAbout('delete_user'), onConfirmation: 'skip' });
    expect(await bench.run([UPDATE, DELETE, NOTIFY])).toEqual({
      success: true,
      data: null,
      results: [
        { index: 0, operation: 'update_user', result: { success: true, data: { id: 'alice' } } },
        { index: 1, operation: 'delete_user', result: REFUSAL, status: 'pending_confirmation' },
        { index: 2, operation: 'send_notification', result: { success: true, data: NOTIFY.params } },
      ],
      summary: { total: 3, succeeded: 2, failed: 0, pending_confirmation: 1 },
    });
  });

  it('does not mention pending confirmations when there are none', async () => {
    const { summary } = await openBench({ onConfirmation: 'skip' }).run([UPDATE]);
    expect(summary).toEqual({ total: 1, succeeded: 1, failed: 0 });
  });
});

describe('a halt among neighbouring reads', () => {
  const get = (n: number, more = {}) => ({ operation: 'get_item', params: { n, ...more } });
  const askAt =
    (...indexes: readonly number[]) =>
    ({ params }: SentItem) =>
      indexes.includes(Number(params['n'])) ? ASKED : succeed(params);

  it('lets items finish that have begun and starts no waiting item', async () => {
    const bench = openBench({ answer: askAt(1) });
    const answer = await bench.run([get(0), get(1), get(2), get(3, { of: '$results[2].data.n' }), NOTIFY]);
    expect(answer.results.map(({ index }) => index)).toEqual([0, 2]);
    expect(answer.halted_at?.index).toBe(1);
    expect(answer.pending_operations).toEqual([
      { index: 3, operation: 'get_item', params: { n: 3, of: 2 } },
      { index: 4, ...NOTIFY },
    ]);
    expect(answer.summary).toEqual({ total: 5, succeeded: 2, failed: 0, halted: 1, pending: 2 });
  });

  it('is at the first item that asks; later items that asked are pending, with the tokens of their questions', async () => {
    const { halted_at, pending_operations, summary } = await openBench({ answer: askAt(1, 2) }).run([
      get(0),
      get(1),
      get(2),
    ]);
    expect(halted_at?.index).toBe(1);
    expect(pending_operations).toEqual([
      { index: 2, operation: 'get_item', params: { n: 2, _confirmation: 'conf_abc123' } },
    ]);
    expect(halted_at?.result.error?.details).toMatchObject({ also_asked: [{ index: 2 }] });
    expect(summary).toEqual({ total: 3, succeeded: 1, failed: 0, halted: 1, pending: 1 });
  });

  it('starts a waiting item that comes before the halt', async () => {
    let release = (): void => undefined;
    const bench = openBench({
      answer: async (item) => {
        if (item.params['n'] === 2) release();
        if (item.params['n'] === 0) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        return askAt(2)(item);
      },
    });
    const { results, halted_at } = await bench.run([get(0), get(1, { of: '$results[0].data.n' }), get(2)]);
    expect(halted_at?.index).toBe(2);
    expect(results.map(({ index }) => index)).toEqual([0, 1]);
  });
});

describe('the pending operations of a halted batch', () => {
  it('have their references resolved where possible and otherwise counted anew, with escapes', async () => {
    const bench = openBench({
      answer: (item) =>
        item.operation === 'create_item' ? succeed({ id: 7, odd: '$results[0].data' }) : askAbout('delete_user')(item),
    });
    const { pending_operations } = await bench.run([
      { operation: 'create_item' },
      DELETE,
      {
        operation: 'update_user',
        id: '$results[0].data.id',
        params: { odd: '$results[0].data.odd', gone: '$results[1].data.id', text: '$$results[x]', plain: '$5' },
      },
      { operation: 'get_item', params: 'nonsense', _meta: 1 },
      { operation: 'list_items' },
    ]);
    expect(pending_operations).toEqual([
      {
        index: 2,
        operation: 'update_user',
        params: { id: 7, odd: '$$results[0].data', gone: '$results[0].data.id', text: '$$results[x]', plain: '$5' },
      },
      { index: 3, operation: 'get_item' },
      { index: 4, operation: 'list_items' },
    ]);
  });

  it('do not contain what uses the result of a failed operation: it fails, and what uses its result fails too', async () => {
    const bench = openBench({
      answer: (item) => (item.operation === 'create_item' ? fail('CONFLICT_ALREADY_EXISTS') : ASKED),
    });
    const { results, pending_operations } = await bench.run([
      { operation: 'create_item' },
      DELETE,
      { operation: 'update_user', params: { id: '$results[0].data.id' } },
      { operation: 'update_user', params: { id: '$results[2].data.id' } },
      { operation: 'update_user', params: { id: '$results[1].data.id' } },
      { operation: 'update_user', params: { id: '$results[4].data.id' } },
    ]);
    expect(results.map(({ index, result }) => [index, result.error?.code])).toEqual([
      [0, 'CONFLICT_ALREADY_EXISTS'],
      [2, 'VALIDATION_INVALID_VALUE'],
      [3, 'VALIDATION_INVALID_VALUE'],
    ]);
    expect(pending_operations).toEqual([
      { index: 4, operation: 'update_user', params: { id: '$results[0].data.id' } },
      { index: 5, operation: 'update_user', params: { id: '$results[1].data.id' } },
    ]);
  });

  it('do not contain a malformed item, which has failed', async () => {
    const bench = openBench({ answer: askAbout('delete_user') });
    const { results, summary } = await bench.run([DELETE, 'nonsense', NOTIFY]);
    expect(results).toMatchObject([{ index: 1, operation: '', result: { success: false } }]);
    expect(summary).toEqual({ total: 3, succeeded: 0, failed: 1, halted: 1, pending: 1 });
  });

  it('are confirmed with the resolved parameters that the question contains', async () => {
    const bench = openBench({
      answer: (item) => (item.operation === 'create_item' ? succeed({ id: 'alice' }) : askAbout('delete_user')(item)),
    });
    const { halted_at } = await bench.run([
      { operation: 'create_item' },
      { operation: 'delete_user', params: { user_id: '$results[0].data.id' } },
    ]);
    expect(halted_at?.result.error?.details).toEqual({
      confirmation_token: 'conf_abc123',
      params: { user_id: 'alice' },
    });
  });
});

describe('the questions of a halted batch', () => {
  const user = (n: number, more: JsonObject = {}) => ({ operation: 'delete_user', params: { n, ...more } });
  /** Every `delete_user` asks for a token, of which the number is the user's. */
  const asking = (changes: Partial<ForeseeingPolicy> = {}) => {
    const asked: unknown[] = [];
    const policy: ForeseeingPolicy = {
      staticDecision: ({ name }) => ({
        effect: name === 'delete_user' ? 'confirm' : 'allow',
        requires: 'token',
        conditional: false,
      }),
      confirmerOf: () => 'token',
      askAhead: async ({ arguments: { n } }) => {
        asked.push(n);
        return { details: { confirmation_message: `Delete ${n}?`, reasons: ['x'] }, token: `t${n}`, keepsCall: true };
      },
      ...changes,
    };
    const bench = openBench({
      answer: (item) => (item.params['_confirmation'] === undefined ? askAbout('delete_user')(item) : succeed(null)),
      policy,
      maxOperations: 1_000,
    });
    return { ...bench, asked };
  };

  it('are about every pending operation whose parameters are known, and its parameters then hold the token', async () => {
    const { run, asked } = asking();
    const { halted_at, pending_operations } = await run([
      { operation: 'create_item', params: { id: 7 } },
      user(1),
      NOTIFY,
      user(2),
      user(3, { of: '$results[0].data.id' }),
      user(4, { of: '$results[1].data.id' }),
      user(5, { _confirmation: 'mine' }),
    ]);
    expect(asked).toEqual([2, 3]);
    expect(halted_at?.result.error?.details).toEqual({
      ...QUESTION.details,
      also_asked: [
        { index: 3, confirmation_message: 'Delete 2?' },
        { index: 4, confirmation_message: 'Delete 3?' },
      ],
    });
    expect(pending_operations?.map(({ params }) => params)).toEqual([
      NOTIFY.params,
      { n: 2, _confirmation: 't2' },
      { n: 3, of: 7, _confirmation: 't3' },
      { n: 4, of: '$results[0].data.id' },
      { n: 5, _confirmation: 'mine' },
    ]);
  });

  it('leave only the token of parameters that are long and kept with it', async () => {
    const { pending_operations } = await asking().run([user(1), user(2, { text: 'x'.repeat(1_000) })]);
    expect(pending_operations).toEqual([{ index: 1, operation: 'delete_user', params: { _confirmation: 't2' } }]);
  });

  it('are at most twenty, and the answer says how many are left', async () => {
    const { run, asked } = asking();
    const { halted_at, pending_operations } = await run(Array.from({ length: 1_000 }, (_, n) => user(n)));
    expect(asked).toHaveLength(20);
    expect(halted_at?.result.error?.message).toContain('Others may ask when their turns come: 979');
    expect(pending_operations?.filter(({ params }) => (params as JsonObject)['_confirmation'])).toHaveLength(20);
  });

  it('end where the caller has used up its questions', async () => {
    const { run } = asking({
      askAhead: () => Promise.reject(new OperationError('RATE_LIMIT_EXCEEDED', 'Too many')),
    });
    const { halted_at, pending_operations } = await run([user(1), user(2), user(3)]);
    expect(halted_at?.result.error?.message).toContain('Others may ask when their turns come: 2');
    expect(pending_operations).toEqual([
      { index: 1, ...user(2) },
      { index: 2, ...user(3) },
    ]);
  });

  it('name what a person will be asked, without a token', async () => {
    const details = { confirmation_message: 'Delete 2?', requires: 'human' };
    const { run } = asking({ askAhead: async () => ({ details, keepsCall: false }) });
    const { halted_at, pending_operations } = await run([user(1), user(2)]);
    expect(halted_at?.result.error?.details).toMatchObject({ also_asked: [{ index: 1, ...details }] });
    expect(pending_operations).toEqual([{ index: 1, ...user(2) }]);
  });
});
