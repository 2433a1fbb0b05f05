import { describe, expect, it, vi } from 'vitest';
import { LARGE_BYTES, LargeAnswer } from '../../../src/base/protocol/large-answer.js';
import { WireAnswer } from '../../../src/base/protocol/wire-answer.js';
import { openLargeAnswers } from '../../../src/gateway/large-answers.js';
import { MemoryBudget } from '../../../src/gateway/memory-budget.js';
import { type LargeAnswerJob, shapeLargeAnswer, unreadable } from '../../../src/gateway/shape-large.js';
import { withoutSchemas } from '../../../src/results/detached.js';
import {
  type CollectionQuery,
  passResults,
  type ReadContext,
  type StoredPart,
} from '../../../src/results/query/result-types.js';
import { createResultService } from '../../../src/results/results.js';
import { readStoredPart } from '../../../src/results/stored/read-part.js';
import { OwnCredentials } from '../../../src/upstream/transport/own-credentials.js';
import { splitAnswer } from '../../../src/upstream/transport/split-answer.js';
import { anOperation } from '../../support/an-operation.js';

const SETTINGS = { maxTokens: 5_000, keptBytes: 10_000_000, keptSeconds: 60, compact: false };
const CONTEXT: ReadContext = {
  operation: anOperation({ name: 'list_rows', qualifiedName: 'demo__list_rows' }),
  arguments: {},
  caller: { sessionId: 's', clientName: 'test', transport: 'http' },
};
const LIMITS = {
  maxRequestSize: 1_000_000,
  maxResponseSize: 10_000_000,
  maxStringLength: 1_000_000,
  maxArrayElements: 10_000,
  maxNestingDepth: 20,
};
const ROWS = Array.from({ length: 20_000 }, (_, id) => ({ id, owner: `owner ${id % 7}`, text: 'x'.repeat(40) }));
const EVERYTHING: CollectionQuery = { filter: [], sort: [], includeItems: true, page: { style: 'all' } };

