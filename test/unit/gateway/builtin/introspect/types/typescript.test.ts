import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../../../src/base/json/json.js';
import { writeSignature } from '../../../../../../src/gateway/builtin/introspect/types/typescript.js';
import { anOperation } from '../../../../../support/an-operation.js';

const TEXT: JsonSchema = { type: 'string' };
const parameter = (name: string, schema: JsonSchema, more: object = {}) =>
  ({ name, upstreamName: name, place: 'params', required: true, schema, ...more }) as const;

const ISSUE: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    state: { enum: ['open', 'closed'] },
    'due-on': { type: ['string', 'null'] },
    labels: { type: 'array', items: { $ref: '#/$defs/label' } },
    counts: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['id', 'state', 'labels'],
  $defs: { label: { anyOf: [TEXT, { type: 'object', properties: { name: TEXT } }] } },
};

describe('writeSignature', () => {
  it('writes parameters, what an update takes, and the answer', () => {
    const operation = anOperation({
      name: 'update_issue',
      parameters: [
        parameter('id', { type: 'integer' }),
        parameter('note', TEXT, { required: false }),
        parameter('title', TEXT, { place: 'input' }),
      ],
      outputSchema: ISSUE,
    });
    expect(writeSignature(operation, 'update')).toBe(
      'aql.update("update_issue", params: {id: number, note?: string, input: {title: string}}): ' +
        'Promise<{id: number, state: "open" | "closed", "due-on"?: string | null, labels: Array<string | {name?: string}>, counts?: Record<string, number>}>',
    );
  });

  it('is TypeScript whatever the schemas are, and bounded', () => {
    const deep = Array.from({ length: 30 }).reduce<JsonSchema>(
      (inner) => ({ type: 'object', properties: { 'a"\n': inner } }),
      TEXT,
    );
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`member_${index}`, ISSUE]));
    for (const schema of [deep, { type: 'object', properties: wide }, {}, { enum: [1, 'a', null, { b: 1 }] }]) {
      const signature = writeSignature(
        anOperation({ parameters: [parameter('value', schema)], outputSchema: schema }),
        'read',
      );
      const source = `declare const it: (${signature.replace(/^aql\.\w+\("[^"]*", /, '').replace(/\): Promise/, ') => Promise')};`;
      const { parseDiagnostics } = ts.createSourceFile('it.ts', source, ts.ScriptTarget.Latest) as unknown as {
        parseDiagnostics: readonly unknown[];
      };
      expect(parseDiagnostics).toEqual([]);
      expect(signature.length).toBeLessThan(100_000);
    }
  });
});
