/**
 * The import ranks of docs/architecture.md, held by a machine: a room imports from the rooms named here and from itself.
 * Third parties stay in the rooms that own them, so that replacing one touches one room.
 */
const ROOMS = {
  protocol: [],
  observe: ['protocol'],
  config: ['protocol'],
  store: ['protocol', 'config'],
  upstream: ['protocol', 'config', 'observe'],
  catalog: ['protocol', 'config', 'observe'],
  endpoint: ['protocol', 'config', 'catalog'],
  handler: ['protocol', 'config', 'observe', 'catalog'],
  policy: ['protocol', 'config', 'observe', 'store', 'catalog'],
  collection: ['protocol', 'config', 'catalog'],
  introspect: ['protocol', 'catalog', 'endpoint', 'collection'],
  execution: ['protocol', 'config', 'observe', 'store', 'policy'],
  pipeline: ['protocol', 'config', 'observe', 'catalog', 'endpoint', 'policy', 'collection'],
  front: ['gateway', 'protocol', 'config', 'observe'],
  cli: ['front', 'gateway', 'config', 'observe', 'protocol'],
};

const OWNERS = {
  '^@modelcontextprotocol/client': ['upstream'],
  '^@modelcontextprotocol/(server|node)': ['front'],
  '^undici$': ['upstream'],
  '^fastify$': ['front'],
  '^ajv(-formats)?$': ['config', 'catalog'],
  '^lru-cache$': ['catalog', 'collection', 'handler', 'introspect'],
  '^minimatch$': ['config', 'catalog', 'endpoint', 'policy', 'introspect'],
  '^(minisearch|stemmer)$': ['introspect'],
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
              ? '^src/(gateway|captured-gateway|tool-review|audit-review|approval-desk|lifecycle)\\.ts$'
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
