/**
 * The import ranks of docs/architecture.md, held by a machine: a room imports from the rooms named here and from itself.
 * Third parties stay in the rooms that own them, so that replacing one touches one room.
 */
const ROOMS = {
  protocol: [],
  lib: ['protocol'],
  observe: ['protocol', 'lib'],
  schema: ['protocol', 'lib'],
  expression: ['protocol', 'lib'],
  classify: ['protocol', 'schema'],
  config: ['protocol', 'lib', 'expression'],
  store: ['protocol', 'config'],
  upstream: ['protocol', 'observe', 'config'],
  catalog: ['protocol', 'lib', 'schema', 'classify', 'config'],
  endpoint: ['protocol', 'lib', 'config', 'catalog'],
  results: ['protocol', 'lib', 'schema', 'expression', 'classify', 'config', 'catalog'],
  interceptor: ['protocol', 'lib', 'schema', 'catalog'],
  search: ['protocol', 'lib', 'classify', 'catalog'],
  audit: ['protocol', 'lib', 'observe', 'config', 'catalog'],
  policy: ['protocol', 'lib', 'observe', 'config', 'store', 'catalog', 'audit'],
  builtin: ['protocol', 'lib', 'schema', 'expression', 'config', 'catalog', 'endpoint', 'results', 'search'],
  pipeline: ['protocol', 'lib', 'observe', 'config', 'catalog', 'endpoint', 'results', 'policy'],
  gateway: [
    'protocol',
    'lib',
    'observe',
    'config',
    'upstream',
    'catalog',
    'endpoint',
    'results',
    'interceptor',
    'search',
    'audit',
    'policy',
    'builtin',
    'pipeline',
  ],
  server: ['protocol', 'lib', 'observe', 'config', 'gateway'],
  cli: ['protocol', 'lib', 'observe', 'config', 'gateway', 'server'],
};

const OWNERS = {
  '^@modelcontextprotocol/client': ['upstream'],
  '^@modelcontextprotocol/(server|node)': ['server'],
  '^undici$': ['upstream'],
  '^fastify$': ['server'],
  '^ajv$': ['config'],
  '^ajv-formats$': ['config', 'schema'],
  '^re2js$': ['schema'],
  '^lru-cache$': ['schema', 'results', 'interceptor'],
  '^minimatch$': ['lib', 'config', 'catalog', 'endpoint', 'audit'],
  '^(minisearch|stemmer)$': ['search'],
  '^libsql$|^@redis/client$': ['store'],
  '^pino': ['observe'],
  '^commander$|^picocolors$': ['cli'],
};

const own = (room) => `^src/${room}/`;

/** Where files of a package lie that is named as `OWNERS` names it: with an end, a folder of just that name. */
const installed = (module) => `node_modules/(${module.replaceAll('^', '').replaceAll('$', '/')})`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    ...Object.entries(ROOMS).map(([room, allowed]) => ({
      name: `rank-${room}`,
      comment: `src/${room} may import: ${allowed.join(', ') || 'nothing'}`,
      severity: 'error',
      from: { path: own(room) },
      to: {
        path: '^src/',
        pathNot: [
          own(room),
          ...allowed.map((name) =>
            name === 'gateway'
              ? '^src/gateway/(gateway|captured-gateway|lock-review|audit-review|operator-api)\\.ts$'
              : own(name),
          ),
        ],
      },
    })),
    ...Object.entries(OWNERS).map(([module, rooms]) => ({
      name: `third-party-${module.replace(/[^a-z]+/g, '-')}`,
      comment: `${module} belongs to: ${rooms.join(', ')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: rooms.map(own) },
      to: { dependencyTypes: ['npm', 'npm-dev'], path: installed(module) },
    })),
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
