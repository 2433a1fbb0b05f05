import { introspect, program, run } from './steps.mjs';

/**
 * The twelve tasks of an office, each as a model would solve it that knows nothing but the tools' definitions and the answers it had before.
 * `own`: calls of the servers' own tools; `gateway`: steps through the gateway. The last answers must match `solved`.
 * @param world where the things are, which the task's words say
 */
export const TASKS = [
  {
    title: 'Which services use kafka, and which team owns each?',
    own: () => [
      ['memory', 'search_nodes', { query: 'kafka' }],
      ['memory', 'open_nodes', { names: KAFKA_SERVICES }],
    ],
    gateway: () => [
      introspect({ query: 'upstreams' }),
      introspect({ query: 'operations', upstream: 'memory' }),
      run('read', 'search_nodes', { query: 'kafka' }),
      run('read', 'open_nodes', { names: KAFKA_SERVICES, collection: 'relations', filter: { relationType: 'owns' } }),
    ],
    solved: [/Payments/, /Messaging/],
  },
  {
    title: 'Which commit made invoices go out twice, which fixed it, what changed; is anything uncommitted?',
    own: ({ repository: path }) => [
      ['git', 'git_log', { path }],
      ['git', 'git_show', { path, object: 'HEAD~3' }],
      ['git', 'git_show', { path, object: 'HEAD~1' }],
      ['git', 'git_status', { path }],
    ],
    gateway: ({ repository: path }) => [
      introspect({ query: 'operations', upstream: 'git', category: 'READ' }),
      run('read', 'git_log', { path, fields: ['shortHash', 'subject'] }),
      run('read', [
        ['git_show', { path, object: 'HEAD~3' }],
        ['git_show', { path, object: 'HEAD~1' }],
        ['git_status', { path }],
      ]),
    ],
    solved: [/\+ {2}queue\.drain/, /retries: 1/, /"modified":\s*\["plans\.js"\]|plans\.js/],
  },
  {
    title: 'Overdue invoices summed by plan; the three customers who owe most',
    own: () => [
      ['sqlite', 'list_tables', {}],
      ['sqlite', 'get_table_schema', { tableName: 'invoices' }],
      ['sqlite', 'get_table_schema', { tableName: 'customers' }],
      ['sqlite', 'query', { sql: OVERDUE_BY_PLAN }],
      ['sqlite', 'query', { sql: MOST_OWED }],
    ],
    gateway: () => [
      introspect({ query: 'operations', upstream: 'sqlite' }),
      run('read', [
        ['list_tables', {}],
        ['get_table_schema', { table_name: 'invoices' }],
        ['get_table_schema', { table_name: 'customers' }],
      ]),
      run('read', [
        ['query_read_only', { sql: OVERDUE_BY_PLAN }],
        ['query_read_only', { sql: MOST_OWED }],
      ]),
    ],
    solved: [/10020\.8/, /Customer 059/],
  },
  {
    title: 'All lines that begin with TODO in a folder of notes into a new file, each with its note',
    own: ({ files }) => [
      ['filesystem', 'list_directory', { path: `${files}/notes` }],
      ['filesystem', 'read_multiple_files', { paths: notesIn(files) }],
      ['filesystem', 'write_file', { path: `${files}/notes/todo.md`, content: TODO }],
    ],
    gateway: ({ files }) => [
      introspect({ query: 'operations', upstream: 'filesystem' }),
      run('read', 'filesystem__list_directory', { path: `${files}/notes` }),
      run('read', 'filesystem__read_multiple_files', { paths: notesIn(files) }),
      run('update', 'write_file', { path: `${files}/notes/todo.md`, input: { content: TODO } }),
    ],
    programs: ({ files }) => [
      introspect({ query: 'operations', upstream: 'filesystem' }),
      introspect({ query: 'operations', name: 'run_program' }),
      program(COLLECT_TODOS, { input: `${files}/notes`, writes: true }),
    ],
    solved: [/book the train/, /Successfully wrote/],
  },
  {
    title: 'Add a relation and an observation to an entity and show it',
    own: () => [
      ['memory', 'create_relations', { relations: [MOVED] }],
      ['memory', 'add_observations', { observations: [{ entityName: 'avatar', contents: ['moved in 2026'] }] }],
      ['memory', 'open_nodes', { names: ['avatar'] }],
    ],
    gateway: () => [
      introspect({ query: 'operations', name: 'create_relations' }),
      introspect({ query: 'operations', name: 'add_observations' }),
      run('create', [
        ['create_relations', { relations: [MOVED] }],
        ['add_observations', { observations: [{ entityName: 'avatar', contents: ['moved in 2026'] }] }],
      ]),
      run('read', 'open_nodes', { names: ['avatar'] }),
    ],
    solved: [/moved in 2026[\s\S]*"to":\s*"kafka"/],
  },
  {
    title: 'A workbook with the five largest overdue invoices',
    own: ({ files }) => [
      ['sqlite', 'query', { sql: LARGEST_OVERDUE }],
      ['desktop-commander', 'write_file', { path: `${files}/overdue.xlsx`, content: WORKBOOK, mode: 'rewrite' }],
      ['excel', 'excel_read_sheet', { fileAbsolutePath: `${files}/overdue.xlsx`, sheetName: 'Overdue' }],
    ],
    gateway: ({ files }) => [
      run('read', 'query_read_only', { sql: LARGEST_OVERDUE }),
      introspect({ query: 'operations', upstream: 'excel' }),
      run('update', 'excel_write_to_sheet', {
        file_absolute_path: `${files}/overdue.xlsx`,
        sheet_name: 'Overdue',
        input: { new_sheet: true, range: 'A1:B6', values: JSON.parse(WORKBOOK).Overdue },
      }),
      // The refusal names it.
      introspect({ query: 'operations', search: 'rewrite_file', first: 1 }),
      run('update', 'rewrite_file', { path: `${files}/overdue.xlsx`, input: { content: WORKBOOK } }),
      run('read', 'excel_read_sheet', { file_absolute_path: `${files}/overdue.xlsx`, sheet_name: 'Overdue' }),
    ],
    solved: [/892\.46/],
  },
  {
    title: 'Stash uncommitted changes, show that the tree is clean, bring them back',
    own: ({ repository: path }) => [
      ['git', 'git_stash', { path, mode: 'push' }],
      ['git', 'git_status', { path }],
      ['git', 'git_stash', { path, mode: 'pop' }],
      ['git', 'git_status', { path }],
    ],
    gateway: ({ repository: path }) => [
      introspect({ query: 'operations', search: 'git stash' }),
      run('update', 'push_git_stash', { path, input: {} }),
      run('read', 'git_status', { path }),
      run('update', 'pop_git_stash', { input: { path } }),
      run('read', 'git_status', { path }),
    ],
    solved: [/"isClean":\s*true|clean/i, /plans\.js/],
  },
  {
    title: 'Rename a note and change a sentence in it',
    own: ({ files }) => [
      ['filesystem', 'move_file', { source: `${files}/${TUESDAY}`, destination: `${files}/${THURSDAY}` }],
      ['filesystem', 'edit_file', { path: `${files}/${THURSDAY}`, edits: EDITS }],
    ],
    gateway: ({ files }) => [
      introspect({ query: 'operations', name: 'edit_file' }),
      run('update', 'filesystem__move_file', {
        source: `${files}/${TUESDAY}`,
        input: { destination: `${files}/${THURSDAY}` },
      }),
      run('update', 'edit_file', { path: `${files}/${THURSDAY}`, input: { edits: EDITS } }),
    ],
    solved: [/We meet at two/],
  },
  {
    title: 'Which customers in Lisbon are on the business plan, by the CSV file?',
    own: ({ files }) => [['filesystem', 'read_text_file', { path: `${files}/customers.csv` }]],
    gateway: ({ files }) => [
      run('read', 'read_text_file', {
        path: `${files}/customers.csv`,
        filter: { city: 'Lisbon', plan: 'business' },
        fields: ['name'],
      }),
    ],
    solved: [/Customer 026/, /Customer 111/],
  },
  {
    title: 'Which calls would make a screenshot of a page?',
    own: () => [],
    gateway: () => [
      introspect({ query: 'operations', search: 'screenshot of a web page' }),
      introspect({ query: 'operations', search: 'navigate to a url' }),
    ],
    solved: { gateway: [/browser_take_screenshot/, /browser_navigate/] },
  },
  {
    title: 'Delete an entity',
    own: () => [['memory', 'delete_entities', { entityNames: ['legacy-fax'] }]],
    gateway: () => [run('delete', 'delete_entities', { entity_names: ['legacy-fax'] })],
    solved: [/deleted successfully/],
  },
  {
    title: 'What tells of the environment, and what runs arbitrary commands?',
    own: () => [['everything', 'get-env', {}]],
    gateway: () => [
      introspect({ query: 'operations', search: 'environment variables' }),
      introspect({ query: 'operations', search: 'run arbitrary commands' }),
      run('read', 'get_env', {}),
    ],
    solved: [/HOME/],
  },
];

