import { describe, expect, it } from 'vitest';
import type { ProgressUpdate, RawCall } from '../../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../../src/base/protocol/cancellation.js';
import { readRequest } from '../../../../../src/gateway/pipeline/decode.js';
import { expectPublishedShape, fail, LIMITS, openBench, type SentItem, schemaIsHere, succeed } from './batch-bench.js';

const items = (...names: readonly string[]) => names.map((operation, index) => ({ operation, params: { n: index } }));

describe('a batch', () => {
  it("answers as the specification's example does (operations document, section 7.2)", async () => {
    const bench = openBench({
      answer: ({ params }) =>
        params['name'] === 'Item C' ? fail('CONFLICT_ALREADY_EXISTS') : succeed({ id: `id of ${params['name']}` }),
    });
    const operations = ['Item A', 'Item B', 'Item C'].map((name) => ({ operation: 'create_item', params: { name } }));
    expect(await bench.run(operations)).toEqual({
      success: true,
      data: null,
      results: [
        { index: 0, operation: 'create_item', result: { success: true, data: { id: 'id of Item A' } } },
        { index: 1, operation: 'create_item', result: { success: true, data: { id: 'id of Item B' } } },
        {
          index: 2,
          operation: 'create_item',
          result: {
            success: false,
            error: { code: 'CONFLICT_ALREADY_EXISTS', message: 'It says CONFLICT_ALREADY_EXISTS' },
          },
        },
      ],
      summary: { total: 3, succeeded: 2, failed: 1 },
    });
  });

  it('is distinguished from a single call', () => {
    const read = (given: unknown) => readRequest({ arguments: given } as RawCall, { reachOf: () => 'everything' });
    expect(read({ operations: [1] })).toMatchObject({ kind: 'batch', operations: [1] });
    expect(read({ operations: [1], operation: null })).toMatchObject({ kind: 'batch', operations: [1] });
    for (const single of [
      { operation: 'x' },
      { operation: 'x', operations: [1] },
      { operations: [] },
      { operations: '[]' },
      [],
      null,
      7,
    ]) {
      expect(read(single).kind).toBe('single');
    }
  });

  it('sends each item separately, with the caller of the batch and the parameters beside params', async () => {
    const bench = openBench();
    const item = { operation: 'get_item', params: { id: 1 }, depth: 2 };
    const caller = { sessionId: 'mine', clientName: 'c', transport: 'http' } as const;
    const cancellation = new Cancellation();
    await bench.run([item, item], { caller, cancellation });
    expect(bench.sent).toHaveLength(2);
    for (const { raw } of bench.sent) {
      expect(raw).toMatchObject({ tool: 'mcp_aql', arguments: item });
      expect(raw.caller).toMatchObject(caller);
      expect(raw.cancellation).toBe(cancellation);
    }
  });

  it('gives 100 answers when the 37th upstream crashes', async () => {
    const bench = openBench({
      answer: ({ params }) => {
        if (params['n'] === 36) throw new Error('a defect');
        return params['n'] === 40 ? fail('INTERNAL_ERROR') : succeed(params);
      },
    });
    const { results, summary } = await bench.run(items(...Array.from({ length: 100 }, () => 'get_item')));
    expect(results.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(summary).toEqual({ total: 100, succeeded: 98, failed: 2 });
    expect(results[36]?.result.error).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(JSON.stringify(results[36])).not.toContain('a defect');
    expect(bench.observations).toEqual([
      { kind: 'defect', where: 'batch', cause: expect.objectContaining({ message: 'a defect' }) },
    ]);
  });

  it.each([
    ['not an object', 'get_item', 'VALIDATION_INVALID_TYPE', "'operations[1]' expected 'object', got 'string'"],
    ['null', null, 'VALIDATION_INVALID_TYPE', "got 'null'"],
    ['an object without an operation', { params: {} }, 'VALIDATION_MISSING_PARAM', "'operation' in 'operations[1]'"],
    [
      'an object with a number as operation',
      { operation: 7 },
      'VALIDATION_INVALID_TYPE',
      "'operations[1].operation' expected 'string'",
    ],
    [
      'nested too deep',
      JSON.parse(`{"operation":"get_item","params":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`),
      'VALIDATION_PAYLOAD_TOO_LARGE',
      'nesting_depth',
    ],
  ])('fails only the item that is %s', async (_what, item, code, message) => {
    const bench = openBench();
    const { results, summary } = await bench.run([...items('get_item'), item, ...items('create_item')]);
    expect(results[1]?.result.error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
    expect(bench.sent).toHaveLength(2);
  });

  it('passes on numbers unchanged that parsing would round', async () => {
    const data = '{"id":12345678901234567890,"rate":1.0e2,"text":"a \\"quoted\\", {\\\\"}';
    const bench = openBench({ answer: () => ({ ...succeed(null), text: `{"success":true,"data":${data}}` }) });
    expect((await bench.reply(items('get_item'))).text).toContain(`"result":{"success":true,"data":${data}}`);
  });

  it.skipIf(!schemaIsHere)('is checked against the published schema (skipped without ../shared)', () => {
    expect(() => expectPublishedShape({ success: true, data: null, results: [], summary: {} })).toThrow();
  });
});

describe('the order of a batch', () => {
  /** Answers each item when the test releases it, and lists the items that have begun. */
  function openGate() {
    const begun: string[] = [];
    const held = new Map<string, () => void>();
    let changed = (): void => undefined;
    return {
      begun,
      answer: (item: SentItem) => {
        const name = `${item.operation} ${item.params['n']}`;
        begun.push(name);
        changed();
        return new Promise<ReturnType<typeof succeed>>((resolve) => held.set(name, () => resolve(succeed(name))));
      },
      /** Resolves when this number of items has begun. */
      async count(expected: number): Promise<void> {
        while (begun.length < expected) {
          await new Promise<void>((resolve) => {
            changed = resolve;
          });
        }
      },
      release: (name: string) => held.get(name)?.(),
    };
  }

  it('runs neighbouring reads in parallel and keeps the order of results', async () => {
    const gate = openGate();
    const bench = openBench({ answer: gate.answer });
    const answer = bench.run(items(...Array.from({ length: 10 }, () => 'get_item')));
    await gate.count(10);
    for (const name of gate.begun.toReversed()) gate.release(name);
    expect((await answer).results.map(({ result }) => result.data)).toEqual(gate.begun);
  });

  it('makes a change wait for earlier items, and later items wait for the change', async () => {
    const gate = openGate();
    const bench = openBench({ answer: gate.answer });
    const answer = bench.run(items('get_item', 'nobody_knows', 'create_item', 'create_item', 'list_items'));
    await gate.count(2);
    gate.release('nobody_knows 1');
    expect(gate.begun).toEqual(['get_item 0', 'nobody_knows 1']);
    gate.release('get_item 0');
    await gate.count(3);
    expect(gate.begun.slice(2)).toEqual(['create_item 2']);
    gate.release('create_item 2');
    await gate.count(4);
    expect(gate.begun.slice(3)).toEqual(['create_item 3']);
    gate.release('create_item 3');
    await gate.count(5);
    gate.release('list_items 4');
    expect((await answer).summary).toEqual({ total: 5, succeeded: 5, failed: 0 });
  });

  it('starts nothing after a cancellation and says that the other items did not run', async () => {
    const cancellation = new Cancellation();
    const bench = openBench({
      answer: ({ operation }) => {
        if (operation === 'create_item') cancellation.cancel('the client left');
        return succeed(operation);
      },
    });
    const { results, summary } = await bench.run(items('get_item', 'create_item', 'create_item', 'get_item'), {
      cancellation,
    });
    expect(bench.sent.map(({ operation }) => operation)).toEqual(['get_item', 'create_item']);
    expect(summary).toEqual({ total: 4, succeeded: 2, failed: 2 });
    expect(results[3]?.result.error).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { reason: 'cancelled', retryable: true, outcome: 'not_run' },
    });
  });

  it('reports progress as one rising count of finished items', async () => {
    const updates: ProgressUpdate[] = [];
    const bench = openBench();
    await bench.run([...items('get_item', 'list_items', 'create_item'), 'nonsense'], {
      onProgress: (update) => updates.push(update),
    });
    expect(updates.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
    expect(updates[2]?.message).toBe('3 of 4: create_item');
  });

  it('counts the progress of an item as a part of it, and never goes back', async () => {
    const updates: ProgressUpdate[] = [];
    const bench = openBench({
      answer: ({ params, raw: { onProgress } }) => {
        onProgress?.({ progress: 1, total: 2, message: 'half' });
        onProgress?.({ progress: 0, total: 2 });
        onProgress?.({ progress: 9, total: 2 });
        return succeed(params);
      },
    });
    await bench.run(items('create_item', 'create_item'), { onProgress: (update) => updates.push(update) });
    expect(updates.map(({ progress }) => progress)).toEqual([0.5, 0.99, 1, 1.5, 1.99, 2]);
    expect(updates[0]?.message).toBe('create_item: half');
  });
});

describe('an item of a batch', () => {
  it.each([
    [8_000, 4, 2_000],
    [8_000, 90, 120],
    [10, 1, 120],
    [0, 4, Number.POSITIVE_INFINITY],
  ])('of %s tokens for %d items gets %s', async (answerTokens, count, share) => {
    const bench = openBench({ answerTokens });
    await bench.run(items(...Array.from({ length: count }, () => 'get_item')));
    for (const { raw } of bench.sent) expect(raw.answerTokens).toBe(share);
  });
});

describe('the answer of a batch', () => {
  const image = (name: string) => ({ type: 'image', data: name, mimeType: 'image/png' });

  it('ends with the native blocks in the order of the items and numbers them correctly', async () => {
    const bench = openBench({
      answer: ({ params: { n } }) => {
        if (n === 0) return { ...succeed({ content: [{ type: 'image', block: 1 }] }), blocks: [image('a')] };
        if (n === 1) return succeed({ content: [{ type: 'image', block: 1 }] });
        const content = [
          { type: 'image', block: 1 },
          { type: 'text', text: 'between', block: 9 },
          { type: 'audio', block: 2 },
        ];
        return { ...succeed({ content }), blocks: [image('b'), { type: 'audio', data: 'c' }] };
      },
    });
    const reply = await bench.reply(items('get_item', 'get_item', 'get_item'));
    expect(reply.blocks).toEqual([image('a'), image('b'), { type: 'audio', data: 'c' }]);
    const { results } = JSON.parse(reply.text) as { results: { result: { data: unknown } }[] };
    expect(results.map(({ result }) => result.data)).toEqual([
      { content: [{ type: 'image', block: 1 }] },
      // Data of an item without blocks refers to none, whatever its form.
      { content: [{ type: 'image', block: 1 }] },
      {
        content: [
          { type: 'image', block: 2 },
          { type: 'text', text: 'between', block: 9 },
          { type: 'audio', block: 3 },
        ],
      },
    ]);
  });

  it('has the warnings of all results in a last text block, equal ones once', async () => {
    const warning = { code: 'DEPRECATION_WARNING', message: 'It goes', details: { type: 'operation' } };
    const bench = openBench({
      answer: ({ params: { n } }) => ({ ...succeed(n, n === 0 ? [] : [warning]), blocks: [] }),
    });
    const operations = items('get_item', 'get_item', 'get_item');
    const reply = await bench.reply(operations);
    expect((await bench.run(operations)).results[1]?.result).toEqual({ success: true, data: 1 });
    expect(reply.blocks).toEqual([
      {
        type: 'text',
        text: JSON.stringify({
          warnings: [{ ...warning, details: { type: 'operation', index: 1, occurrence_count: 2 } }],
        }),
      },
    ]);
  });

  it("contains each item's metadata under its index", async () => {
    const bench = openBench({
      answer: ({ params: { n } }) => (n === 1 ? { ...succeed(n), meta: { cached: true } } : succeed(n)),
    });
    expect((await bench.reply(items('get_item', 'get_item'))).meta).toEqual({
      'mcp-aql/results': [{ index: 1, _meta: { cached: true } }],
    });
    expect((await bench.reply(items('get_item'))).meta).toBeUndefined();
  });

  it('says that an operation ran whose result does not fit, and keeps the other results', async () => {
    const bench = openBench({
      limits: { ...LIMITS, maxResponseSize: 3_000 },
      answer: ({ params: { n } }) => succeed(n === 1 ? 'x'.repeat(2_900) : 'y'.repeat(500)),
    });
    const { results, summary } = await bench.run(items('get_item', 'create_item', 'get_item'));
    expect(results[1]?.result.error).toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      message: expect.stringContaining("'create_item' ran"),
      details: { limit_type: 'response_size', limit_value: 3_000 },
    });
    expect(summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
  });

  it('is a success even when every item failed', async () => {
    const reply = await openBench({ answer: () => fail('INTERNAL_ERROR') }).reply(items('get_item'));
    expect(reply).toMatchObject({ code: 'OK', isError: false });
  });
});