function answerOf(message: object | string): LargeAnswer['parts'] {
  return {
    pieces: [
      Buffer.from(typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', id: 5, ...message })),
    ],
    id: 5,
    credentials: ['secret-credential'],
    call: { upstream: 'demo', tool: 'list_rows', repeatable: true, arguments: {}, words: 'clean' },
  };
}

function textResult(text: string, rest: object = {}): object {
  return { result: { content: [{ type: 'text', text }], ...rest } };
}

async function run(answer: LargeAnswerJob['answer'], query?: CollectionQuery, settings = SETTINGS, maxTreeBytes = 1e9) {
  const service = createResultService(settings);
  const job: LargeAnswerJob = {
    answer,
    context: { ...CONTEXT, operation: withoutSchemas(CONTEXT.operation) },
    query,
    pages: undefined,
    warnings: [{ code: 'SLOW', message: 'slow' }],
    results: service.detach(CONTEXT),
    limits: LIMITS,
    words: 'clean',
    ofOthers: [],
    maxTreeBytes,
  };
  // As it comes out of another thread.
  const shaped = structuredClone(await shapeLargeAnswer(structuredClone(job)));
  await service.attach(CONTEXT, shaped.finished);
  const [first, ...blocks] = JSON.parse(Buffer.concat(shaped.written).toString());
  return { service, shaped, envelope: JSON.parse(first.text), blocks };
}

/** Cursors and handles differ from answer to answer. */
function withoutNames(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/res_[\w-]{12}/g, 'res')
    .replaceAll(/[\w-]{23,28}(?=\\?")/g, 'cursor');
  return JSON.parse(text);
}

describe('a large answer in its thread', () => {
  const queries: [string, CollectionQuery | undefined][] = [
    ['nothing', undefined],
    ['a filter', { ...EVERYTHING, filter: [{ path: ['owner'], operator: 'equals', operand: 'owner 3' }] }],
    [
      'a sorted page',
      { ...EVERYTHING, sort: [{ path: ['owner'], order: 'desc' }], page: { style: 'forward', size: 5 } },
    ],
    ['groups', { ...EVERYTHING, includeItems: false, aggregate: [['by', { groupBy: ['owner'], count: true }]] }],
    ['fields', { ...EVERYTHING, fields: { paths: [['id']] } }],
  ];
  it.each(queries)('is what the gateway would make of it, asked for %s', async (_name, query) => {
    const text = JSON.stringify(ROWS);
    const { envelope } = await run(answerOf(textResult(text)), query);
    const here = await createResultService(SETTINGS).finish(CONTEXT, query, text, JSON.parse(text));
    expect(withoutNames(envelope.data)).toEqual(withoutNames(JSON.parse(here.dataText)));
    expect(withoutNames(envelope.warnings.slice(1))).toEqual(withoutNames(here.warnings));
  });

  it.each(queries)(
    'is the same where its text was taken out of the message before, asked for %s',
    async (_name, query) => {
      const text = JSON.stringify(ROWS);
      const wire = splitAnswer(answerOf(textResult(text)).pieces)?.release(new OwnCredentials([]));
      if (!(wire instanceof WireAnswer)) throw new Error('the text was not taken out');
      const [taken, whole] = [await run(wire.parts(), query), await run(answerOf(textResult(text)), query)];
      expect(withoutNames(taken.envelope)).toEqual(withoutNames(whole.envelope));
    },
  );

  it('warns of a sum of one page, because a thread reads no further ones', async () => {
    const query: CollectionQuery = { ...EVERYTHING, includeItems: false, aggregate: [['n', { count: true }]] };
    const text = JSON.stringify({ items: ROWS, next_cursor: 'x' });
    const { envelope } = await run(answerOf(textResult(text)), query);
    expect(envelope.data).toEqual({ aggregations: { n: ROWS.length }, matched: ROWS.length, read: ROWS.length });
    expect(envelope.warnings).toContainEqual(
      expect.objectContaining({ code: 'VALIDATION_PARTIAL_LIST_WARNING', severity: 'high' }),
    );
  });

  it('leaves pages and the whole answer to the store of the gateway', async () => {
    const page: CollectionQuery = { ...EVERYTHING, page: { style: 'forward', size: 5 } };
    const { service, envelope } = await run(answerOf(textResult(JSON.stringify(ROWS))), page);
    const { endCursor: after } = envelope.data.pageInfo;
    const asked = { ...page, page: { style: 'forward', size: 2, after } } as const;
    const next = await service.resume(CONTEXT, asked, () => true);
    expect(JSON.parse(next?.dataText ?? '').items).toEqual(ROWS.slice(5, 7));
    const cut = await run(answerOf(textResult(JSON.stringify(ROWS))));
    const handle = /res_[\w-]+/.exec(JSON.stringify(cut.envelope.warnings))?.[0] ?? '';
    const part = JSON.parse(readStoredPart(cut.service.storedPart({ handle, path: '[19999]' }, CONTEXT.caller)));
    expect(part.value).toEqual(ROWS.at(-1));
    const other = { ...CONTEXT.caller, sessionId: 'other' };
    expect(() => readStoredPart(cut.service.storedPart({ handle }, other))).toThrow();
  });

  it('is passed on as it came where nothing is asked and all of it may be sent', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const text = `[12345678901234567890, "${'x'.repeat(LARGE_BYTES)}"]`;
    const { shaped } = await run(answerOf(textResult(text)), undefined, { ...SETTINGS, maxTokens: 0 });
    const before = parse.mock.calls.filter(([given]) => given.startsWith('[12345'));
    parse.mockRestore();
    expect(before).toEqual([]);
    expect(Buffer.concat(shaped.written).includes('[12345678901234567890, ')).toBe(true);
  });

  it.each<[string, object | string, string]>([
    ['no JSON', `{"id":5,${'x'.repeat(100)}`, 'INTERNAL_ERROR'],
    ['an error', { error: { code: -32602, message: 'bad secret-credential' } }, 'VALIDATION_INVALID_TYPE'],
    ['the answer to another request', { id: 6, ...textResult('x') }, 'INTERNAL_ERROR'],
    ['a failed tool', textResult('no such file secret-credential', { isError: true }), 'NOT_FOUND_RESOURCE'],
    [
      'much beside its content',
      textResult('x', { _meta: { text: 'x'.repeat(300_000) } }),
      'VALIDATION_PAYLOAD_TOO_LARGE',
    ],
  ])('is an error where it holds %s', async (_name, message, code) => {
    const { shaped, envelope } = await run(answerOf(message));
    expect(shaped.code).toBe(code);
    expect(envelope).toMatchObject({ success: false, error: { code } });
    expect(JSON.stringify(envelope)).not.toContain('secret-credential');
  });

  it.each<[string, object]>([
    ['a text', textResult(JSON.stringify(ROWS))],
    ['structured content', { result: { content: [], structuredContent: { items: ROWS } } }],
    ['many blocks', { result: { content: ROWS.map(({ text }) => ({ type: 'text', text })) } }],
  ])('is parsed once where it is %s, as its values take more memory than its bytes', async (_name, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    const { shaped } = await run(answerOf(message));
    const parsed = parse.mock.calls.map(([text]) => text).filter((text) => text.length > 900_000 && text[0] !== '"');
    parse.mockRestore();
    expect(shaped.code).toBe('OK');
    expect(parsed).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['a text', textResult(JSON.stringify(Array(40_000).fill({})))],
    ['its content', { result: { content: Array(5_000).fill({ type: 'text', text: '' }) } }],
  ])('is refused where the values of %s would take more memory than it may', async (_name, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    const { envelope } = await run(answerOf(message), undefined, { ...SETTINGS, maxTokens: 250 }, 200_000);
    const parsed = parse.mock.calls.filter(([text]) => text.length > 100_000);
    parse.mockRestore();
    expect(envelope.error).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('takes more memory than the gateway has for it'),
      details: { reason: 'answer_too_complex' },
    });
    expect(parsed).toEqual([]);
  });

  it('keeps images and what is beside the content', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'QUJD' };
    const result = { content: [image], _meta: { kept: true }, more: 1 };
    const { shaped, blocks } = await run(answerOf({ result }));
    expect(blocks).toEqual([image]);
    expect(JSON.parse(shaped.beside)).toEqual({ _meta: { kept: true }, more: 1 });
  });
});