const KAFKA_SERVICES = ['checkout', 'mailer', 'ledger'];
const MOVED = { from: 'avatar', to: 'kafka', relationType: 'uses' };
const OVERDUE_BY_PLAN =
  "SELECT c.plan, SUM(i.amount) AS overdue FROM invoices i JOIN customers c ON c.id = i.customer_id WHERE i.status = 'overdue' GROUP BY c.plan";
const MOST_OWED =
  "SELECT c.name, SUM(i.amount) AS owed FROM invoices i JOIN customers c ON c.id = i.customer_id WHERE i.status IN ('open', 'overdue') GROUP BY c.id ORDER BY owed DESC LIMIT 3";
const LARGEST_OVERDUE = "SELECT id, amount FROM invoices WHERE status = 'overdue' ORDER BY amount DESC LIMIT 5";
const WORKBOOK = JSON.stringify({
  Overdue: [
    ['id', 'amount'],
    [34, 892.46],
    [102, 877.38],
    [170, 862.3],
    [238, 847.22],
    [22, 842.18],
  ],
});
const TODO =
  'billing.md: TODO: ask Ada about VAT\nbilling.md: TODO: check the overdue ones\nkafka.md: TODO: upgrade to 4.2\noffsite.md: TODO: book the train\n';
const COLLECT_TODOS = `
  const textOf = (answer) => (typeof answer === 'string' ? answer : answer.content);
  const listed = textOf(await aql.read('filesystem__list_directory', { path: input }));
  const names = listed.split('\\n').filter((line) => line.startsWith('[FILE] ')).map((line) => line.slice(7));
  const lines = [];
  for (const name of names) {
    const note = textOf(await aql.read('read_text_file', { path: input + '/' + name }));
    for (const line of note.split('\\n')) if (line.startsWith('TODO')) lines.push(name + ': ' + line);
  }
  const written = await aql.update('write_file', { path: input + '/todo.md', input: { content: lines.join('\\n') + '\\n' } });
  return { lines, written };`;
const TUESDAY = 'notes/meeting-tuesday.md';
const THURSDAY = 'notes/meeting-thursday.md';
const EDITS = [{ oldText: 'We meet at ten.', newText: 'We meet at two.' }];

function notesIn(files) {
  return ['billing', 'kafka', 'meeting-tuesday', 'offsite', 'reading'].map((name) => `${files}/notes/${name}.md`);
}
