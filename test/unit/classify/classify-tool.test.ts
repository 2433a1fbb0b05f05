import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { CATEGORIES, DANGER_LEVELS, dangerRank, TRUST_LEVELS } from '../../../src/base/protocol/operation.js';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { readObjectFields } from '../../../src/schema/schema-shape.js';
import { choice, exampleInput, flag, type ToolExample, text } from './tool-example.js';

const classify = (name: string, example?: ToolExample) => classifyTool(exampleInput(name, example));
const categoryOf = (name: string, description?: string, example: ToolExample = {}) =>
  classify(name, description === undefined ? example : { ...example, description }).category;

describe('the category by name', () => {
  test.each([
    ['list_orders', 'READ'],
    ['listOrders', 'READ'],
    ['orders-list', 'READ'],
    ['orders.get-by-id', 'READ'],
    ['API-retrieve-a-page', 'READ'],
    ['shop_orders_search', 'READ'],
    ['getHTTPStatusV2', 'READ'],
    ['createANewOrderV1', 'CREATE'],
    ['service_binding_delete', 'DELETE'],
    ['pg_kill', 'EXECUTE'],
    ['OrdersUpdate', 'UPDATE'],
    ['mark_as_read', 'UPDATE'],
    ['set_read_status', 'UPDATE'],
    ['roll_back_release', 'UPDATE'],
    ['clean_up_sandbox', 'DELETE'],
    ['find_and_replace', 'UPDATE'],
    ['get_or_create_label', 'CREATE'],
    ['create_or_update_file', 'CREATE'],
    ['list_and_purge_sessions', 'DELETE'],
    ['upsert_records', 'CREATE'],
    ['saved_search_delete', 'DELETE'],
    ['create_search', 'CREATE'],
    ['status_update', 'UPDATE'],
    ['dry_run_import', 'CREATE'],
  ])('of %s is %s', (name, category) => {
    expect(categoryOf(name)).toBe(category);
  });

  test('takes a word that can be a noun for the verb where the description begins with it', () => {
    expect(categoryOf('run_list', 'List the runs of a job')).toBe('READ');
    expect(categoryOf('run_list', 'Run every item of a list')).toBe('EXECUTE');
    expect(categoryOf('nightly_build', 'Retrieve what is known of the nightly build')).toBe('READ');
    expect(categoryOf('get_workflow_run', 'Get one run of a workflow')).toBe('READ');
  });

  test("does not take the upstream's own name for a verb", () => {
    expect(categoryOf('post_office_parcels', 'Returns parcels', { slug: 'post_office' })).toBe('READ');
  });
});

describe('the category by description', () => {
  test.each([
    ['Retrieve the invoice', 'READ'],
    ['Returns the open invoices', 'READ'],
    ['This tool allows you to delete an invoice.', 'DELETE'],
    ['Use this tool when the user wants to create an invoice.', 'CREATE'],
    ['A tool for renaming invoices.', 'UPDATE'],
    ['Permanently removes the invoice.', 'DELETE'],
    ['[beta] Sends the invoice.', 'EXECUTE'],
    ['DEPRECATED: Updates the invoice.', 'UPDATE'],
    ['Gets the invoice or creates it.', 'CREATE'],
    ['Perform a search over invoices', 'READ'],
    ['Sets up the ledger', 'UPDATE'],
    ['Soft-deletes the invoice', 'DELETE'],
  ])('of "%s" is %s', (description, category) => {
    expect(categoryOf('invoice_thing', description)).toBe(category);
  });

  test('does not count what the text only mentions', () => {
    const description = 'Get an invoice. Use delete_invoice to delete it, and update_invoice to change it.';
    expect(categoryOf('get_invoice', description)).toBe('READ');
    expect(categoryOf('get_fields', 'Get the fields needed to create or update an invoice.')).toBe('READ');
    expect(categoryOf('list_tags', 'Lists the tags that other tools create, rename and delete.')).toBe('READ');
    expect(categoryOf('get_branch', 'Get one branch (access levels, force push settings).')).toBe('READ');
  });

  test('does not count a reading verb behind a sentence with an unknown verb', () => {
    expect(categoryOf('frobnicate', 'Frobnicates the ledger. Returns the new ledger.')).toBe('EXECUTE');
  });
});

