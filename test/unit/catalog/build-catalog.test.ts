import { describe, expect, it } from 'vitest';
import { buildCatalog, diffCatalogs } from '../../../src/catalog/build-catalog.js';
import type { Catalog } from '../../../src/catalog/catalog.js';
import { anOperation } from '../../support/an-operation.js';
import { anUpstream, aTool, buildTestCatalog, buildTestOperation } from '../../support/build-test-catalog.js';

const namesOf = (catalog: Catalog) => catalog.operations.map(({ name }) => name);
const kindsOf = (catalog: Catalog) => catalog.diagnostics.map(({ kind }) => kind);

describe('the names of a catalog', () => {
  it('stay bare where they are unique and are qualified for every upstream where they are not', () => {
    const catalog = buildTestCatalog({ a: [aTool('list_all'), aTool('onlyA')], b: [aTool('List_all')] });
    expect(namesOf(catalog)).toEqual(['a__list_all', 'b__list_all', 'only_a']);
    expect(kindsOf(catalog)).toEqual(['name-qualified', 'name-qualified']);
  });

  it('are found in their bare and in their qualified form', () => {
    const catalog = buildTestCatalog({ a: [aTool('list_all'), aTool('onlyA')], b: [aTool('list_all')] });
    expect(catalog.find('only_a')).toBe(catalog.find('a__only_a'));
    expect(catalog.find('a__list_all')?.upstream).toBe('a');
    expect(catalog.find('list_all')).toBeUndefined();
    expect(catalog.find('__proto__')).toBeUndefined();
  });

  it('stay with the upstream they are pinned to', () => {
    const pinned = buildTestCatalog({ a: [aTool('list_all')], b: [aTool('list_all')] }, { pins: { list_all: 'b' } });
    expect(namesOf(pinned)).toEqual(['a__list_all', 'list_all']);
    expect(pinned.find('list_all')?.upstream).toBe('b');
  });

  it('are given to no other upstream while the one that they are pinned to is disconnected', () => {
    const away = buildTestCatalog({ a: [aTool('list_all')], b: [] }, { pins: { list_all: 'b' } });
    expect(namesOf(away)).toEqual(['a__list_all']);
  });

  it('are reported when they are pinned to an upstream that is not configured', () => {
    const catalog = buildTestCatalog({ a: [aTool('list_all')] }, { pins: { list_all: 'nobody' } });
    expect(kindsOf(catalog)).toEqual(['pin-unknown']);
  });

  it('never include a bare name of the protocol or of a built-in for an upstream', () => {
    const builtins = [anOperation({ name: 'introspect', qualifiedName: 'introspect', upstream: 'gateway' })];
    const catalog = buildTestCatalog(
      { a: [aTool('introspect'), aTool('executeAgent')] },
      { builtins, pins: { introspect: 'a' } },
    );
    expect(namesOf(catalog)).toEqual(['a__execute_agent', 'a__introspect', 'introspect']);
    expect(catalog.find('introspect')?.upstream).toBe('gateway');
  });

  it('are numbered and reported where one upstream has several tools of the same snake_case name', () => {
    const catalog = buildTestCatalog({ a: [aTool('getUser'), aTool('get_user'), aTool('get-user')] });
    expect(catalog.operations.map(({ name, tool }) => [name, tool])).toEqual([
      ['get_user', 'get_user'],
      ['get_user_2', 'get-user'],
      ['get_user_3', 'getUser'],
    ]);
    expect(kindsOf(catalog)).toEqual(['name-suffixed', 'name-suffixed']);
  });
});

describe('the curation of a catalog', () => {
  const curate = (curation: Parameters<typeof anUpstream>[1]) =>
    buildTestCatalog(
      { a: [aTool('getUser'), aTool('get_user'), aTool('drop-all')] },
      { upstreams: [anUpstream('a', curation)] },
    );

  it('renames and hides tools', () => {
    const catalog = curate({
      curation: [
        { pattern: 'getUser', rename: 'fetch_user' },
        { pattern: 'drop_*', hide: true },
      ],
    });
    expect(catalog.operations.map(({ name, tool }) => [name, tool])).toEqual([
      ['fetch_user', 'getUser'],
      ['get_user', 'get_user'],
    ]);
  });

  it('frees the name of a hidden tool for others', () => {
    const catalog = buildTestCatalog(
      { a: [aTool('list_all')], b: [aTool('list_all')] },
      { upstreams: [anUpstream('a', { curation: [{ pattern: '*', hide: true }] })] },
    );
    expect(namesOf(catalog)).toEqual(['list_all']);
  });

  it('gives a name to the tool that is renamed to it, not to the one that is spelled so', () => {
    const catalog = curate({ curation: [{ pattern: 'drop-all', rename: 'get_user' }] });
    expect(catalog.find('get_user')?.tool).toBe('drop-all');
  });

  it('declares category, danger, family, description, timeout and idempotence', () => {
    const operation = buildTestOperation(aTool('frobnicate'), {
      timeoutMs: 1_000,
      curation: [
        { pattern: '*', category: 'DELETE', danger: 'dangerous', family: 'special', timeoutMs: 5, idempotent: true },
        { pattern: 'frob*', description: 'Mine.' },
      ],
    });
    expect(operation).toMatchObject({ family: 'special', description: 'Mine.', timeoutMs: 5, retryable: true });
    expect(operation.classification).toMatchObject({ category: 'DELETE', danger: { level: 'dangerous' } });
  });
});

