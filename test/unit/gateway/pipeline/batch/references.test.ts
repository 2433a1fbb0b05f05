import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, parseText } from '../../../../../src/gateway/pipeline/batch/reference-syntax.js';
import { sliceMembers } from '../../../../../src/gateway/pipeline/batch/references.js';
import { askAbout, fail, LIMITS, openBench, succeed } from './batch-bench.js';

const DATA = {
  id: 'a1',
  items: [{ id: 1 }, { id: 2, tags: ['x', 'y'] }],
  'odd.key': { "it's": true },
  none: null,
  many: 12345678901234567890n,
};
const DATA_TEXT = JSON.stringify({ ...DATA, many: 0 }).replace('"many":0', `"many":${DATA.many}`);

/** The first item answers with `DATA`, the second fails, every other one answers with its parameters. */
const openFilled = () =>
  openBench({
    answer: ({ operation, params }) => {
      if (operation === 'get_item') return { ...succeed(null), text: `{"success":true,"data":${DATA_TEXT}}` };
      return operation === 'update_user' ? fail('NOT_FOUND_RESOURCE') : succeed(params);
    },
  });

async function resolveParams(params: unknown, beside = {}) {
  const bench = openFilled();
  const { results } = await bench.run([
    { operation: 'get_item' },
    { operation: 'update_user' },
    { operation: 'send_notification', ...beside, params },
    { operation: 'create_item' },
  ]);
  const sent = bench.sent.find(({ operation }) => operation === 'send_notification')?.raw.arguments;
  return { sent, result: results[2]?.result, last: results[3]?.result };
}

describe('a reference to an earlier result', () => {
  it.each([
    ['$results[0].data.id', 'a1'],
    ['$results[0].data["odd.key"]', { "it's": true }],
    ['$results[0].data.items[1].id', 2],
    ['$results[0].data.items.1.tags[0]', 'x'],
    ['$results[0].data.items', DATA.items],
    ['$results[0].data["odd.key"]["it\'s"]', true],
    ['$results[0].data.none', null],
    // One `$` more: escaped text.
    ['$$results[0].data.id', '$results[0].data.id'],
    ['$$$results[0].data.id', '$$results[0].data.id'],
    ['see $results[0].data.id', 'see $results[0].data.id'],
    ['$result[0]', '$result[0]'],
  ])('%s becomes its value', async (text, value) => {
    expect((await resolveParams({ deep: [{ at: text }] })).sent).toEqual({
      operation: 'send_notification',
      params: { deep: [{ at: value }] },
    });
  });

  it('may be beside params, or in place of params', async () => {
    expect((await resolveParams({ a: 1 }, { id: '$results[0].data.id' })).sent).toMatchObject({ id: 'a1' });
    expect((await resolveParams('$results[0].data.items[0]')).sent).toMatchObject({ params: { id: 1 } });
  });

  it.each([
    ['$results[0].data.idd', 0, "there is no 'idd' in '$results[0].data', which holds 'id', 'items', 'odd.key'"],
    ['$results[0].data.items[2]', 0, "there is no '2' in '$results[0].data.items', which is a list of 2"],
    ['$results[0].data.items.length', 0, 'which is a list of 2'],
    ['$results[0].data.items[0].id.x', 0, "there is no 'x' in '$results[0].data.items[0].id', which is a number"],
    ['$results[0].data.none.x', 0, 'which is null'],
    ['$results[0].data.toString', 0, "there is no 'toString'"],
    ['$results[0].data.__proto__', 0, "there is no '__proto__'"],
    ['$results[0].data.many', 0, 'more digits than can be copied exactly'],
    ['$results[0].data', 0, "'$results[0].data.many' is a number with more digits"],
    ['$results[1].data.id', 1, "'operations[1]' failed with 'NOT_FOUND_RESOURCE'"],
    ['$results[2].data.id', 2, "'operations[2]' is this operation itself"],
    ['$results[3].data.id', 3, "'operations[3]' comes later"],
    ['$results[4].data.id', 4, "there is no 'operations[4]'; the batch has 4 operations"],
    ['$results[0]', undefined, 'not have the form of a reference'],
    ['$results[0].error', undefined, 'not have the form of a reference'],
    ['$results[-1].data', undefined, 'not have the form of a reference'],
    ['$results[0].data.items[0', undefined, 'not have the form of a reference'],
    ['$results[0].data.id and more', 0, "there is no 'id and more'"],
    ['$results[0].data["\\q"]', undefined, 'not have the form of a reference'],
  ])('%s fails only its own item and says why', async (reference, index, why) => {
    const { sent, result, last } = await resolveParams({ deep: [{ at: reference }] });
    expect(sent).toBeUndefined();
    expect(last?.success).toBe(true);
    expect(result?.error).toMatchObject({
      code: 'VALIDATION_INVALID_VALUE',
      message: expect.stringContaining(`Reference '${reference}' in 'params.deep[0].at' cannot be resolved`),
      details: { operation: 'send_notification', index: 2, param_name: 'params.deep[0].at', reference },
    });
    expect(result?.error?.message).toContain(why);
    expect(result?.error?.details?.['referred_index']).toBe(index);
  });
});

