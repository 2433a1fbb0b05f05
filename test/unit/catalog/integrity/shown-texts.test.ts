import { describe, expect, it } from 'vitest';
import { cleanSchema, cleanText, cleanValue, hasInvisible } from '../../../../src/base/lib/text.js';
import { exampleParams } from '../../../../src/catalog/arguments/example-params.js';
import { describeParameters } from '../../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const TAGS = '\u{e0041}\u{e007f}';

/** Everything that an author can write into a schema, with invisible characters in it. */
const PROPERTY = {
  type: 'string',
  description: `Which one.${TAGS}`,
  enum: [`a${TAGS}`, `b\u200b${'x'.repeat(1_000)}`],
  default: `a\u3164`,
};
const NESTED = {
  type: 'object',
  description: 'Options.\u202e',
  properties: { [`deep${TAGS}`]: { type: 'string', enum: ['x\ufe0f\ufe0f'] } },
};

describe('the parts of a schema that models read', () => {
  const operation = buildTestOperation(
    aTool('find_it', {
      type: 'object',
      properties: { which: PROPERTY, options: NESTED },
      required: ['which', 'options'],
    }),
  );

  it('contain no invisible characters', () => {
    const texts = [describeParameters(operation), exampleParams(operation), cleanSchema(operation.inputSchema)];
    for (const part of texts) expect(hasInvisible(JSON.stringify(part))).toBe(false);
  });

  it('are bounded, value by value', () => {
    const [which] = describeParameters(operation);
    expect(which).toMatchObject({ default: 'a', enum: ['a', expect.stringMatching(/^bx+…$/)] });
    expect(String(which?.enum?.[1])).toHaveLength(500);
  });

  it('keep visible text unchanged', () => {
    const schema = { enum: [' padded ', 'ok ❤️', null, 5], properties: { a: { pattern: '^\\s+$' } } };
    expect(cleanValue(schema)).toEqual(schema);
  });
});

describe('cleanText', () => {
  it.each([
    ['fillers', 'a\u3164\u115f\uffa0b', 'ab'],
    ['variation selectors without an emoji', 'a\ufe0fb\ufe00c\u180bd', 'abcd'],
    ['repeated variation selectors', '❤\ufe0f\ufe0f\ufe0f', '❤\ufe0f'],
    ['a joiner of graphemes', 'a\u034fb', 'ab'],
  ])('removes %s', (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});
