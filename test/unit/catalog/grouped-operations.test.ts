import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/base/protocol/operation.js';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import { bindArguments } from '../../../src/catalog/arguments/bind-arguments.js';
import type { Catalog } from '../../../src/catalog/catalog.js';
import { visibleInputSchema } from '../../../src/catalog/grouped-tools/narrow-schema.js';
import { ToolRecords } from '../../../src/catalog/integrity/tool-record.js';
import type { CurationRule, UpstreamConfig } from '../../../src/config/gateway-config.js';
import { describeParameters } from '../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const text = { type: 'string' };

const grouped = (name: string, values: readonly string[], properties = {}, required: readonly string[] = []): RawTool =>
  aTool(name, {
    type: 'object',
    properties: { method: { type: 'string', enum: values }, ...properties },
    required: ['method', ...required],
  });

const ISSUE_WRITE = grouped('issue_write', ['create', 'update', 'delete'], { owner: text, title: text }, ['owner']);

/** Those of one gateway. */
const records = new ToolRecords();

const build = (tools: readonly RawTool[], settings: Partial<UpstreamConfig> = {}) =>
  buildTestCatalog({ hub: tools }, { upstreams: [anUpstream('hub', settings)], records });

const curated = (tools: readonly RawTool[], ...curation: CurationRule[]) => build(tools, { curation });

const namesOf = ({ operations }: Catalog) => operations.map(({ name }) => name);
const kindsOf = ({ diagnostics }: Catalog) => diagnostics.map(({ kind }) => kind);

const find = (catalog: Catalog, name: string): Operation => {
  const operation = catalog.find(name);
  if (operation === undefined) throw new Error(`no ${name}`);
  return operation;
};

describe('a grouped tool', () => {
  const catalog = build([ISSUE_WRITE]);

  it('becomes one operation per value', () => {
    const shown = catalog.operations.map(({ name, tool, classification, groupedBy, fixedArguments }) => {
      return { name, tool, category: classification.category, groupedBy, fixedArguments };
    });
    const common = { tool: 'issue_write', groupedBy: 'method' };
    expect(shown).toEqual([
      { name: 'create_issue', category: 'CREATE', fixedArguments: { method: 'create' }, ...common },
      { name: 'delete_issue', category: 'DELETE', fixedArguments: { method: 'delete' }, ...common },
      { name: 'update_issue', category: 'UPDATE', fixedArguments: { method: 'update' }, ...common },
    ]);
    expect(catalog.diagnostics).toEqual([]);
  });

  it('stays one operation where the parts of its server would have too many parameters in all', () => {
    const values = ['create', 'get', 'update', 'delete'];
    const wide = Object.fromEntries(Array.from({ length: 4_500 }, (_, index) => [`p${index}`, text]));
    const tools = Array.from({ length: 7 }, (_, index) => grouped(`thing_${index}`, values, wide));
    const { operations, diagnostics } = build([...tools, ISSUE_WRITE]);
    expect(operations.filter(({ fixedArguments }) => fixedArguments !== undefined)).toHaveLength(5 * 4 + 3);
    expect(diagnostics.filter(({ kind }) => kind === 'tool-unsplit').map(({ tool }) => tool)).toEqual([
      'thing_5',
      'thing_6',
    ]);
  });

  it('hides the parameter and sends its value', () => {
    const create = find(catalog, 'create_issue');
    expect(describeParameters(create).map(({ name }) => name)).toEqual(['owner', 'title']);
    expect(visibleInputSchema(create)).toMatchObject({ properties: { owner: text, title: text }, required: ['owner'] });
    expect(JSON.stringify(visibleInputSchema(create))).not.toContain('method');
    expect(bindArguments(create, { owner: 'a' })).toEqual({ ok: true, arguments: { owner: 'a', method: 'create' } });
  });

  it('splits identifiers from input only where the value updates', () => {
    expect(find(catalog, 'update_issue').identifiers).toEqual(['owner']);
    expect(find(catalog, 'create_issue').parameters.map(({ place }) => place)).toEqual(['params', 'params']);
    expect(bindArguments(find(catalog, 'update_issue'), { owner: 'a', input: { title: 't' } })).toEqual({
      ok: true,
      arguments: { owner: 'a', title: 't', method: 'update' },
    });
  });

  it('documents and accepts only the parameters of its branch', () => {
    const branch = (value: string, property: string) => ({
      type: 'object',
      properties: { method: { const: value }, [property]: text },
      required: ['method', property],
    });
    const tool = aTool('issue_write', {
      type: 'object',
      oneOf: [branch('create', 'title'), branch('delete', 'number')],
    });
    const create = find(build([tool]), 'create_issue');
    expect(describeParameters(create)).toMatchObject([{ name: 'title', required: true }]);
    expect(bindArguments(create, { title: 't' })).toEqual({ ok: true, arguments: { title: 't', method: 'create' } });
    expect(bindArguments(create, { title: 't', number: '1' })).toMatchObject({
      ok: false,
      faults: [{ code: 'VALIDATION_UNKNOWN_PARAM', param: 'number' }],
    });
  });

  it.each([true, false])('refuses another value of the fixed parameter in every spelling (strict: %s)', (strict) => {
    const create = find(build([ISSUE_WRITE], { strict }), 'create_issue');
    for (const key of ['method', 'METHOD', 'Method', 'me_thod', 'ｍethod']) {
      const bound = bindArguments(create, { owner: 'a', [key]: 'delete' });
      expect(bound).toMatchObject({ ok: false, faults: [{ code: 'VALIDATION_UNKNOWN_PARAM', param: key }] });
      if (!bound.ok) expect(bound.faults[0]?.message).toContain("'create_issue'");
    }
  });

  it('stays one operation where its values have the same effect', () => {
    const catalog = build([grouped('belt_control', ['start', 'stop'])]);
    expect(namesOf(catalog)).toEqual(['belt_control']);
    expect(find(catalog, 'belt_control')).toMatchObject({ groupedBy: 'method' });
    expect(find(catalog, 'belt_control').fixedArguments).toBeUndefined();
  });
});

