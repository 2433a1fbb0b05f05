import '../../../support/property-seed.js';
import { ListToolsResultSchema as ListInSdk2 } from '@modelcontextprotocol/core';
import { ListToolsResultSchema as ListInSdk1 } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import { showableDefinition } from '../../../../src/catalog/endpoint/passthrough-tools.js';

const oddValue = fc.constantFrom(
  null,
  true,
  false,
  0,
  '',
  'text',
  [],
  ['a'],
  [null],
  {},
  { a: null },
  { type: 'object' },
);

const keywords = [
  ['type', 'properties', 'required', 'items', 'enum', 'anyOf', 'allOf', 'not', '$ref', '$defs', '$schema', 'title'],
  ['description', 'default', 'const', 'pattern', 'minimum', 'maxLength', 'additionalProperties', 'id'],
].flat();

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.dictionary(
    fc.constantFrom(...keywords),
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      oddValue,
      fc.constantFrom('object', 'string', 'nonsense', ['object', 'null'], '#/$defs/a', '#', '['),
      fc.dictionary(fc.constantFrom('a', 'b', 'type'), fc.oneof(oddValue, tie('schema'))),
      fc.array(fc.oneof(oddValue, tie('schema')), { maxLength: 2 }),
      tie('schema'),
    ),
    { maxKeys: 5 },
  ),
}));

const objectOfOdd = (...names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), oddValue);

const definition = fc.record(
  {
    name: fc.constant('odd'),
    title: oddValue,
    description: oddValue,
    inputSchema: fc.oneof(oddValue, schema),
    outputSchema: fc.oneof(oddValue, schema),
    annotations: fc.oneof(oddValue, objectOfOdd('title', 'readOnlyHint', 'destructiveHint', 'x')),
    execution: fc.oneof(oddValue, objectOfOdd('taskSupport')),
    icons: fc.oneof(oddValue, fc.array(objectOfOdd('src', 'mimeType', 'sizes', 'theme'), { maxLength: 2 })),
    _meta: fc.oneof(oddValue, objectOfOdd('ui', 'x')),
    vendor: oddValue,
  },
  { requiredKeys: ['name'] },
);

describe('a definition that is shown', () => {
  it('can be read by clients of both SDKs, whatever its server sent', () => {
    const ajv = new AjvJsonSchemaValidator();
    fc.assert(
      fc.property(definition, (raw) => {
        const shown: JsonObject = JSON.parse(JSON.stringify(showableDefinition(raw).definition));
        for (const sdk of [ListInSdk1, ListInSdk2])
          expect(sdk.safeParse({ tools: [shown] }).error?.issues, JSON.stringify(shown)).toBeUndefined();
        // Its client prepares each of these when it has read a list.
        if (shown['outputSchema'] !== undefined) ajv.getValidator(shown['outputSchema'] as never);
      }),
      { numRuns: 600 },
    );
  });

  it('is the very definition of its server where nothing is odd, with the nulls that mean something', () => {
    const raw = {
      name: 'fine',
      inputSchema: {
        type: 'object',
        properties: { a: { type: ['string', 'null'], default: null, enum: ['x', null] }, b: { const: null } },
        required: ['a'],
      },
      outputSchema: { type: 'object', properties: { c: { $ref: '#/$defs/c' } }, $defs: { c: { type: 'integer' } } },
      annotations: { readOnlyHint: true, vendor: 1 },
      _meta: { x: null },
    };
    expect(showableDefinition(raw)).toEqual({ definition: raw, odd: [] });
  });
});
