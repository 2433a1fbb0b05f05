import { FACTS } from './make-data.mjs';

const LOG = { operation: 'read_text_file', params: { path: 'service.log' } };
const ALL_ENTITIES = { fields: ['name', 'entityType'], limit: 500 };

/**
 * Real questions. `operation` with `params` alone is asked of a gateway that sends everything whole; with `controls` it is asked
 * of a gateway with the defaults and `results`. `goOn` makes a further call from the answer. `isRight` checks the last answer.
 */
export const REQUESTS = [
  {
    operation: 'read_graph',
    params: {},
    controls: { aggregate: { kinds: { group_by: 'entityType', count: true } } },
    isRight: ({ data }) => data.total === FACTS.entities && data.aggregations.kinds.person === FACTS.people,
  },
  {
    operation: 'read_graph',
    params: {},
    controls: { query: '"is late"', fields: ['name'] },
    isRight: ({ data }) => data.items.length === FACTS.lateProjects,
  },
  {
    operation: 'read_graph',
    params: {},
    controls: { filter: { entityType: 'person' }, first: 20 },
    isRight: ({ data }) => data.items.length === 20 && data.pageInfo.totalCount === FACTS.people,
  },
  {
    operation: 'read_graph',
    params: {},
    controls: ALL_ENTITIES,
    isRight: ({ data }) => data.items.length === FACTS.entities,
  },
  {
    operation: 'read_graph',
    label: 'the same, with `results.compact`',
    params: {},
    controls: ALL_ENTITIES,
    results: { compact: true },
    isRight: ({ data }) => data.items.rows.length === FACTS.entities,
  },
  {
    operation: 'search_nodes',
    params: { query: 'Lisbon' },
    controls: { fields: 'minimal', first: 20 },
    isRight: ({ data }) =>
      data.items.length === 20 && data.items.every(({ observations }) => observations === undefined),
  },
  {
    operation: 'list_directory',
    params: { path: 'documents' },
    controls: { filter: { value: { pattern: '*billing*.csv' } } },
    isRight: ({ data }) => data.items.length > 0 && data.items.every((line) => /billing.*\.csv$/.test(line)),
  },
  {
    operation: 'search_files',
    params: { path: '.', pattern: '**/*.md' },
    controls: { first: 20 },
    isRight: ({ data }) => data.items.length === 20,
  },
  {
    operation: 'directory_tree',
    params: { path: 'projects' },
    controls: { fields: ['name'] },
    isRight: ({ data }) => data.content.length === FACTS.projectFolders,
  },
  {
    operation: 'get_structured_content',
    params: { location: 'Chicago' },
    controls: { fields: ['temperature'] },
    isRight: ({ data }) => Object.keys(data).length === 1,
  },
  {
    ...LOG,
    label: 'nothing: cut at 100 kB, with the warning that says so',
    controls: {},
    isRight: ({ warnings }) => warnings[0].code === 'VALIDATION_TRUNCATED_WARNING',
  },
  {
    ...LOG,
    label: 'that, then introspect {"query":"result","name":"res_...","search":"ERROR"}',
    controls: {},
    goOn: ({ warnings }) => ({
      operation: 'introspect',
      params: { query: 'result', name: warnings[0].details.handle, search: 'ERROR' },
    }),
    isRight: ({ data }) => JSON.stringify(data).split('ERROR').length > FACTS.logErrors,
  },
];
