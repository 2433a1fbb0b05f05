import { describe, expect, test } from 'vitest';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { choice, exampleInput, type ToolExample, text } from './tool-example.js';

const classify = (name: string, example: ToolExample = {}) => classifyTool(exampleInput(name, example));
const categoryOf = (name: string, description: string, example: ToolExample = {}) =>
  classify(name, { description, ...example }).category;

describe('a name that begins with its object', () => {
  test.each([
    ['deploy_plan_get', 'READ'],
    ['deploy_plan_create', 'CREATE'],
    ['mark_message_as_read', 'UPDATE'],
    ['create_task_list', 'CREATE'],
    ['team-services-reader', 'READ'],
    ['message-sender', 'EXECUTE'],
  ])('%s is %s', (name, category) => {
    expect(classify(name).category).toBe(category);
  });
});

describe('a description without a verb', () => {
  test.each([
    ['city_weather', 'Current weather in a city', 'READ'],
    ['on_duty', 'Who is on duty now', 'READ'],
    ['sqrt', 'Square root of a number', 'READ'],
    ['issue_comments', 'Comments on an issue', 'READ'],
    ['observation', 'Insight and observation management', 'EXECUTE'],
    ['clip', 'Record video', 'EXECUTE'],
    ['basket', 'New order for a customer', 'CREATE'],
    ['frob', 'Frob records of a user. Returns a list.', 'EXECUTE'],
  ])('makes of %s (%s) %s', (name, description, category) => {
    expect(categoryOf(name, description, { parameters: { query: text, limit: text } })).toBe(category);
  });
});

describe('a verb that is not understood', () => {
  test.each([
    '删除 list 中的记录',
    '社員を list から削除します',
    'Видаляє. Show the list.',
    'Poistaa. Lists what is left.',
  ])('is no READ because of English words behind it: %s', (description) => {
    expect(categoryOf('xyz', description, { parameters: { query: text, limit: text } })).not.toBe('READ');
  });
});

describe('what is computed', () => {
  test('is a READ, unless it is stored', () => {
    expect(categoryOf('parse_plan', 'Parses a plan')).toBe('READ');
    expect(categoryOf('parse_plan', 'Parses a plan to automatically generate tasks')).not.toBe('READ');
    expect(categoryOf('convert_amount', 'Converts an amount')).toBe('READ');
    expect(categoryOf('convert_lead', 'Converts a lead into a customer')).not.toBe('READ');
  });

  test('is a file where an output path is required or preset, and by the call where it is optional', () => {
    const convert = (example: ToolExample) =>
      classify('image_converter', { description: 'Converts an image', ...example });
    expect(convert({ parameters: { outputDir: text }, required: ['outputDir'] }).category).toBe('CREATE');
    expect(convert({ parameters: { outputDir: { type: 'string', default: './out' } } }).category).toBe('CREATE');
    const optional = convert({ parameters: { outputDir: text } });
    expect(optional.category).toBe('READ');
    expect(optional.risks).toMatchObject([{ path: ['outputDir'], danger: 'destructive' }]);
  });
});

test('a value that subscribes is no READ, and beside readOnlyHint=false only a plain verb is', () => {
  const value = (name: string, annotations = {}) =>
    classify('manage_feed', {
      parameters: { action: choice('get', 'watch', 'scan', 'delete'), feed: text },
      groupValue: { parameter: 'action', value: name },
      annotations,
    }).category;
  expect(['get', 'scan', 'watch'].map((name) => value(name))).toEqual(['READ', 'READ', 'UPDATE']);
  expect(['get', 'scan', 'watch'].map((name) => value(name, { readOnlyHint: false }))).toEqual([
    'READ',
    'EXECUTE',
    'UPDATE',
  ]);
});

test('reading secrets or environment variables is reversible, not safe', () => {
  const levels = ['get_secret', 'get-env', 'read_credentials', 'get_secretary'].map(
    (name) => classify(name).danger.level,
  );
  expect(levels).toEqual(['reversible', 'reversible', 'reversible', 'safe']);
});

describe('a verb that reads only beside some words', () => {
  test.each([
    ['answer_question', 'Answers a question about the catalog', { question: text }, 'READ'],
    ['answer_question', 'Answers a question of a customer', { question_id: text, body: text }, 'EXECUTE'],
    ['answer_review', 'Answers a review of a customer', { review_id: text }, 'EXECUTE'],
    ['watch_build', 'Watches a build until it ends', { build: text }, 'READ'],
    ['watch_price', 'Be notified when a price falls', { product: text }, 'UPDATE'],
    ['solve_equation', 'Solves an equation', { equation: text }, 'READ'],
    ['solve_ticket', 'Solves a ticket', { ticket_id: text }, 'UPDATE'],
    ['list_item', 'Lists an item for sale', { item_id: text }, 'CREATE'],
    ['create_report_query', 'Creates a query for a report', { question: text }, 'READ'],
    ['create_report_query', 'Creates a query for a report', { name: text, sql: text }, 'CREATE'],
  ] as const)('%s (%s) with %o is %s', (name, description, parameters, category) => {
    expect(categoryOf(name, description, { parameters, required: Object.keys(parameters) })).toBe(category);
  });
});

describe('what a description says beside what the tool does', () => {
  test('is no effect where it says when the tool is of use, and the name reads', () => {
    const description = 'Use this tool when the user wants to create a rule. Answers with the nodes to look for.';
    expect(categoryOf('get_nodes', description)).toBe('READ');
    expect(categoryOf('rule', description)).toBe('CREATE');
  });

  test('is no effect where nouns are listed', () => {
    expect(categoryOf('get_design_kit', 'Returns tokens, components, and styles in one answer')).toBe('READ');
    expect(categoryOf('kit', 'Reads, copies, and deletes in one call')).not.toBe('READ');
  });

  test('is a showing where "manage" comes without a way to say what to do', () => {
    const named = { app: text, database: text };
    expect(categoryOf('pg_backups', 'Manage backups: schedules, status', { parameters: named })).toBe('READ');
    expect(categoryOf('pg_backups', 'Manage backups', { parameters: { app: text, action: text } })).toBe('EXECUTE');
    expect(categoryOf('pg_backups', 'Manage backups')).not.toBe('READ');
  });

  test('counts for the parameters that one parameter wraps, too', () => {
    const wrapped = (name: string) => ({ params: { type: 'object', properties: { [name]: text }, required: [name] } });
    const description = 'Checks and fixes a configuration';
    expect(categoryOf('config_help', description, { parameters: wrapped('content') })).toBe('READ');
    expect(categoryOf('config_help', description, { parameters: wrapped('path') })).toBe('UPDATE');
  });
});
