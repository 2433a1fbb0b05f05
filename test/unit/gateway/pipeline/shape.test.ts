import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentBlock, Reply } from '../../../../src/base/protocol/result.js';
import { toResultData } from '../../../../src/gateway/pipeline/result-data.js';
import { charactersOf, LARGE_TEXT, withMeta } from '../../../../src/gateway/pipeline/shape.js';

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row ${id}` }));
const TEXT = 'x'.repeat(100_000);

it.each([
  ['of objects', { items: ROWS }],
  ['of texts alone', { text: TEXT }],
  ['of texts within lists', { texts: [TEXT] }],
])('an answer of structured content %s is large', (_name, structuredContent) => {
  expect(charactersOf({ content: [], structuredContent })).toBeGreaterThanOrEqual(LARGE_TEXT);
});

it('an answer of many small blocks is large', () => {
  const content = Array.from({ length: 3_000 }, () => ({ type: 'text', text: '' }));
  expect(charactersOf({ content })).toBeGreaterThanOrEqual(LARGE_TEXT);
});

it('a short answer is not', () => {
  const answer = { content: [{ type: 'text', text: 'done' }], structuredContent: { a: 1 } };
  expect(charactersOf(answer)).toBeLessThan(LARGE_TEXT);
});

/** A reply of bytes, and what was decoded of them. */
function unreadReply(): { readonly reply: Reply; readonly decoded: string[] } {
  const decoded: string[] = [];
  const reply: Reply = {
    get text() {
      decoded.push('text');
      return '{}';
    },
    get blocks() {
      decoded.push('blocks');
      return [{ type: 'image' }];
    },
    written: [Buffer.from('[{"type":"text","text":"{}"},{"type":"image"}]')],
    isError: false,
    code: 'OK',
  };
  return { reply, decoded };
}

it('members are added to the metadata of a reply of bytes without decoding them', () => {
  const { reply, decoded } = unreadReply();
  const answer = withMeta(withMeta(reply, { first: 1 }), { second: 2 });
  expect(decoded).toEqual([]);
  expect(answer.meta).toEqual({ first: 1, second: 2 });
  expect([answer.text, answer.blocks]).toEqual(['{}', [{ type: 'image' }]]);
});

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const image: ContentBlock = { type: 'image', data: 'aGk=', mimeType: 'image/png' };

function dataOf(result: Parameters<typeof toResultData>[0]): unknown {
  return JSON.parse(toResultData(result).dataText);
}

describe('a long text beside structured content', () => {
  const pages = ['Brakes', 'Tyres'].map((title, index) => ({
    page: index + 1,
    title,
    text: `${title} of the cargo bicycles were inspected on 2026-04-15 and ${'found to be in good order again '.repeat(9)}`,
  }));
  const told = pages.map(({ page, title, text: body }) => `## Page ${page}: ${title}\n\n${body.trim()}`).join('\n\n');
  const blocksOf = (value: string) => toResultData({ structuredContent: { pages }, content: [text(value)] }).blocks;

  it('is told once where it tells the same in another layout', () => {
    expect(blocksOf(told)).toEqual([]);
  });

  it.each([
    ['a number', `${told}\nTotal: 4711`],
    ['several words', `${told}\nNever ride them without a helmet, lights, gloves`],
  ])('stays where it has %s that the data lack', (_, more) => {
    expect(blocksOf(more)).toEqual([text(more)]);
  });
});