describe('verbs that change how something looks', () => {
  test.each([
    ['format_table', 'Format a table with borders.', { file: text, table: text }],
    ['format_slide', 'Formats one slide.', { deck: text, slide: text }],
    ['show_columns', 'Show (unhide) a range of columns.', { sheet: text, from: text }],
  ])('%s is no READ', (name, description, parameters) => {
    const { category } = classifyTool(exampleInput(name, { description, parameters }));
    expect(category).toBe('UPDATE');
  });

  test.each([
    ['format_table', 'Formats a table of text.', { text }],
    ['show_columns', 'Show the columns of a table.', { table: text }],
  ])('%s reads where it hands back what it is given, or only looks: %s', (name, description, parameters) => {
    const { category } = classifyTool(exampleInput(name, { description, parameters }));
    expect(category).toBe('READ');
  });
});

describe('a tool in doubt', () => {
  test('is EXECUTE, destructive and of low confidence where nothing is known', () => {
    const { category, danger, confidence } = classify('frobnicate');
    expect({ category, level: danger.level }).toEqual({ category: 'EXECUTE', level: 'destructive' });
    expect(confidence).toBeLessThan(0.2);
  });

  test.each(['poista_kayttaja', 'διαγραφή', 'ZZtop'])('is not understood by the parameters of %s alone', (name) => {
    const { category, danger, confidence } = classify(name, { parameters: { query: text, limit: text } });
    expect([category, danger.level]).toEqual(['EXECUTE', 'destructive']);
    expect(confidence).toBeLessThan(0.3);
  });

  test('is EXECUTE where an update takes nothing to update, and UPDATE for a merge', () => {
    expect(categoryOf('toggle_simulated_logging', 'Toggles simulated logging', { parameters: {} })).toBe('EXECUTE');
    expect(categoryOf('merge_items', undefined)).toBe('UPDATE');
    expect(categoryOf('merge_pull_request', 'Merge a pull request')).toBe('EXECUTE');
  });

  test('is never READ where evidence for a write competes', () => {
    expect(categoryOf('get_password', 'Generates and stores a new password')).not.toBe('READ');
    expect(categoryOf('fetch_updates', 'Fetch updates', { parameters: { prune: flag } })).not.toBe('READ');
  });

  test('gets the more dangerous of two categories of writes', () => {
    expect(categoryOf('invoice_thing', 'Create or delete an invoice')).toBe('DELETE');
  });
});

describe('annotations', () => {
  const readOnly = { annotations: { readOnlyHint: true } };

  test('that contradict the other evidence lower the confidence and are shown first', () => {
    const plain = classify('create_order');
    const { category, confidence, evidence } = classify('create_order', readOnly);
    expect(category).toBe('CREATE');
    expect(confidence).toBeLessThan(plain.confidence);
    expect(evidence[0]).toContain('readOnlyHint=true contradicts');
  });

  test('leave a READ reversible, whatever they say', () => {
    const { category, danger } = classify('search_pages', {
      description: 'Search and list the pages',
      annotations: { destructiveHint: true },
      parameters: { query: text, limit: text },
    });
    expect([category, danger.level]).toEqual(['READ', 'reversible']);
  });

  test('say nothing where destructive stands beside read-only', () => {
    const hints = { readOnlyHint: true, destructiveHint: true };
    expect(classify('create_order', { description: 'Create an order', annotations: hints }).danger.level).toBe(
      'reversible',
    );
  });

  test('make a read of open_nodes, which opens nothing', () => {
    expect(categoryOf('open_nodes', 'Open specific nodes by name')).toBe('READ');
    expect(categoryOf('open_archive', 'Open it', readOnly)).toBe('READ');
    expect(categoryOf('open_app', 'Open an app')).toBe('EXECUTE');
  });

  test('make an unknown tool a READ by a read-only hint from trust level validated on', () => {
    expect(categoryOf('almanac', undefined, readOnly)).toBe('READ');
    expect(categoryOf('almanac', undefined, { ...readOnly, trust: 'untested' })).toBe('EXECUTE');
    expect(categoryOf('almanac', undefined, { ...readOnly, ignoreAnnotations: true })).toBe('EXECUTE');
  });

  test('do not make a plain write a READ, unless the upstream is reviewed', () => {
    expect(categoryOf('send_email', 'Sends an email', readOnly)).toBe('EXECUTE');
    expect(categoryOf('send_email', 'Sends an email', { ...readOnly, trust: 'certified' })).toBe('READ');
  });

  test('raise the danger by a destructive hint at every trust level', () => {
    const annotations = { destructiveHint: true };
    expect(classify('update_price', { annotations, trust: 'untested' }).danger.level).toBe('destructive');
    expect(classify('update_price').danger.level).toBe('reversible');
  });

  test('make a READ reversible by readOnlyHint=false', () => {
    const { category, danger } = classify('get_price', {
      description: 'Get a price',
      annotations: { readOnlyHint: false },
    });
    expect({ category, level: danger.level }).toEqual({ category: 'READ', level: 'reversible' });
  });

  test('do not lower the danger by destructiveHint=false', () => {
    expect(classify('delete_price', { annotations: { destructiveHint: false } }).danger.level).toBe('destructive');
  });
});

