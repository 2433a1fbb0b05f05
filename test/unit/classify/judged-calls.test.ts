import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { operationOfCall } from '../../../src/catalog/operation.js';
import { aTool, buildTestCatalog, buildTestOperation } from '../../support/build-test-catalog.js';

const text = (description = ''): JsonObject => ({ type: 'string', description });
const flag = (description = ''): JsonObject => ({ type: 'boolean', description });
const object: JsonObject = { type: 'object' };
const choice = (...values: readonly string[]): JsonObject => ({ type: 'string', enum: values });

/** `READ safe`: what a call is. */
function callOf(name: string, description: string, properties: JsonObject, args: JsonObject): string {
  const operation = buildTestOperation(aTool(name, { type: 'object', properties }, { description }));
  const { category, danger } = operationOfCall(operation, args).classification;
  return `${category} ${danger.level}`;
}

/** `READ safe` by the name of each operation that a grouped tool becomes. */
function partsOf(name: string, description: string, properties: JsonObject): Readonly<Record<string, string>> {
  const { operations } = buildTestCatalog({ own: [aTool(name, { type: 'object', properties }, { description })] });
  return Object.fromEntries(
    operations.map(({ name: own, classification: { category, danger } }) => [own, `${category} ${danger.level}`]),
  );
}

describe('the value of an action that no list closes', () => {
  test.each([
    ['in bullets', 'Manage kennels.\n\n- list_dogs: List dogs\n- expel_dog: Remove a dog', text('What to do')],
    ['in quotes', 'Manage kennels.', text("'list_dogs', 'expel_dog'")],
    ['in brackets', 'Manage kennels.', text('Action to perform (list_dogs, expel_dog)')],
    ['nowhere', 'Manage kennels.', text()],
  ])('decides where the values are listed %s', (_where, description, action) => {
    const rated = (value: string) => callOf('manage_kennels', description, { action, dog: text() }, { action: value });
    expect(rated('list_dogs')).toBe('READ safe');
    expect(rated('expel_dog')).toMatch(/destructive/);
    expect(rated('remove_all')).toBe('DELETE destructive');
    expect(rated('zorp')).toBe('EXECUTE destructive');
  });

  test.each([
    ['action', 'Actions for harbours.'],
    ['operation', 'Operations of a harbour.'],
    ['command', 'Commands for managing harbours.'],
    ['method', 'Procedures of the harbour.'],
    ['function', 'Functions.'],
    ['tool', 'Tools for harbours.'],
    ['name', 'Services of the harbour office.'],
    ['verb', 'Everything about harbours.'],
  ])('decides for the parameter %s beside an object of arguments', (key, description) => {
    const rated = (value: string) =>
      callOf('harbour', description, { [key]: text(), parameters: object }, { [key]: value, parameters: {} });
    expect(rated('berth.list')).toBe('READ safe');
    expect(rated('describe')).toBe('READ safe');
    expect(rated('berth_create')).toBe('CREATE reversible');
    expect(rated('berth.delete')).toBe('DELETE destructive');
    expect(rated('get_and_purge')).toMatch(/destructive/);
    expect(rated('')).toBe('EXECUTE destructive');
  });

  test('is no action where it filters, stores or says how', () => {
    expect(callOf('list_events', 'List events.', { action: text('Filter by action') }, { action: 'delete' })).toBe(
      'READ safe',
    );
    expect(callOf('create_alarm', 'Create an alarm.', { action: text() }, { action: 'delete' })).toMatch(/CREATE/);
    expect(callOf('get_route', 'Get a route.', { mode: text() }, { mode: 'bike' })).toBe('READ safe');
  });
});

describe('a text in a language', () => {
  test.each([
    ['get_numbers', 'Gets numbers with the given SQL.', 'sql'],
    ['list_entries', 'Lists entries.', 'raw_sql'],
    ['search_links', 'Searches links.', 'cypher_query'],
    ['view_orders', 'Views orders.', 'graphql_query'],
    ['get_title', 'Gets the title.', 'js_code'],
    ['view_output_of', 'Shows the output of a program.', 'shell_command'],
    ['get_shell_output', 'Gets the output of a shell command.', 'command'],
  ])('makes a runner of %s, whatever its verb', (name, description, key) => {
    expect(callOf(name, description, { [key]: text() }, { [key]: 'zzz' })).toBe('EXECUTE destructive');
  });

  test('is proven where it can be, also inside one object', () => {
    const rows = (sql: string) => callOf('get_rows', 'Gets rows of PostgreSQL.', { sql: text() }, { sql });
    expect(rows('SELECT a FROM b')).toBe('READ safe');
    expect(rows('DROP TABLE b')).toBe('EXECUTE destructive');
    const nested = { params: { type: 'object', properties: { sql: text() }, required: ['sql'] } };
    const inside = (sql: string) => callOf('run_query', 'Runs SQL on SQLite.', nested, { params: { sql } });
    expect(inside('SELECT a FROM b')).toBe('READ safe');
    expect(inside('DELETE FROM b')).toBe('EXECUTE destructive');
  });

  test('is judged where its author says that it only reads', () => {
    const read = (query: string) => callOf('read_query', 'Run a read-only SQL query.', { query: text() }, { query });
    expect(read('SELECT 1')).toBe('READ safe');
    expect(read('DROP TABLE a')).toBe('EXECUTE destructive');
  });
});