describe('toResultData', () => {
  it('takes structured content and drops the text that repeats it', () => {
    const structured = { id: 1, tags: ['a'] };
    for (const repeated of [JSON.stringify(structured), JSON.stringify(structured, null, 2), '{"tags":["a"],"id":1}']) {
      const { dataText, blocks } = toResultData({ structuredContent: structured, content: [text(repeated)] });
      expect(JSON.parse(dataText)).toEqual(structured);
      expect(blocks).toEqual([]);
    }
  });

  it('drops text that repeats the only member of structured content', () => {
    for (const [structured, repeated] of [
      [{ entities: [{ name: 'A' }] }, '[\n  { "name": "A" }\n]'],
      [{ content: 'line one\nline two' }, 'line one\nline two'],
    ] as const) {
      expect(toResultData({ structuredContent: structured, content: [text(repeated)] }).blocks).toEqual([]);
    }
    const several = { structuredContent: { a: 'x', b: 'y' }, content: [text('x'), text('z')] };
    expect(toResultData(several).blocks).toEqual([text('z')]);
  });

  it('drops the JSON of structured content also under a heading of one line', () => {
    const structuredContent = { theme: 'dark', size: 2 };
    const json = JSON.stringify(structuredContent, null, 2);
    const blocksOf = (value: string) => toResultData({ structuredContent, content: [text(value)] }).blocks;
    expect(blocksOf(`Current configuration:\n${json}`)).toEqual([]);
    expect(blocksOf(`Current configuration:\n\`\`\`json\n${json}\n\`\`\``)).toEqual([]);
    const beside = {
      structuredContent: { config: structuredContent, hints: [] },
      content: [text(`Settings:\n${json}`)],
    };
    expect(toResultData(beside).blocks).toEqual([]);
    expect(blocksOf(`Saved at noon.\nCurrent configuration:\n${json}`)).toHaveLength(1);
  });

  it.each<[string, readonly unknown[], readonly string[], number]>([
    ['objects', [{ id: 1 }, { id: 2 }], ['{"id": 1}', '{\n  "id": 2\n}'], 0],
    ['texts', ['a', 'b\n\nc'], ['a', 'b\n\nc'], 0],
    ['numbers', [1, 2], ['1', '2'], 0],
    ['other objects', [{ id: 1 }, { id: 2 }], ['{"id": 2}', '{"id": 1}'], 2],
    ['fewer texts', ['a', 'b'], ['a'], 1],
  ])('drops texts that are the items of its only list, one each, and no others: %s', (_what, result, texts, left) => {
    const { blocks } = toResultData({ structuredContent: { result }, content: texts.map(text) });
    expect(blocks).toHaveLength(left);
  });

  it('keeps text that differs from the structured content', () => {
    const { blocks } = toResultData({ structuredContent: { id: 1 }, content: [text('Created item 1.'), image] });
    expect(blocks).toEqual([text('Created item 1.'), image]);
  });

  it('drops a repeating text block whatever its annotations say, and keeps one with other members', () => {
    const annotated = { ...text('{"id":1}'), annotations: { audience: ['user'], priority: 1 }, _meta: { at: 'noon' } };
    const structuredContent = { id: 1 };
    expect(toResultData({ structuredContent, content: [annotated] }).blocks).toEqual([]);
    const items = { structuredContent: { items: ['a'] }, content: [{ ...text('a'), annotations: { priority: 1 } }] };
    expect(toResultData(items).blocks).toEqual([]);
    const others = [
      { ...text('Made 1.'), annotations: { priority: 1 } },
      { ...text('{"id":1}'), citations: ['a'] },
    ];
    expect(toResultData({ structuredContent, content: others }).blocks).toEqual(others);
  });

  it('parses a single JSON text', () => {
    expect(dataOf({ content: [text('{"a":[1,2]}')] })).toEqual({ a: [1, 2] });
  });

  it('leaves scalars and almost-JSON as text', () => {
    for (const value of ['42', 'true', '007', '1e3', '"quoted"', '{oops', '[1, 2', '']) {
      expect(dataOf({ content: [text(value)] })).toBe(value);
    }
  });

  it('writes JSON over several lines compactly', () => {
    expect(toResultData({ content: [text('{\n  "a": 1\n}')] }).dataText).toBe('{"a":1}');
  });

  it('does not round numbers that a double cannot hold', () => {
    const wide = '{\n  "id": 12345678901234567890,\n  "size": 1e400\n}';
    expect(toResultData({ content: [text(wide)] }).dataText).toBe(wide);
  });

  it('refers to native blocks by their position after the envelope', () => {
    const link: ContentBlock = { type: 'resource_link', uri: 'demo://1', name: 'one' };
    const embedded: ContentBlock = {
      type: 'resource',
      resource: { uri: 'demo://2', mimeType: 'text/plain', text: 'x' },
    };
    const { dataText, blocks } = toResultData({ content: [text('before'), image, link, embedded, text('after')] });
    expect(JSON.parse(dataText)).toEqual({
      content: [
        text('before'),
        { type: 'image', mimeType: 'image/png', block: 1 },
        { type: 'resource_link', uri: 'demo://1', name: 'one', block: 2 },
        { type: 'resource', uri: 'demo://2', mimeType: 'text/plain', block: 3 },
        text('after'),
      ],
    });
    expect(blocks).toEqual([image, link, embedded]);
  });

  it('keeps annotations of a single text', () => {
    const annotated = { ...text('hello'), annotations: { priority: 1 } };
    expect(dataOf({ content: [annotated] })).toEqual({ content: [annotated] });
  });

  it('gives null for an empty result', () => {
    expect(dataOf({})).toBeNull();
    expect(dataOf({ content: [] })).toBeNull();
  });

  it('returns any JSON object or list unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        const written = JSON.stringify(value);
        expect(dataOf({ content: [text(written)] })).toEqual(JSON.parse(written));
        expect(dataOf({ structuredContent: value, content: [text(JSON.stringify(value, null, 2))] })).toEqual(
          JSON.parse(written),
        );
      }),
    );
  });

  it('returns any text unchanged', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        fc.pre(!/^\s*[[{]/.test(value));
        expect(dataOf({ content: [text(value)] })).toBe(value);
      }),
    );
  });
});

describe('answers that are nested too deeply', () => {
  const nest = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };

  it('stay text where they came as text, so that no client has to parse them', () => {
    const text = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(toResultData({ content: [{ type: 'text', text }] })).toEqual({
      dataText: JSON.stringify(text),
      value: text,
      blocks: [],
    });
  });

  it('come as their text blocks where structured content cannot be written', () => {
    for (const levels of [600, 1_000_000]) {
      const structuredContent = { deep: nest(levels) };
      expect(toResultData({ structuredContent, content: [{ type: 'text', text: 'short' }] }).dataText).toBe('"short"');
      expect(() => toResultData({ structuredContent, content: [] })).toThrow('nested more than 512 levels deep');
    }
  });
});