describe('curation', () => {
  test('overrules all evidence and comes first in it', () => {
    const declared = classify('run_sql', { curation: { category: 'READ', danger: 'safe' }, parameters: { sql: text } });
    expect(declared).toMatchObject({ category: 'READ', confidence: 1, danger: { level: 'safe' } });
    expect(declared.evidence[0]).toBe('curation: category READ declared');
  });

  test('is destructive where it declares EXECUTE without a danger of what the evidence takes for something else', () => {
    const curation = { category: 'EXECUTE' } as const;
    for (const name of ['get_report', 'create_item', 'set_flag'])
      expect(classify(name, { curation })).toMatchObject({ category: 'EXECUTE', danger: { level: 'destructive' } });
    expect(classify('get_report', { curation: { ...curation, danger: 'reversible' } }).danger.level).toBe('reversible');
    expect(classify('run_sql', { curation, parameters: { sql: text } }).danger.level).toBe('destructive');
    expect(classify('drop_tables', { curation }).danger.level).toBe('forbidden');
    // What the gateway takes for EXECUTE itself is known.
    expect(classify('start_timer', { curation }).danger.level).toBe(classify('start_timer').danger.level);
  });

  test('leaves the category to the evidence where it declares only the danger', () => {
    const declared = classify('delete_draft', { curation: { danger: 'reversible' } });
    expect(declared).toMatchObject({ category: 'DELETE', danger: { level: 'reversible' } });
  });
});

describe('evidence', () => {
  test('is short, strongest first, and names its source', () => {
    const { evidence } = classify('list_orders', {
      title: 'List orders',
      description: 'List all orders. It is read-only.',
      parameters: { cursor: text, query: text, limit: text },
      annotations: { readOnlyHint: true },
    });
    expect(evidence.length).toBeLessThanOrEqual(6);
    expect(evidence[0]).toBe('annotation readOnlyHint=true (trust: validated)');
    expect(evidence[1]).toBe("name: verb 'list' reads");
    expect(evidence[2]).toBe("description: verb 'list' reads");
  });
});

describe('one value of a grouped tool', () => {
  const grouped = (value: string) =>
    classify('invoice_write', {
      description: 'Create, change or delete an invoice.',
      parameters: { method: { type: 'string', enum: ['create', 'get', 'delete', 'void'] } },
      groupValue: { parameter: 'method', value },
    });

  test.each([
    ['create', 'CREATE', 'reversible'],
    ['get', 'READ', 'safe'],
    ['delete', 'DELETE', 'destructive'],
    ['getSchema', 'READ', 'safe'],
    ['start-processor', 'EXECUTE', 'reversible'],
  ])('is classified by its own words: %s is %s', (value, category, level) => {
    const result = grouped(value);
    expect({ category: result.category, level: result.danger.level }).toEqual({ category, level });
  });

  test('is classified like the whole tool where it names no action, and is not READ when that writes', () => {
    expect(grouped('void').category).not.toBe('READ');
  });

  test('is as dangerous as the worst value where it names no action', () => {
    const { category, danger } = grouped('void');
    expect({ category, level: danger.level }).toEqual({ category: 'DELETE', level: 'destructive' });
  });

  test("is READ by its own words in spite of the tool's parameters and output", () => {
    const { category, danger } = classify('invoice_write', {
      description: 'Changes invoices. This tool modifies state.',
      parameters: { method: choice('list', 'delete'), force: flag, dry_run: flag, body: text },
      required: ['body'],
      outputSchema: { type: 'object', properties: { deleted: { type: 'integer' } } },
      groupValue: { parameter: 'method', value: 'list' },
    });
    expect({ category, level: danger.level }).toEqual({ category: 'READ', level: 'safe' });
  });

  test.each([
    ['list', ['list', 'update'], 'safe'],
    ['update', ['list', 'update'], 'destructive'],
    ['update', ['list', 'update', 'delete'], 'reversible'],
    ['delete', ['list', 'update', 'delete'], 'destructive'],
  ])('with a destructive hint, %s of %j is %s', (value, values, level) => {
    const { danger } = classify('invoice_write', {
      annotations: { readOnlyHint: false, destructiveHint: true },
      parameters: { method: choice(...values) },
      groupValue: { parameter: 'method', value },
    });
    expect(danger.level).toBe(level);
  });

  test('is EXECUTE where it runs arbitrary input', () => {
    const { category, danger } = classify('shell_manage', {
      description: 'Manage the shell.',
      parameters: { action: choice('run', 'list'), command: text },
      groupValue: { parameter: 'action', value: 'run' },
    });
    expect({ category, level: danger.level }).toEqual({ category: 'EXECUTE', level: 'destructive' });
  });

  test('decides the unsplit tool where it is the most dangerous one', () => {
    const { category, danger, evidence } = classify('invoice', {
      description: 'List invoices.',
      parameters: { action: { type: 'string', enum: ['list', 'create', 'delete'] } },
    });
    expect({ category, level: danger.level }).toEqual({ category: 'DELETE', level: 'destructive' });
    expect(evidence[0]).toContain("parameter 'action' chooses the effect");
  });
});

