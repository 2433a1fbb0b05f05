import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonSchema } from '../../../../src/base/json/json.js';
import { FORMATS, findFaults, KNOWN_KEYWORDS } from '../../../../src/config/load/find-faults.js';
import { gatewaySchema } from '../../../../src/config/schema/gateway-schema.js';
import { UPSTREAM_SCHEMA } from '../../../../src/config/schema/upstream-schema.js';
import { SECTIONS } from '../../../../src/modules/modules.js';

const SCHEMAS: readonly (readonly [string, JsonSchema])[] = [
  ['gateway', gatewaySchema(SECTIONS)],
  ['upstream', UPSTREAM_SCHEMA],
];

/** The formats of the gateway's own, as ajv takes them. */
const formats = Object.fromEntries(
  Object.entries(FORMATS).map(([name, fault]) => [name, (text: string) => fault(text) === undefined]),
);

/** Errors of these keywords only repeat another error: that of a key's name, or of a branch. */
const DERIVED = ['propertyNames', 'if'];

describe.each(SCHEMAS)('the %s schema', (_, schema) => {
  it('uses only keywords that are checked', () => {
    const unknown = [...keywordsOf(schema)].filter((keyword) => !KNOWN_KEYWORDS.includes(keyword));
    expect(unknown).toEqual([]);
  });

  it('finds the faults that ajv finds in documents with wrong members', () => {
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats });
    const validate = ajv.compile(schema);
    fc.assert(
      fc.property(documentOf(schema, schema, 0), (document) => {
        validate(document);
        const expected = (validate.errors ?? [])
          .filter(({ keyword }) => !DERIVED.includes(keyword))
          .map(({ keyword, instancePath, params, propertyName }) => {
            const key = params['additionalProperty'] ?? params['missingProperty'] ?? propertyName;
            return [JSON.stringify([instancePath, key ?? null]), keyword] as const;
          });
        const found = findFaults(document, schema).map(({ keyword, path, key }) => {
          const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
          return [JSON.stringify([pointer, key ?? null]), keyword] as const;
        });
        // Of several faults of one value only the first is reported.
        expect(firstOfEach(found)).toEqual(firstOfEach(expected));
      }),
      { numRuns: 300 },
    );
  });
});

function firstOfEach(faults: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(faults.toReversed());
}

/** The keywords of a schema and of all its parts. */
function keywordsOf(schema: unknown): ReadonlySet<string> {
  if (!isJsonObject(schema)) return new Set();
  const maps = ['properties', 'definitions'].flatMap((name) =>
    isJsonObject(schema[name]) ? Object.values(schema[name]) : [],
  );
  const parts = ['items', 'additionalProperties', 'propertyNames', 'if', 'else'].map((name) => schema[name]);
  return new Set([...Object.keys(schema), ...[...maps, ...parts].flatMap((part) => [...keywordsOf(part)])]);
}

const WRONG: fc.Arbitrary<unknown> = fc.constantFrom(
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e9,
  '',
  'a',
  'a b',
  '\u{1F600}',
  'x'.repeat(5000),
  [],
  ['a', 1],
  {},
  { a: 1 },
);

/** Documents with the schema's own keys, half of whose values fit. */
function documentOf(schema: unknown, root: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if (!isJsonObject(schema) || depth > 6) return WRONG;
  if (typeof schema['$ref'] === 'string' && isJsonObject(root['definitions'])) {
    return documentOf(root['definitions'][schema['$ref'].replace('#/definitions/', '')], root, depth);
  }
  if (Array.isArray(schema['enum'])) return fc.oneof(fc.constantFrom(...schema['enum']), WRONG);
  const types = [schema['type']].flat();
  const fitting = types.map((type): fc.Arbitrary<unknown> => {
    if (type === 'object') return objectOf(schema, root, depth);
    if (type === 'array') return fc.array(documentOf(schema['items'], root, depth + 1), { maxLength: 2 });
    return type === 'integer' || type === 'number' ? fc.integer({ min: -1, max: 100 }) : WRONG;
  });
  return fc.oneof({ weight: 6, arbitrary: fc.oneof(...fitting) }, { weight: 1, arbitrary: WRONG });
}

function objectOf(schema: JsonSchema, root: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const members = Object.entries(properties).map(([key, part]) =>
    fc.option(
      fc
        .constant(null)
        .chain(() => documentOf(part, root, depth + 1))
        .map((value) => [key, value] as const),
      { nil: undefined, freq: 2 },
    ),
  );
  const others = fc.array(
    fc.tuple(
      fc.constantFrom('github', 'get_*', 'A b', '', 'constructor', 'a/b~c'),
      documentOf(schema['additionalProperties'], root, depth + 1),
    ),
    { maxLength: 2 },
  );
  return fc
    .tuple(fc.tuple(...members), others)
    .map(([own, more]) => Object.fromEntries([...own.filter((member) => member !== undefined), ...more]));
}