describe('switches, states and selections that lose something', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['sync_table', { truncate: flag() }, { truncate: true }, { truncate: false }],
    ['load_rows', { empty_before: flag() }, { empty_before: true }, {}],
    ['start_box', { recreate: flag() }, { recreate: true }, {}],
    ['import_list', { flush: flag(), overwrite: flag() }, { flush: true }, { overwrite: false }],
    ['update_bill', { status: choice('OPEN', 'VOIDED') }, { status: 'VOIDED' }, { status: 'OPEN' }],
    ['update_case', { Status: text() }, { Status: 'closed' }, { Status: 'active' }],
    ['update_issue', { state: choice('open', 'closed') }, {}, { state: 'closed' }],
    ['scale_app', { replicas: { type: 'integer' } }, { replicas: 0 }, { replicas: 2 }],
    ['stop_engines', { engines: text() }, { engines: '*' }, { engines: 'e1' }],
    ['tag_cards', { filter: object, many: flag() }, { filter: {}, many: true }, { filter: { id: 1 } }],
  ])('ask in %s', (name, properties, losing, harmless) => {
    const rated = (args: JsonObject) => callOf(name, '', properties, args);
    if (Object.keys(losing).length > 0) expect(rated(losing)).toMatch(/destructive/);
    expect(rated(harmless)).not.toMatch(/destructive/);
  });
});

describe('a value of a grouped tool', () => {
  test('is a state where its opposite stands beside it', () => {
    const parts = partsOf('tag_mail', 'Change mail flags', {
      action: choice('read', 'unread', 'star', 'delete'),
      mail: text(),
    });
    expect(parts).toMatchObject({ read_tag_mail: expect.stringMatching(/^UPDATE/) });
  });

  test('is no read where its clause says that it changes something', () => {
    const says = "'list' to show them, 'download' to install a plugin, 'remove' to remove it";
    const parts = partsOf('manage_plugins', 'Plugins.', {
      action: { ...choice('list', 'download', 'remove'), description: says },
    });
    expect(parts).toMatchObject({
      list_plugins: 'READ safe',
      download_plugins: expect.not.stringMatching(/^READ/),
      remove_plugins: 'DELETE destructive',
    });
  });

  test('leaves deletion to the values that name it, and switches to those that they are bound to', () => {
    const orbit = partsOf('manage_orbits', 'Manage orbits.', {
      action: choice('get', 'add_body', 'remove_body', 'raycast', 'unflag', 'to_note'),
      body: text(),
    });
    const levels = Object.entries(orbit).filter(([, rated]) => /destructive/.test(rated));
    expect(levels.map(([name]) => name)).toEqual([expect.stringMatching(/^remove/)]);
    const views = partsOf('manage_views', 'Manage views.', {
      action: choice('get', 'create', 'drop'),
      cascade: flag('Include CASCADE clause (for drop operation)'),
      purge: flag('drop only'),
    });
    expect(views).toMatchObject({ get_views: 'READ safe', create_views: 'CREATE reversible' });
  });

  test('makes a tool a READ where all of them read, one level down too', () => {
    const enumerated = partsOf('crews', 'Manage crews: list/get', { action: choice('list', 'get', 'get_members') });
    expect(Object.values(enumerated)).toEqual(['READ safe']);
    const one = (value: string) => ({ type: 'object', properties: { operation: { const: value }, id: text() } });
    const union = { select: { anyOf: [one('get-depot'), one('list-depots')] } };
    expect(Object.values(partsOf('depot_reader', 'Select and run an operation (read-only).', union))).toEqual([
      'READ safe',
    ]);
  });

  test('is not rated by the clause of the next one', () => {
    const rules = partsOf('mail_rules', 'Rules. operation="create" with name, operation="drop" with name.', {
      operation: choice('create', 'drop'),
      name: text(),
    });
    expect(rules).toMatchObject({ create_mail_rules: 'CREATE reversible', drop_mail_rules: 'DELETE destructive' });
  });

  test('is no argument of the operation that fixes it', () => {
    const { operations } = buildTestCatalog({
      own: [
        aTool('issueWork', {
          type: 'object',
          properties: { method: choice('create', 'get', 'update', 'delete'), id: text() },
        }),
      ],
    });
    expect(operations.map(({ classification }) => classification.risks)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('names in full-width letters are read as they are displayed', () => {
  expect(callOf('ｄｅｌｅｔｅ_user', 'Gets the user.', { id: text() }, { id: '1' })).not.toMatch(/READ/);
});

test('an action that reads is not refused by the tool for reads', () => {
  const operation = buildTestOperation(
    aTool(
      'harbour',
      { type: 'object', properties: { action: text(), parameters: object } },
      { description: 'Actions.' },
    ),
  );
  expect(operation.classification).toMatchObject({ category: 'EXECUTE', danger: { level: 'destructive' } });
  expect(operationOfCall(operation, { action: 'list' }).retryable).toBe(true);
});