describe('any input', () => {
  const anyTool = fc.record(
    {
      name: fc.oneof(fc.string(), fc.constantFrom('get_x', 'delete_x', 'runQuery')),
      title: fc.anything(),
      description: fc.oneof(fc.string(), fc.anything(), fc.constant('a '.repeat(5000))),
      inputSchema: fc.oneof(fc.anything(), fc.record({ properties: fc.dictionary(fc.string(), fc.anything()) })),
      outputSchema: fc.anything(),
      annotations: fc.anything(),
    },
    { requiredKeys: [] },
  );

  test('is classified without an error, twice the same, within the published ranges', () => {
    fc.assert(
      fc.property(anyTool, fc.constantFrom(...TRUST_LEVELS), (tool, trust) => {
        const input = {
          tool: tool as Record<string, unknown>,
          name: 'op',
          upstream: { slug: 'up', trust },
          curation: {},
          ignoreAnnotations: false,
        };
        const result = classifyTool(input);
        expect(classifyTool(input)).toEqual(result);
        expect(CATEGORIES).toContain(result.category);
        expect(DANGER_LEVELS).toContain(result.danger.level);
        expect(result.confidence).toBeGreaterThan(0);
        expect(result.confidence).toBeLessThan(1);
        expect(result.evidence.length).toBeGreaterThan(0);
        if (result.category !== 'READ') expect(dangerRank(result.danger.level)).toBeGreaterThan(0);
      }),
    );
  });

  test('is never less dangerous with annotations than without', () => {
    const names = fc.constantFrom('get_item', 'create_item', 'update_item', 'delete_item', 'run_item', 'item');
    const hints = fc.record({
      readOnlyHint: fc.boolean(),
      destructiveHint: fc.boolean(),
      idempotentHint: fc.boolean(),
    });
    fc.assert(
      fc.property(names, hints, (name, annotations) => {
        const plain = classify(name, { description: `Tells of ${name}` });
        const hinted = classify(name, { description: `Tells of ${name}`, annotations });
        const safeRead = annotations.readOnlyHint && name === 'item';
        if (!safeRead) expect(dangerRank(hinted.danger.level)).toBeGreaterThanOrEqual(dangerRank(plain.danger.level));
      }),
    );
  });
});

const PARAMETERS = 2_000;

it('looks up each reference of a long chain once, wherever the chain is entered', () => {
  let lookups = 0;
  const properties = Object.fromEntries(
    Array.from({ length: PARAMETERS }, (_, index) => [`p${index}`, { $ref: `#/properties/p${index + 1}` }]),
  );
  const schema = {
    $ref: '#/$defs/all',
    $defs: { all: { properties } },
    get properties() {
      lookups += 1;
      return properties;
    },
  };
  classifyTool({
    tool: { name: 'list_things', inputSchema: schema },
    name: 'list_things',
    upstream: { slug: 'a', trust: 'certified' },
    curation: {},
    ignoreAnnotations: false,
  });
  expect(readObjectFields(schema, schema)).toHaveLength(PARAMETERS);
  expect(lookups).toBeLessThan(2 * PARAMETERS);
});
