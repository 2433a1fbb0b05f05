import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/base/json/json.js';
import { introspectOperation } from '../../../../../src/gateway/builtin/introspect/operation.js';
import { parseQuery } from '../../../../../src/gateway/builtin/introspect/parse-query.js';
import { describeParameters } from '../../../../../src/gateway/builtin/introspect/types/parameter-info.js';

const accepts = new Ajv2020({ strict: false }).compile(introspectOperation.inputSchema);

describe('introspectOperation', () => {
  it('documents exactly what it accepts', () => {
    const documented = describeParameters(introspectOperation).map(({ name }) => name);
    expect(documented).toEqual(Object.keys(introspectOperation.inputSchema['properties'] as JsonObject));
    expect(introspectOperation.inputSchema['additionalProperties']).toBe(false);
    expect(introspectOperation.strict).toBe(true);
  });

  it('requires the query alone', () => {
    const required = describeParameters(introspectOperation).filter((parameter) => parameter.required);
    expect(required.map(({ name }) => name)).toEqual(['query']);
    expect(introspectOperation.inputSchema['required']).toEqual(['query']);
  });

  it('documents the query types but does not validate them, because the handler has a specified error code for them', () => {
    const query = describeParameters(introspectOperation).find(({ name }) => name === 'query');
    expect(query?.enum).toEqual(['operations', 'upstreams', 'types', 'result', 'quota_status', 'revoke_token']);
    expect(accepts({ query: 'entities' })).toBe(true);
    expect(() => parseQuery({ query: 'entities' })).toThrow(/'operations', 'upstreams', 'types'/);
  });

  it.each([
    { query: 'operations', first: 0 },
    { query: 'operations', first: 501 },
    { query: 'operations', category: 'READING' },
    { query: 'operations', include: ['everything'] },
    { query: 'operations', limit: 3 },
    { query: 'result', name: 'x', lines: 3 },
    { query: 'result', name: 'x', fields: [1] },
  ])('does not accept %j', (args) => {
    expect(accepts(args)).toBe(false);
  });

  it('has examples that it accepts', () => {
    for (const { request } of introspectOperation.examples ?? []) {
      const { params } = request as { params: JsonObject };
      expect(accepts(params)).toBe(true);
      expect(() => parseQuery(params)).not.toThrow();
    }
    expect(introspectOperation.examples?.length).toBeGreaterThan(0);
  });
});
