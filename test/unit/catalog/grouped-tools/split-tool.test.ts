import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import { NAME_PATTERN } from '../../../../src/base/protocol/operation.js';
import { nameValues, splitTool } from '../../../../src/catalog/grouped-tools/split-tool.js';

const tool = (method: JsonSchema, rest: JsonObject = {}) => ({
  name: 'crate_write',
  description: 'Works on crates.',
  inputSchema: { type: 'object', properties: { method, id: { type: 'string' } }, ...rest },
});

describe('splitTool', () => {
  it('gives each value a name', () => {
    expect(splitTool(tool({ enum: ['create', 'delete'] }))).toEqual({
      parameter: 'method',
      values: [
        { value: 'create', name: 'create_crate' },
        { value: 'delete', name: 'delete_crate' },
      ],
      differs: true,
    });
  });

  it.each([
    ['categories', ['create', 'update'], true],
    ['dangers of one category', ['update', 'overwrite'], true],
    ['nothing', ['start', 'stop', 'restart'], false],
  ])('says whether the values differ in category or danger, here in %s: %j', (_what, values, differs) => {
    expect(splitTool(tool({ enum: values }))?.differs).toBe(differs);
  });

  it('ignores annotations when it compares the values', () => {
    const method = { enum: ['list', 'delete'] };
    const hinted = { ...tool(method), annotations: { readOnlyHint: true, destructiveHint: true } };
    expect(splitTool(hinted)).toEqual(splitTool(tool(method)));
  });

  it.each([
    ['a reference', { $ref: '#/$defs/Method' }],
    ['a wrapped reference', { allOf: [{ $ref: '#/$defs/Method' }], default: 'create' }],
    ['an optional one', { anyOf: [{ $ref: '#/$defs/Method' }, { type: 'null' }] }],
    ['constants', { oneOf: [{ const: 'create' }, { const: 'delete' }] }],
  ])('finds the values in %s', (_what, method) => {
    const $defs = { Method: { type: 'string', enum: ['create', 'delete'] } };
    expect(splitTool(tool(method, { $defs }))?.values.map(({ value }) => value)).toEqual(['create', 'delete']);
  });

  it('finds values that are only in the branches', () => {
    const branch = (value: string) => ({ properties: { method: { const: value } }, required: ['method'] });
    const oneOf = [branch('create'), branch('delete')];
    expect(splitTool(tool({ type: 'string' }, { oneOf }))?.values.map(({ value }) => value)).toEqual([
      'create',
      'delete',
    ]);
  });

  it.each([
    ['other texts are taken too', { anyOf: [{ enum: ['create', 'delete'] }, { type: 'string' }] }],
    ['not all are texts', { enum: ['create', 'delete', 3] }],
    ['there are too many', { enum: Array.from({ length: 51 }, (_, index) => `delete_${index}`) }],
    ['there are none', { type: 'string' }],
    ['all read', { enum: ['list', 'get'] }],
  ])('does not split a tool where %s', (_what, method) => {
    expect(splitTool(tool(method))).toBeNull();
  });

  it('does not split a tool of very many parameters, which would be judged with each value', () => {
    const choice = { enum: ['create', 'delete', ...Array.from({ length: 48 }, (_, index) => `delete_${index}`)] };
    const withMore = (count: number) => {
      const more = Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]);
      return {
        name: 'manage',
        inputSchema: { type: 'object', properties: { method: choice, ...Object.fromEntries(more) } },
      };
    };
    expect(splitTool(withMore(900))?.values).toHaveLength(50);
    expect(splitTool(withMore(1_000))).toBeNull();
  });
});

const names = (tool: string, values: readonly string[], description = '') =>
  nameValues({ name: tool, description }, values);

describe('nameValues', () => {
  it.each([
    ['issue_write', ['create', 'update'], ['create_issue', 'update_issue']],
    ['manage_branches', ['delete', 'list'], ['delete_branches', 'list_branches']],
    ['manageInvoices', ['CREATE', 'Void'], ['create_invoices', 'void_invoices']],
    ['ship_rebase', ['start', 'abort'], ['start_ship_rebase', 'abort_ship_rebase']],
    ['transferCrateItems', ['copy', 'move'], ['copy_crate_items', 'move_crate_items']],
    ['create-or-update-crate', ['create', 'replace'], ['create_crate', 'replace_crate']],
    ['manage', ['create', 'delete'], ['create_manage', 'delete_manage']],
    ['crate_tabs', ['new', 'close'], ['new_crate_tabs', 'close_crate_tabs']],
  ])('names the parts of %s with %j by verb and resource', (tool, values, expected) => {
    expect(names(tool, values)).toEqual(expected);
  });

  it('takes a first word that can be a noun for the verb where the description begins with it', () => {
    expect(names('review_crate_list', ['approve'], 'Reviews a list of crates.')).toEqual(['approve_crate_list']);
    expect(names('review_crate_list', ['approve'], 'Lists of reviewed crates.')).toEqual(['approve_review_crate_list']);
  });

  it('keeps the values where all are whole names', () => {
    const values = ['run_belt', 'renameBelt', 'belt-delete'];
    expect(names('belts_write', values)).toEqual(['run_belt', 'rename_belt', 'delete_belt']);
  });

  it('adds the object of a value to the resource in a mixed enumeration, unless it is the resource itself', () => {
    expect(names('ship_crate_write', ['create', 'update_labels', 'delete_crates', 'link_to_ship'])).toEqual([
      'create_ship_crate',
      'update_ship_crate_labels',
      'delete_ship_crates',
      'link_ship_crate_to_ship',
    ]);
  });

  it('puts the resource before an object that says nothing alone', () => {
    expect(names('API-update-page-markdown', ['replace_content', 'update_content', 'replace_content_range'])).toEqual([
      'replace_api_page_markdown_content',
      'update_api_page_markdown_content',
      'replace_api_page_markdown_content_range',
    ]);
    expect(names('n8n_manage_datatable', ['getRows', 'createTable'])).toEqual(['get_rows', 'create_table']);
  });

  it('does not repeat a verb that is the resource too', () => {
    expect(names('crate_link_write', ['link', 'unlink'])).toEqual(['link_crate', 'unlink_crate_link']);
  });

  it('puts a value without a verb behind the name of the tool', () => {
    expect(names('crate_write', ['create', 'soft', '2'])).toEqual([
      'create_crate',
      'crate_write_soft',
      'crate_write_value_2',
    ]);
  });

  it('gives every value a valid name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.string(), { minLength: 1 }), (tool, values) => {
        const found = names(tool, values);
        expect(found).toHaveLength(values.length);
        expect(found.filter((name) => !NAME_PATTERN.test(name))).toEqual([]);
      }),
    );
  });
});