describe('references in a batch', () => {
  it('make an item wait only for the items that it refers to', async () => {
    const begun: number[] = [];
    let release = (): void => undefined;
    const bench = openBench({
      answer: async ({ params }) => {
        begun.push(Number(params['n']));
        if (params['n'] === 0) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        if (params['n'] === 2) release();
        return succeed(params);
      },
    });
    const { results } = await bench.run([
      { operation: 'get_item', params: { n: 0 } },
      { operation: 'get_item', params: { n: 1, of: '$results[0].data.n' } },
      { operation: 'get_item', params: { n: 2 } },
    ]);
    expect(begun).toEqual([0, 2, 1]);
    expect(results[1]?.result.data).toEqual({ n: 1, of: 0 });
  });

  it('cannot use the result of an operation that waits for confirmation', async () => {
    const bench = openBench({ answer: askAbout('delete_user'), onConfirmation: 'skip' });
    const { results } = await bench.run([
      { operation: 'delete_user' },
      { operation: 'create_item', params: { id: '$results[0].data.id' } },
      { operation: 'create_item' },
    ]);
    expect(results[1]?.result.error?.message).toContain("'operations[0]' waits for confirmation and has not run");
    expect(results[2]?.result.success).toBe(true);
  });

  it('are all named when several cannot be resolved', async () => {
    const { result } = await resolveParams({
      a: '$results[9].data',
      b: '$results[0].data.b',
      c: '$results[0].data.id',
    });
    expect(result?.error?.message).toContain("'params.a'");
    expect(result?.error?.details?.['faults']).toMatchObject([
      { param_name: 'params.a', referred_index: 9 },
      { param_name: 'params.b', referred_index: 0, available: ['id', 'items', 'odd.key', 'none', 'many'] },
    ]);
  });

  it('are named up to ten, each shortened', async () => {
    const bad = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`p${n}`, `$results[${'x'.repeat(10_000)}`]),
    );
    const { result } = await resolveParams(bad);
    expect(result?.error?.message).toContain('990 more');
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
  });

  it('are never read from the text of an upstream', async () => {
    const bench = openBench({
      answer: ({ operation, params }) => succeed(operation === 'get_item' ? { text: '$results[0].data' } : params),
    });
    const { results } = await bench.run([
      { operation: 'get_item' },
      { operation: 'create_item', params: { text: '$results[0].data.text' } },
      { operation: 'create_item', params: { text: '$results[1].data.text' } },
    ]);
    expect(results[2]?.result.data).toEqual({ text: '$results[0].data' });
  });

  it('cannot make a request exceed its limits of size or depth', async () => {
    const said: Readonly<Record<string, unknown>> = {
      get_item: 'x'.repeat(1_000),
      list_items: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
    };
    const bench = openBench({
      limits: { ...LIMITS, maxRequestSize: 2_500 },
      answer: ({ operation }) => succeed(said[operation] ?? null),
    });
    const long = '$results[0].data';
    const { results } = await bench.run([
      { operation: 'get_item' },
      { operation: 'list_items' },
      { operation: 'create_item', params: { twice: [long, long] } },
      { operation: 'create_item', params: { thrice: [long, long, long] } },
      { operation: 'create_item', params: { deep: '$results[1].data' } },
    ]);
    expect(results.map(({ result }) => result.success)).toEqual([true, true, true, false, false]);
    expect(results[3]?.result.error?.message).toContain('exceed 2500 bytes');
    expect(results[4]?.result.error?.message).toContain('nesting_depth');
  });
});

describe('parseText', () => {
  const nearly = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '$',
          '$results[',
          '$$results[',
          ']',
          '[',
          '.',
          '"',
          '\\',
          '.data',
          '0',
          '["',
          '"]',
          '.__proto__',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''));

  it('never throws, and never confuses references with text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nearly,
          nearly.map((text) => `$results[0].data${text}`),
        ),
        (text) => {
          const { kind } = parseText(text);
          expect(kind === 'text').toBe(!text.startsWith('$results['));
        },
      ),
    );
  });

  it('returns escaped text without the escape', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        expect(parseText(escapeText(text))).toEqual({ kind: 'text', value: text });
      }),
    );
  });

  it('reads every path of quoted keys and positions', () => {
    const step = fc.oneof(fc.string({ maxLength: 8 }), fc.nat());
    fc.assert(
      fc.property(fc.nat(999), fc.array(step, { maxLength: 8 }), (index, path) => {
        const text = `$results[${index}].data${path.map((key) => `[${JSON.stringify(key)}]`).join('')}`;
        expect(parseText(text)).toEqual({ kind: 'reference', reference: { text, index, path: path.map(String) } });
      }),
    );
  });
});

it('sliceMembers returns each member of an envelope as written', () => {
  const text =
    '{"success":true,"data":{\n  "a": [1, {"b": "]}\\\\"}],\n  "c": "\\""\n},"warnings":[{"code":"X"}],"n":1.50}';
  expect(Object.fromEntries(sliceMembers(text))).toEqual({
    success: 'true',
    data: '{\n  "a": [1, {"b": "]}\\\\"}],\n  "c": "\\""\n}',
    warnings: '[{"code":"X"}]',
    n: '1.50',
  });
  expect(sliceMembers('{}').size).toBe(0);
});

it('sliceMembers equals JSON.parse and JSON.stringify of each member, for every object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, laidOut) => {
      const members = Object.entries(object).map(
        ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value, null, laidOut ? 2 : 0)}`,
      );
      const sliced = [...sliceMembers(`{${members.join(',')}}`)];
      expect(sliced.map(([key, text]) => [key, JSON.parse(text)])).toEqual(
        Object.entries(object).map(([key, value]) => [key, JSON.parse(JSON.stringify(value))]),
      );
    }),
  );
});
