import type { JsonObject } from '../../src/base/json/json.js';

/** A made-up tool, and calls of it with whether somebody has to agree to them. */
export interface CalledTool {
  readonly name: string;
  readonly says: string;
  /** Name by type, values, or type and description: `text`, `flag`, `number`, `object`, `list`. */
  readonly takes: Readonly<Record<string, string | readonly string[] | readonly [type: string, says: string]>>;
  readonly asks?: readonly JsonObject[];
  readonly runs?: readonly JsonObject[];
}

const text = (says: string): readonly [string, string] => [':text', says];
const flag = (says: string): readonly [string, string] => [':flag', says];

/**
 * 108 calls of tools that no server has, labelled before they were rated: what removes, overwrites, ends or is not told asks; what
 * reads, adds, sends or changes one thing back and forth does not.
 */
export const OWN_CALLS: readonly CalledTool[] = [
  {
    name: 'hive_control',
    says: 'Work with bee hives.\n\nActions:\n- list_hives: List all hives\n- inspect_hive: Show one hive\n- move_hive: Move a hive to another field\n- abandon_hive: Give a hive up and delete its records',
    takes: { action: text('The action to perform'), hive: 'text' },
    asks: [
      { action: 'abandon_hive', hive: 'h1' },
      { action: 'burn_hive', hive: 'h1' },
    ],
    runs: [{ action: 'list_hives' }, { action: 'inspect_hive', hive: 'h1' }, { action: 'move_hive', hive: 'h1' }],
  },
  {
    name: 'manage_kiln',
    says: "Manage the kiln of a pottery. One of: 'status', 'fire', 'cool', 'scrap_load'.",
    takes: { op: 'text', load: 'text' },
    asks: [{ op: 'scrap_load', load: '4' }],
    runs: [{ op: 'status' }],
  },
  {
    name: 'orchard',
    says: 'Commands for looking after an orchard.',
    takes: { command: 'text', parameters: 'object' },
    asks: [
      { command: 'tree_remove', parameters: { id: 7 } },
      { command: 'orchard.wipe', parameters: {} },
      { command: 'zzz', parameters: {} },
    ],
    runs: [
      { command: 'tree_list', parameters: {} },
      { command: 'describe', parameters: { id: 7 } },
      { command: 'getHarvest', parameters: {} },
      { command: 'tree_create', parameters: { kind: 'pear' } },
    ],
  },
  {
    name: 'pool_api',
    says: 'Handlers of the swimming pool service.',
    takes: { name: text('Which handler'), arguments: 'object' },
    asks: [
      { name: 'lane.delete', arguments: { lane: 2 } },
      { name: 'drainPool', arguments: {} },
    ],
    runs: [
      { name: 'lane.list', arguments: {} },
      { name: 'getTemperature', arguments: {} },
    ],
  },
  {
    name: 'get_rows',
    says: 'Gets rows of the PostgreSQL database for the given SQL.',
    takes: { sql: 'text' },
    asks: [
      { sql: 'DROP TABLE guests' },
      { sql: 'select 1; delete from guests' },
      { sql: 'UPDATE guests SET paid = true' },
    ],
    runs: [{ sql: 'SELECT id, name FROM guests WHERE paid = true' }, { sql: 'select count(*) from guests' }],
  },
  {
    name: 'run_report_query',
    says: 'Runs SQL against SQLite.',
    takes: { params: 'object:sql' },
    asks: [{ params: { sql: 'DELETE FROM stock' } }],
    runs: [{ params: { sql: 'SELECT * FROM stock' } }],
  },
  {
    name: 'find_nodes',
    says: 'Finds nodes of the graph with Cypher.',
    takes: { cypher_query: 'text' },
    asks: [{ cypher_query: 'MATCH (n) DETACH DELETE n' }],
  },
  {
    name: 'view_terminal_output',
    says: 'Shows what a shell command prints.',
    takes: { command: 'text' },
    asks: [{ command: 'rm -rf /srv' }, { command: 'list; rm -rf /' }],
  },
  {
    name: 'get_page_title',
    says: 'Gets the title of the open page after a script ran in it.',
    takes: { js_code: 'text' },
    asks: [{ js_code: 'localStorage.clear()' }],
  },
  {
    name: 'lookup_cache',
    says: 'Looks things up in Redis.',
    takes: { command: 'text' },
    asks: [{ command: 'FLUSHDB' }, { command: 'DEL session:1' }],
    runs: [{ command: 'GET session:1' }],
  },
  {
    name: 'fetch_resource',
    says: 'Fetches anything of the REST API.',
    takes: { path: 'text', method: 'text', body: 'object' },
    asks: [
      { path: '/users/1', method: 'DELETE' },
      { path: '/users/1', method: 'put', body: { a: 1 } },
    ],
    runs: [
      { path: '/users/1', method: 'GET' },
      { path: '/users/1', method: 'head' },
    ],
  },
  {
    name: 'call_backend',
    says: 'Call any endpoint of the backend with an HTTP request.',
    takes: { url: 'text', method: 'text' },
    asks: [{ url: '/a', method: 'DELETE' }],
    runs: [{ url: '/a', method: 'GET' }],
  },
  {
    name: 'load_events',
    says: 'Load events from a feed into a table.',
    takes: { source: 'text', truncateTarget: 'flag', empty_before: 'flag' },
    asks: [
      { source: 'a', truncateTarget: true },
      { source: 'a', empty_before: true },
    ],
    runs: [{ source: 'a' }, { source: 'a', truncateTarget: false }],
  },
  {
    name: 'start_stack',
    says: 'Start the containers of a stack.',
    takes: { stack: 'text', recreate: 'flag', clean: 'flag', detached: 'flag' },
    asks: [
      { stack: 'a', recreate: true },
      { stack: 'a', clean: true },
    ],
    runs: [{ stack: 'a', detached: true }],
  },
  {
    name: 'import_contacts',
    says: 'Import contacts from a file.',
    takes: { file: 'text', flush: 'flag', overwrite: 'flag', notify: 'flag' },
    asks: [
      { file: 'a', flush: true },
      { file: 'a', overwrite: true },
    ],
    runs: [{ file: 'a', overwrite: false, notify: true }],
  },
  {
    name: 'update_voucher',
    says: 'Update a voucher.',
    takes: { id: 'text', status: ['DRAFT', 'POSTED', 'VOIDED', 'DELETED'], memo: 'text' },
    asks: [
      { id: '1', status: 'VOIDED' },
      { id: '1', status: 'DELETED' },
    ],
    runs: [
      { id: '1', status: 'POSTED' },
      { id: '1', memo: 'a' },
    ],
  },
  {
    name: 'set_account_state',
    says: 'Set the state of a member account.',
    takes: { account: 'text', state: 'text' },
    asks: [
      { account: '1', state: 'terminated' },
      { account: '1', state: 'deleted' },
    ],
    runs: [{ account: '1', state: 'active' }],
  },
  {
    name: 'scale_workers',
    says: 'Scale the workers of a queue.',
    takes: { queue: 'text', replicas: 'number' },
    asks: [{ queue: 'a', replicas: 0 }],
    runs: [{ queue: 'a', replicas: 3 }],
  },
  {
    name: 'update_many_guests',
    says: 'Update all guests that the filter selects.',
    takes: { filter: 'object', change: 'object' },
    asks: [{ filter: {}, change: { paid: true } }],
  },
  {
    name: 'tag_photos',
    says: 'Add a tag to photos.',
    takes: { filter: 'object', tag: 'text', many: 'flag' },
    asks: [{ filter: {}, tag: 'a', many: true }],
    runs: [{ filter: { id: 1 }, tag: 'a' }],
  },
  {
    name: 'stop_machines',
    says: 'Stop machines by their names.',
    takes: { machines: 'text' },
    asks: [{ machines: '*' }, { machines: 'all' }],
    runs: [{ machines: 'm1' }],
  },
  {
    name: 'pier_management',
    says: 'Manage a pier.',
    takes: { operation: ['cordon', 'drain', 'uncordon'], pier: 'text' },
    asks: [{ operation: 'drain', pier: 'p' }],
    runs: [
      { operation: 'cordon', pier: 'p' },
      { operation: 'uncordon', pier: 'p' },
    ],
  },
  {
    name: 'mark_letters',
    says: 'Change the flags of letters.',
    takes: { action: ['read', 'unread', 'flag', 'unflag', 'trash'], letter: 'text' },
    asks: [{ action: 'trash', letter: '1' }],
    runs: [
      { action: 'read', letter: '1' },
      { action: 'unflag', letter: '1' },
    ],
  },
  {
    name: 'manage_planets',
    says: 'Manage planets of a simulation.',
    takes: {
      command: ['get_settings', 'set_settings', 'add_planet', 'remove_planet', 'raycast', 'overlap', 'to_moon'],
      planet: 'text',
    },
    asks: [{ command: 'remove_planet', planet: 'x' }],
    runs: [
      { command: 'get_settings' },
      { command: 'raycast', planet: 'x' },
      { command: 'overlap', planet: 'x' },
      { command: 'to_moon', planet: 'x' },
    ],
  },
  {
    name: 'manage_views',
    says: 'Manage database views.',
    takes: { action: ['get', 'create', 'drop'], view: 'text', cascade: flag('Include CASCADE (for drop operation)') },
    asks: [{ action: 'drop', view: 'v' }],
    runs: [
      { action: 'get', view: 'v' },
      { action: 'create', view: 'v' },
    ],
  },
  {
    name: 'crews',
    says: 'Manage crews: list, get or get_members.',
    takes: { action: ['list', 'get', 'get_members'], crew: 'text' },
    runs: [{ action: 'list' }, { action: 'get_members', crew: 'a' }],
  },
  {
    name: 'exhibit_data',
    says: "Access exhibit data. Choose an action with the required `operation` parameter: 'get_exhibit', 'list_exhibits', 'search_rooms'.",
    takes: { operation: 'text', id: 'text' },
    runs: [{ operation: 'list_exhibits' }, { operation: 'get_exhibit', id: '1' }],
  },
  {
    name: 'rule_tool',
    says: 'Rules of the mail filter. operation="create" with name, operation="drop" with name.',
    takes: { operation: ['create', 'drop', 'get'], name: 'text' },
    asks: [{ operation: 'drop', name: 'a' }],
    runs: [
      { operation: 'create', name: 'a' },
      { operation: 'get', name: 'a' },
    ],
  },
  {
    name: 'stable_tool',
    says: 'Everything about horses.\n\nParameters: action (feed, groom, list, sell, euthanize).',
    takes: { action: text('feed, groom, list, sell or euthanize'), horse: 'text' },
    asks: [
      { action: 'euthanize', horse: 'a' },
      { action: 'shoot', horse: 'a' },
    ],
    runs: [{ action: 'list' }, { action: 'groom', horse: 'a' }],
  },
  {
    name: 'wallet',
    says: 'Methods of the wallet.',
    takes: { method: 'text', params: 'list' },
    asks: [
      { method: 'wallet_sendAllAndClose', params: [] },
      { method: 'wallet_eraseKeys', params: [] },
    ],
    runs: [{ method: 'wallet_getBalance', params: [] }],
  },
  {
    name: 'list_audit_events',
    says: 'List audit events.',
    takes: { action: text('Filter by action, such as delete'), limit: 'number' },
    runs: [{ action: 'delete' }, { action: 'login', limit: 3 }],
  },
  {
    name: 'create_schedule',
    says: 'Create a schedule that runs a command each night.',
    takes: { command: 'text', hour: 'number' },
    runs: [{ command: 'backup-all', hour: 2 }],
  },
  {
    name: 'calculate',
    says: 'Calculate the value of an arithmetic expression.',
    takes: { expression: 'text' },
    runs: [{ expression: '2 + 2' }],
  },
  {
    name: 'explain_statement',
    says: 'Explain what an SQL statement would do, without running it.',
    takes: { sql: 'text' },
    runs: [{ sql: 'DELETE FROM a' }],
  },
  {
    name: 'get_directions',
    says: 'Get directions between two places.',
    takes: { from: 'text', to: 'text', mode: text('Mode of transport') },
    runs: [{ from: 'a', to: 'b', mode: 'bike' }],
  },
  {
    name: 'get_airport',
    says: 'Get an airport by its code.',
    takes: { code: 'text' },
    runs: [{ code: 'FRA' }],
  },
  {
    name: 'repair_check',
    says: 'Validate the index.',
    takes: { index: 'text', auto_repair: 'flag' },
    runs: [{ index: 'a' }],
  },
  {
    name: 'update_order',
    says: 'Update an order. Any line items that are not provided are removed.',
    takes: { order: 'text', lineItems: 'list' },
    asks: [{ order: '1', lineItems: [] }],
    runs: [{ order: '1', lineItems: [{ id: 1 }] }],
  },
  {
    name: 'sheet_tool',
    says: "Work with sheets. Valid values: 'read_range', 'write_range', 'clear_range'.",
    takes: { operation: 'text', range: 'text', properties: 'object' },
    asks: [
      { operation: 'clear_range', range: 'A1' },
      { operation: 'obliterate', range: 'A1' },
    ],
    runs: [{ operation: 'read_range', range: 'A1' }],
  },
  {
    name: 'deploy_site',
    says: 'Deploy a site.',
    takes: { site: 'text', skipBackup: 'flag', prune: 'flag', verbose: 'flag' },
    asks: [
      { site: 'a', skipBackup: true },
      { site: 'a', prune: true },
    ],
    runs: [{ site: 'a', verbose: true }],
  },
  {
    name: 'invoke_skill',
    says: 'Skills of the house.',
    takes: { task: 'text', input: 'object' },
    asks: [{ task: 'incinerate_waste', input: {} }],
    runs: [{ task: 'list_rooms', input: {} }],
  },
  {
    name: 'graph_gateway',
    says: 'Sends GraphQL to the shop and returns what it answers.',
    takes: { graphql_query: 'text' },
    asks: [{ graphql_query: 'mutation { dropShop }' }],
    runs: [{ graphql_query: '{ products { name } }' }],
  },
  {
    name: 'close_tickets',
    says: 'Close tickets that match a query.',
    takes: { query: 'text', reason: 'text' },
    asks: [
      { query: '', reason: 'a' },
      { query: '*', reason: 'a' },
    ],
    runs: [{ query: 'id:4', reason: 'a' }],
  },
];
