/**
 * The eight ways of a call whose files are counted. Each is run through the front as a client does it.
 *
 * @typedef {{ tool: string, arguments: object }} Request
 * @typedef {object} Way
 * @property {string} name as the decision that bounds it writes it
 * @property {(note: string) => Request} request
 * @property {string} holds what its answer holds, so that a way that goes wrong is not counted as a short one
 * @property {boolean} [isConfirmed] whether the request is asked about first, and counted with the token that it then gets
 */

const call = (family, operation, params) => ({ tool: `mcp_aql_${family}`, arguments: { operation, params } });

const read = (note) => call('read', 'read_text_file', { path: note });
const remove = () => call('delete', 'delete_entities', { entity_names: ['nobody'] });

/** @type {readonly Way[]} */
export const WAYS = [
  { name: 'READ', request: read, holds: 'one line' },
  {
    name: 'READ with `first`',
    request: (note) => call('read', 'search_files', { path: `${note}/..`, pattern: '*', first: 1 }),
    holds: 'pageInfo',
  },
  {
    name: 'search',
    request: () => call('read', 'introspect', { query: 'operations', search: 'read a file' }),
    holds: 'read_text_file',
  },
  {
    name: 'batch of 2',
    request: (note) => ({
      tool: 'mcp_aql_read',
      arguments: { operations: [read(note).arguments, read(note).arguments] },
    }),
    holds: 'one line',
  },
  {
    name: 'unknown parameter',
    request: (note) => call('read', 'read_text_file', { path: note, colour: 'red' }),
    holds: 'VALIDATION_UNKNOWN_PARAM',
  },
  { name: 'DELETE, asked', request: remove, holds: 'CONFIRMATION_REQUIRED' },
  { name: 'DELETE, confirmed', request: remove, holds: 'success', isConfirmed: true },
  {
    name: 'program with a READ',
    request: (note) =>
      call('execute', 'run_program', {
        code: 'return await aql.read("read_text_file", { path: input })',
        input: note,
      }),
    holds: 'one line',
  },
];