describe('the operations of a catalog', () => {
  it('share the schemas of their tools instead of copying them', () => {
    const inputSchema = { type: 'object', properties: { userId: { type: 'string' } }, required: ['userId'] };
    const outputSchema = { type: 'object' };
    const operation = buildTestOperation(aTool('getUser', inputSchema, { outputSchema }), { timeoutMs: 7 });
    expect(operation).toMatchObject({
      name: 'get_user',
      qualifiedName: 'server__get_user',
      upstream: 'server',
      tool: 'getUser',
      timeoutMs: 7,
    });
    expect(operation.inputSchema).toBe(inputSchema);
    expect(operation.outputSchema).toBe(outputSchema);
    expect(operation.parameters[0]?.schema).toBe(inputSchema.properties.userId);
  });

  it.each([
    [{ trust: 'validated' }, true],
    [{ trust: 'generated' }, false],
    [{ trust: 'untested' }, false],
    [{ trust: 'validated', curation: [{ pattern: '*', idempotent: false }] }, false],
  ] as const)('believe an idempotent hint as far as trust goes: %j', (settings, retryable) => {
    const tool = aTool('create_thing', { type: 'object' }, { annotations: { idempotentHint: true } });
    expect(buildTestOperation(tool, settings).retryable).toBe(retryable);
  });

  it('are described by the first text that the tool has, without invisible characters', () => {
    expect(buildTestOperation({ name: 'x', inputSchema: {}, title: 'A\u200b title' }).description).toBe('A title');
    expect(buildTestOperation({ name: 'x', inputSchema: {}, description: 5 }).description).toBe('');
  });
});

describe('a tool that breaks the specification', () => {
  it.each([
    ['null', null],
    ['a text', 'tool'],
    ['a list', []],
    ['no name', { inputSchema: {} }],
    ['a number for a name', { name: 5, inputSchema: {} }],
    ['an empty name', { name: ' ', inputSchema: {} }],
    ['a number for a schema', { name: 'bad', inputSchema: 5 }],
    ['a list for a schema', { name: 'bad', inputSchema: [] }],
    ['a text for a schema', { name: 'bad', inputSchema: 'none' }],
    ['a schema of texts', { name: 'bad', inputSchema: { type: 'string' } }],
  ])('is left out without affecting the others: %s', (_, tool) => {
    const catalog = buildTestCatalog({ a: [aTool('good'), tool] });
    expect(namesOf(catalog)).toEqual(['good']);
    expect(catalog.diagnostics).toMatchObject([{ kind: 'tool-set-aside', upstream: 'a' }]);
  });

  it.each([
    ['no schema', { name: 'kept' }, ['schema-says-nothing']],
    ['null for a schema', { name: 'kept', inputSchema: null }, ['schema-says-nothing']],
    ['true for a schema', { name: 'kept', inputSchema: true }, ['schema-says-nothing']],
    ['a schema as JSON text', { name: 'kept', inputSchema: '{"type":"object","properties":{"a":{}}}' }, []],
  ])('is repaired and reported: %s', (_, tool, kinds) => {
    const catalog = buildTestCatalog({ a: [tool] });
    expect(namesOf(catalog)).toEqual(['kept']);
    expect(kindsOf(catalog)).toEqual(['tool-repaired', ...kinds]);
  });

  it('keeps its parameters when its schema is a JSON text', () => {
    const operation = buildTestOperation({ name: 'x', inputSchema: '{"properties":{"aB":{}}}' });
    expect(operation.parameters.map(({ name }) => name)).toEqual(['a_b']);
  });

  it('is kept once when it is listed twice, the same definition for every order', () => {
    const [first, second] = [
      aTool('x', { type: 'object', properties: { a: {} } }),
      aTool('x', { type: 'object', properties: { b: {} } }),
    ];
    const catalog = buildTestCatalog({ a: [first, second] });
    expect(catalog.operations).toHaveLength(1);
    expect(kindsOf(catalog)).toEqual(['tool-set-aside']);
    expect(buildTestCatalog({ a: [second, first] }).operations).toEqual(catalog.operations);
  });

  it('is left out without affecting the others when its schema is nested too deeply', () => {
    let inputSchema: object = { type: 'object' };
    for (let depth = 0; depth < 20_000; depth++) inputSchema = { allOf: [inputSchema], properties: { a: inputSchema } };
    const catalog = buildTestCatalog({ a: [aTool('good'), { name: 'deep', inputSchema }] });
    expect(namesOf(catalog)).toContain('good');
  });
});