describe('the setting group', () => {
  const belt = grouped('belt_control', ['start', 'stop']);
  const parts = ['start_belt', 'stop_belt'];

  it('splits or keeps all grouped tools of an upstream', () => {
    expect(namesOf(build([belt, ISSUE_WRITE], { group: 'keep' }))).toEqual(['belt_control', 'issue_write']);
    expect(namesOf(build([belt], { group: 'split' }))).toEqual(parts);
  });

  it('of a tool overrules that of its upstream', () => {
    const settings = { group: 'keep', curation: [{ pattern: 'belt_*', group: 'split' }] } as const;
    expect(namesOf(build([belt, ISSUE_WRITE], settings))).toEqual(['issue_write', ...parts]);
    expect(namesOf(curated([ISSUE_WRITE], { pattern: 'issue_write', group: 'keep' }))).toEqual(['issue_write']);
  });

  it('does not split a tool whose parameter accepts other values too', () => {
    const open = aTool('belt_control', { properties: { action: { anyOf: [{ enum: ['start', 'stop'] }, text] } } });
    expect(namesOf(build([open], { group: 'split' }))).toEqual(['belt_control']);
  });
});

describe('the names of the parts of a grouped tool', () => {
  it('yield to every whole tool, and to each other', () => {
    const catalog = build([ISSUE_WRITE, aTool('createIssue'), grouped('issues_manage', ['list', 'delete'])]);
    expect(namesOf(catalog)).toContain('create_issue');
    expect(find(catalog, 'create_issue').tool).toBe('createIssue');
    expect(find(catalog, 'issue_write_create').fixedArguments).toEqual({ method: 'create' });
    expect(find(catalog, 'delete_issue').tool).toBe('issue_write');
    expect(find(catalog, 'delete_issues').tool).toBe('issues_manage');
    expect(kindsOf(catalog)).toEqual(['name-suffixed']);
  });

  it('are given to neither of two grouped tools that ask for the same', () => {
    const catalog = build([ISSUE_WRITE, grouped('manage_issue', ['create', 'list'])]);
    expect(catalog.find('create_issue')).toBeUndefined();
    expect(namesOf(catalog)).toEqual([
      'delete_issue',
      'issue_write_create',
      'list_issue',
      'manage_issue_create',
      'update_issue',
    ]);
  });

  it('never take the name of the tool itself', () => {
    const catalog = build([grouped('delete_issue', ['delete', 'archive'])]);
    expect(namesOf(catalog)).toEqual(['archive_issue', 'delete_issue_delete']);
    expect(catalog.resolve('delete_issue').kind).toBe('grouped');
  });

  it('do not change when a tool is hidden', () => {
    const rules: CurationRule[] = [{ pattern: 'createIssue', hide: true }];
    expect(namesOf(curated([ISSUE_WRITE, aTool('createIssue')], ...rules))).toContain('issue_write_create');
  });

  it('are qualified where two upstreams offer them', () => {
    const catalog = buildTestCatalog({ hub: [ISSUE_WRITE], lab: [aTool('create_issue')] });
    expect(namesOf(catalog)).toEqual(['delete_issue', 'hub__create_issue', 'lab__create_issue', 'update_issue']);
  });
});

