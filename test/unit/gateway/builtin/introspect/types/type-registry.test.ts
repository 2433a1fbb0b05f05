import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../../../src/base/json/json.js';
import type { RawTool } from '../../../../../../src/base/protocol/tools.js';
import { describeParameters } from '../../../../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { buildTypeRegistry } from '../../../../../../src/gateway/builtin/introspect/types/type-registry.js';
import { anUpstream, aTool, buildTestCatalog } from '../../../../../support/build-test-catalog.js';

const typesOf = (...tools: RawTool[]) =>
  buildTypeRegistry(
    buildTestCatalog(
      { a: tools },
      { upstreams: [anUpstream('a', { curation: [{ pattern: 'update_*', category: 'UPDATE' }] })] },
    ),
  );

const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties });

describe('buildTypeRegistry', () => {
  it.each([
    'SemanticCategory',
    'OperationInput',
    'OperationResult',
    'OperationSuccess',
    'OperationFailure',
    'EndpointPermissions',
  ])('knows the protocol type %s', async (name) => {
    const types = typesOf();
    expect((await types.list()).map((type) => type.name)).toContain(name);
    expect(types.find(name)?.name).toBe(name);
  });

  it('answers a name of any length in work that grows with its length', () => {
    const types = typesOf(aTool('get_user'));
    expect(types.find('GetUser'.padEnd(8_000_000, 'x'))).toBeNull();
  });

  it('knows every type that the protocol types use', () => {
    const types = typesOf();
    expect(types.find('OperationResult')).toMatchObject({
      kind: 'union',
      members: ['OperationSuccess', 'OperationFailure'],
    });
    for (const name of ['ErrorDetail', 'ErrorCode', 'ToolData']) expect(types.find(name)).not.toBeNull();
  });

  it.each([
    'CollectionResult',
    'PageInfo',
    'Pagination',
    'BatchInput',
    'BatchResult',
    'Warning',
    'DangerLevel',
    'IfMatch',
  ])('knows what answers, batches and warnings consist of: %s', async (name) => {
    const types = typesOf();
    const known = new Set((await types.list()).map((type) => type.name));
    const details = types.find(name);
    expect(details).not.toBeNull();
    const fields = details?.kind === 'object' ? details.fields : [];
    const used = fields.flatMap(({ type, items }) => [type, items?.type ?? type]);
    expect(used.filter((type) => /^[A-Z]/.test(type) && !known.has(type))).toEqual([]);
  });

  it('explains the types inside parameters, fields in the spelling of the upstream', () => {
    const types = typesOf(
      aTool('find', object({ theFilter: object({ dateRange: object({ from: { type: 'string' } }) }) })),
    );
    expect(types.find('FindTheFilter')).toEqual({
      name: 'FindTheFilter',
      kind: 'object',
      fields: [
        {
          name: 'dateRange',
          type: 'FindTheFilterDateRange',
          required: false,
          description: 'Fields (* required): from (string).',
        },
      ],
    });
    expect(types.find('FindTheFilterDateRange')).toMatchObject({ fields: [{ name: 'from', type: 'string' }] });
  });

  it('explains unions by their members', () => {
    const types = typesOf(
      aTool(
        'find',
        object({ v: { oneOf: [{ type: 'string' }, object({ a: {} }), { type: 'array', items: { type: 'number' } }] } }),
      ),
    );
    expect(types.find('FindV')).toEqual({
      name: 'FindV',
      kind: 'union',
      members: ['string', 'FindVOption2', 'number[]'],
    });
    expect(types.find('FindVOption2')).toMatchObject({ kind: 'object' });
  });

  it('explains what an update can change, in canonical names', () => {
    const types = typesOf(aTool('update_issue', object({ issueId: {}, newTitle: { type: 'string' } })));
    expect(types.find('UpdateIssueInput')).toMatchObject({
      kind: 'object',
      fields: [{ name: 'new_title', type: 'string' }],
    });
  });

  it('lists every type that it can find once, ordered by name', async () => {
    const shared = {
      $defs: { point: object({ x: {} }) },
      properties: { a: { $ref: '#/$defs/point' }, b: { $ref: '#/$defs/point' } },
    };
    const types = typesOf(aTool('draw', shared));
    const names = (await types.list()).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toContain('DrawA');
    expect(names).not.toContain('DrawB');
    for (const name of names) expect(types.find(name)?.name).toBe(name);
  });

  it('returns null for unknown names', () => {
    for (const name of ['Nothing', '', '__proto__', 'Find', 'SemanticCategory2'])
      expect(typesOf(aTool('find')).find(name)).toBeNull();
  });

  it('does not let a tool take a name of the protocol', () => {
    const types = typesOf(aTool('operation', object({ input: object({ a: {} }) })));
    expect(types.find('OperationInput')).toMatchObject({
      fields: [{ name: 'operation' }, { name: 'params' }, { name: 'operations' }],
    });
    expect(types.find('OperationInputType')).toMatchObject({ fields: [{ name: 'a' }] });
  });

  it('numbers different types that have one name by chance', async () => {
    const types = typesOf(
      aTool('get_user', object({ settings_list: object({ a: {} }) })),
      aTool('get_user_settings', object({ list: object({ b: {} }) })),
    );
    const name = 'GetUserSettingsList';
    expect(types.find(name)).toMatchObject({ kind: 'union', members: [`${name}1`, `${name}2`] });
    expect(types.find(`${name}1`)).toMatchObject({ kind: 'object', fields: [{ name: 'a' }] });
    expect(types.find(`${name}2`)).toMatchObject({ kind: 'object', fields: [{ name: 'b' }] });
    expect((await types.list()).map((type) => type.name)).toContain(`${name}2`);
  });

  it('agrees with the description of parameters', () => {
    const catalog = buildTestCatalog({ a: [aTool('a1', object({ p: object({ q: {} }), p_: object({ r: {} }) }))] });
    const types = buildTypeRegistry(catalog);
    const described = catalog.operations.flatMap((operation) => describeParameters(operation));
    expect(described.map(({ type }) => types.find(type))).toMatchObject([
      { fields: [{ name: 'q' }] },
      { fields: [{ name: 'r' }] },
    ]);
  });
});