it('a catalog leaves out and reports tools of an upstream that is not configured', () => {
  const toolSets = [{ upstream: 'a', tools: [aTool('x')] }];
  const catalog = buildCatalog({ toolSets, upstreams: [anUpstream('b')], builtins: [], pins: {} });
  expect(namesOf(catalog)).toEqual([]);
  expect(kindsOf(catalog)).toEqual(['upstream-unknown']);
});

it('a catalog ignores annotations in the classification where its input says so', () => {
  const tool = aTool('frobnicate', { type: 'object' }, { annotations: { readOnlyHint: true, idempotentHint: true } });
  const input = { toolSets: [{ upstream: 'a', tools: [tool] }], upstreams: [anUpstream('a')], builtins: [], pins: {} };
  expect(buildCatalog(input).find('frobnicate')?.retryable).toBe(true);
  expect(buildCatalog({ ...input, ignoreAnnotations: true }).find('frobnicate')?.retryable).toBe(false);
});

it('reads references that double thirty times as often as there are schemas', () => {
  const next = (index: number) => ({ $ref: `#/$defs/d${index}` });
  const $defs: Record<string, unknown> = { d30: { type: 'string' } };
  for (let index = 0; index < 30; index += 1) $defs[`d${index}`] = { oneOf: [next(index + 1), next(index + 1)] };
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, next(0)]));
  const tools = [{ name: 'get_thing', inputSchema: { type: 'object', properties, $defs } }];
  const catalog = buildCatalog({
    toolSets: [{ upstream: 'a', tools }],
    upstreams: [anUpstream('a')],
    builtins: [],
    pins: {},
  });
  // Read without memory, one of these parameters alone takes seconds.
  expect(catalog.operations.map(({ parameters }) => parameters.length)).toEqual([500]);
});

it('builds a catalog of the tools beside what is none, wherever it stands in the list', () => {
  const tools = [null, { name: 'get_a' }, 3, 'x', []];
  for (const list of [tools, tools.toReversed()]) {
    const { operations } = buildTestCatalog({ a: list });
    expect(operations.map(({ name }) => name)).toEqual(['get_a']);
  }
});

describe('diffCatalogs', () => {
  it('finds no differences between a catalog and itself', () => {
    const catalog = buildTestCatalog({ a: [aTool('x')] });
    expect(diffCatalogs(catalog, catalog)).toEqual({ added: [], removed: [], changed: [] });
  });

  it('replaces a bare name by two qualified ones when a second upstream offers it', () => {
    const before = buildTestCatalog({ a: [aTool('list_all')] });
    const after = buildTestCatalog({ a: [aTool('list_all')], b: [aTool('list_all')] });
    expect(diffCatalogs(before, after)).toEqual({
      added: ['a__list_all', 'b__list_all'],
      removed: ['list_all'],
      changed: [],
    });
  });

  it('reports a name as changed that calls another upstream', () => {
    const before = buildTestCatalog({ a: [aTool('list_all')] });
    const after = buildTestCatalog({ b: [aTool('list_all')] });
    expect(diffCatalogs(before, after)).toEqual({ added: [], removed: [], changed: ['list_all'] });
  });

  it('reports a name as changed, bare and qualified, that calls another tool of the same upstream', () => {
    const tools = { a: [aTool('x'), aTool('y')] };
    const before = buildTestCatalog(tools, {
      upstreams: [anUpstream('a', { curation: [{ pattern: 'x', rename: 'z' }] })],
    });
    const after = buildTestCatalog(tools, {
      upstreams: [anUpstream('a', { curation: [{ pattern: 'y', rename: 'z' }] })],
    });
    expect(diffCatalogs(before, after)).toEqual({ added: ['x'], removed: ['y'], changed: ['a__z', 'z'] });
  });
});