describe('the curation of a grouped tool', () => {
  it('applies to all parts, and that of a part to this part only', () => {
    const catalog = curated(
      [ISSUE_WRITE],
      { pattern: 'issue_write', danger: 'dangerous', family: 'special' },
      { pattern: 'create_issue', danger: 'safe', description: 'Mine.' },
    );
    const levels = catalog.operations.map(({ classification, family }) => [classification.danger.level, family]);
    expect(levels).toEqual([
      ['safe', 'special'],
      ['dangerous', 'special'],
      ['dangerous', 'special'],
    ]);
    expect(find(catalog, 'create_issue').description).toBe('Mine.');
  });

  it('declares a category without undoing the split', () => {
    const catalog = curated([ISSUE_WRITE], { pattern: '*', category: 'EXECUTE' });
    expect(catalog.operations.map(({ classification }) => classification.category)).toEqual(
      Array.from({ length: 3 }, () => 'EXECUTE'),
    );
  });

  it('hides all parts except those that a later rule shows again', () => {
    const hidden = { pattern: 'issue_write', hide: true };
    expect(namesOf(curated([ISSUE_WRITE], hidden))).toEqual([]);
    expect(namesOf(curated([ISSUE_WRITE], hidden, { pattern: 'create_issue', hide: false }))).toEqual(['create_issue']);
    expect(namesOf(curated([ISSUE_WRITE], { pattern: 'delete_*', hide: true }))).toEqual([
      'create_issue',
      'update_issue',
    ]);
  });

  it('renames a part by its own name, and reports a rename of the whole tool as without effect', () => {
    const catalog = curated([ISSUE_WRITE], { pattern: 'create_issue', rename: 'open_issue' });
    expect(namesOf(catalog)).toEqual(['delete_issue', 'open_issue', 'update_issue']);
    const idle = curated([ISSUE_WRITE], { pattern: 'issue_write', rename: 'tickets' });
    expect(namesOf(idle)).toEqual(['create_issue', 'delete_issue', 'update_issue']);
    expect(kindsOf(idle)).toEqual(['rename-idle']);
  });
});

describe("a grouped tool's own name", () => {
  const catalog = buildTestCatalog({
    hub: [ISSUE_WRITE],
    lab: [aTool('issueWrite'), grouped('noteWrite', ['create', 'delete'])],
    pub: [grouped('noteWrite', ['create', 'delete'])],
  });

  it.each([
    ['hub__issue_write', ['create_issue', 'update_issue', 'delete_issue']],
    ['mcp__hub__issue_write', ['create_issue', 'update_issue', 'delete_issue']],
    ['hub_issue_write', ['create_issue', 'update_issue', 'delete_issue']],
    ['noteWrite', ['lab__create_note', 'lab__delete_note', 'pub__create_note', 'pub__delete_note']],
    ['pub.noteWrite', ['pub__create_note', 'pub__delete_note']],
  ])('resolves to its parts: %s', (name, expected) => {
    const resolution = catalog.resolve(name);
    expect(resolution.kind).toBe('grouped');
    const names = resolution.kind === 'grouped' ? resolution.candidates.map((candidate) => candidate.name) : [];
    expect(names.toSorted()).toEqual(expected.toSorted());
  });

  it('calls the tool of another upstream that has the name and is not split', () => {
    expect(catalog.find('issue_write')?.upstream).toBe('lab');
    expect(catalog.resolve('lab__issue_write').kind).toBe('found');
  });

  it('is not confused with another spelling of the name of a part', () => {
    expect(catalog.resolve('createIssue')).toMatchObject({ kind: 'raw-name', candidates: [{ name: 'create_issue' }] });
  });
});

describe('a catalog that is built again', () => {
  const other = aTool('search');
  const settings = { curation: [{ pattern: 'search', danger: 'safe' }] } as const;
  const before = build([ISSUE_WRITE, other], settings);

  it('reuses the operations of unchanged tools', () => {
    const after = build([ISSUE_WRITE, structuredClone(other)], { curation: [{ pattern: 'search', danger: 'safe' }] });
    expect(after.operations).toEqual(before.operations);
    expect(after.find('create_issue')).toBe(before.find('create_issue'));
    expect(after.find('search')).not.toBe(before.find('search'));
  });

  it.each([
    ['curation', { curation: [{ pattern: '*', danger: 'dangerous' }] }],
    ['strictness', { strict: false }],
    ['timeout', { timeoutMs: 7 }],
    ['grouping', { group: 'keep' }],
    ['slug', { slug: 'hub2', name: 'hub2' }],
  ] as const)('creates new operations where the %s has changed', (_what, changes) => {
    const slug = 'slug' in changes ? changes.slug : 'hub';
    const make = (tools: readonly RawTool[]) =>
      buildTestCatalog({ [slug]: tools }, { upstreams: [anUpstream(slug, { ...settings, ...changes })], records });
    const after = make([ISSUE_WRITE, other]);
    expect(after.operations).toEqual(make(structuredClone([ISSUE_WRITE, other])).operations);
    expect(after.operations).not.toEqual(before.operations);
  });
});
