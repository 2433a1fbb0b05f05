import { introspect, run } from './steps.mjs';

/**
 * What models tried first and were refused, or misled by. One answer has to do: it gives what was asked, or it holds a call that
 * runs as it stands (`details.example`, or the batches to send instead).
 * @param world where the things are
 */
export const GUESSES = [
  ['a pure read through EXECUTE', () => run('execute', 'open_nodes', { names: ['mailer'] })],
  ['a pure read through READ', () => run('read', 'open_nodes', { names: ['mailer'] })],
  [
    'a batch with one operation of another family',
    ({ repository: path }) =>
      run('read', [
        ['git_log', { path }],
        ['search_nodes', { query: 'kafka' }],
        ['create_relations', { relations: [{ from: 'mailer', to: 's3', relationType: 'uses' }] }],
      ]),
  ],
  ['a SELECT through EXECUTE', () => run('execute', 'query', { sql: COUNT })],
  ['a SELECT through READ, by the name of the runner', () => run('read', 'query', { sql: COUNT })],
  [
    'sort and first of a bare array',
    () => run('read', 'read_records', { table: 'invoices', sort: '-amount', first: 2 }),
  ],
  ['a sum of rows', () => run('read', 'read_records', { table: 'invoices', aggregate: { owed: { sum: 'amount' } } })],
  ['fields of introspection', () => introspect({ query: 'operations', search: 'stash', fields: ['name'] })],
  ['one setting of a configuration', () => run('read', 'get_config', { fields: ['defaultShell'] })],
  ["the upstream's spelling of a parameter", () => run('read', 'get_table_schema', { tableName: 'invoices' })],
  [
    "the upstream's spelling, several",
    ({ files: path }) => run('execute', 'start_search', { path, pattern: 'TODO', searchType: 'content' }),
  ],
  [
    'nested members in snake_case',
    ({ files }) =>
      run('update', 'edit_file', {
        path: `${files}/notes/reading.md`,
        input: { edits: [{ old_text: 'Reading', new_text: 'Books' }] },
      }),
  ],
  [
    'what changes beside the path',
    ({ files }) => run('update', 'write_file', { path: `${files}/new.md`, content: 'hello' }),
  ],
  ['an update without input', ({ repository: path }) => run('update', 'push_git_stash', { path })],
  ['the path inside input', ({ repository: path }) => run('update', 'push_git_stash', { input: { path } })],
  ['the path beside input', ({ repository: path }) => run('update', 'apply_git_stash', { path })],
  ["a grouped tool by its server's name", ({ repository: path }) => run('read', 'git_stash', { path, mode: 'list' })],
  ['a name that two servers have', ({ files }) => run('read', 'read_file', { path: `${files}/notes/reading.md` })],
  [
    'a sheet of a workbook that is not there yet',
    ({ files }) => run('read', 'excel_describe_sheets', { file_absolute_path: `${files}/none.xlsx` }),
  ],
  ['a file that is not there', ({ files }) => run('read', 'read_text_file', { path: `${files}/none.txt` })],
  ['a setting of a server by its name', () => run('read', 'get_env', { name: 'HOME' })],
  ['a name that does not exist', () => run('read', 'list_stashes', {})],
  ['the plain list', () => introspect({ query: 'operations' })],
  ['the list of servers by another name', () => introspect({ query: 'servers' })],
];

/** Searches that gave dozens of hits, or missed what serves. `finds`: what has to be among those shown. */
export const SEARCHES = [
  { words: 'file', finds: ['read_text_file'] },
  { words: 'git', finds: ['git_log'] },
  { words: 'move rename file', finds: ['filesystem__move_file'] },
  { words: 'sql', finds: ['query_read_only', 'list_tables'] },
  { words: 'create new workbook xlsx', finds: ['rewrite_file'] },
];

const COUNT = 'SELECT count(*) AS n FROM invoices';