const open = (noteLinks = (): void => undefined) =>
  openLargeAnswers({
    settings: () => ({ limits: { ...LIMITS, maxValues: 100_000 }, errors: { upstreamWords: 'clean' } }),
    results: passResults,
    links: { ofOthers: () => [], noteLinks },
    observe: () => undefined,
    budget: new MemoryBudget(),
  });

describe('openLargeAnswers', () => {
  it('hands the bytes of an answer over to the thread, so that they are held once, and notes the links in it', async () => {
    const noteLinks = vi.fn();
    const large = open(noteLinks);
    try {
      const content = [
        { type: 'text', text: JSON.stringify(ROWS) },
        { type: 'resource_link', uri: 'rows://all', name: 'all' },
        { type: 'resource_link', uri: `rows://${'x'.repeat(2_048)}`, name: 'long' },
      ];
      const answer = new LargeAnswer(answerOf({ result: { content } }));
      const reply = await large.shape(answer, CONTEXT, { query: undefined }, []);
      expect(reply.code).toBe('OK');
      expect(answer.parts.pieces.map(({ byteLength }) => byteLength)).toEqual([0]);
      expect(noteLinks).toHaveBeenCalledWith(CONTEXT.operation.upstream, CONTEXT.caller, ['rows://all']);
    } finally {
      await large.close();
    }
  });
});

describe('a part of a large stored result', () => {
  const content = Buffer.from(
    JSON.stringify({ items: Array.from({ length: 40_000 }, (_, id) => ({ id, text: 'x'.repeat(30) })) }),
  );
  const partOf = (request: object): StoredPart => ({
    operation: 'demo__list_items',
    content,
    request: { handle: 'res_abcdefghijkl', ...request },
    maxTokens: 2_500,
    now: 0,
  });
  it('is what reading it here gives, and is read by a thread', async () => {
    const large = open();
    try {
      const part = partOf({ path: 'items[39999]' });
      const read = large.readPart(part);
      expect(read).toBeInstanceOf(Promise);
      expect(await read).toBe(readStoredPart(part));
    } finally {
      await large.close();
    }
  });

  it('is refused as it is here where the path leads nowhere', async () => {
    const large = open();
    try {
      const part = partOf({ path: 'items[40000]' });
      await expect(large.readPart(part)).rejects.toMatchObject({ code: 'INTROSPECTION_ERROR' });
      expect(() => readStoredPart(part)).toThrow();
    } finally {
      await large.close();
    }
  });
});

it('what stands beside a large answer keeps its digits from thread to thread', async () => {
  const beside = '"more":9007199254740993,"_meta":{"id":12345678901234567890}';
  const content = JSON.stringify([{ type: 'text', text: 'x' }]);
  const { shaped } = await run(answerOf(`{"jsonrpc":"2.0","id":5,"result":{"content":${content},${beside}}}`));
  expect(shaped.beside).toBe(`{${beside}}`);
});

it.each([
  ['busy', true, true],
  ['busy', false, false],
  ['timeout', true, false],
] as const)(
  'an answer that cannot be read (%s) of a call that may run twice (%s) is retryable: %s',
  (kind, mayRepeat, retryable) => {
    const { details } = unreadable(kind, { upstream: 'one', retryable: mayRepeat }, 1_000_000);
    expect(details).toMatchObject({ reason: 'answer_too_complex', outcome: 'ran', retryable });
  },
);
