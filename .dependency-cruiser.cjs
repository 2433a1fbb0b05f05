const { readdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The import ranks of docs/architecture.md, lowest first: a folder of src imports from itself and from the folders named
 * here, which all stand above it in this table. A third-party package is imported by the folders named in OWNERS alone, so
 * that replacing it touches few files.
 */
const RANKS = {
  protocol: [],
  lib: ['protocol'],
  observe: ['protocol', 'lib'],
  schema: ['protocol', 'lib'],
  expression: ['protocol', 'lib'],
  statement: ['protocol'],
  classify: ['protocol', 'lib', 'schema'],
  config: ['protocol', 'lib', 'expression'],
  store: ['protocol', 'config'],
  execution: ['protocol', 'lib', 'store'],
  upstream: ['protocol', 'lib', 'observe', 'config'],
  credentials: ['protocol', 'lib', 'observe', 'config', 'store', 'upstream'],
  catalog: ['protocol', 'lib', 'schema', 'statement', 'classify', 'config'],
  endpoint: ['protocol', 'lib', 'config', 'catalog'],
  results: ['protocol', 'lib', 'schema', 'expression', 'classify', 'config', 'catalog'],
  interceptor: ['protocol', 'lib', 'schema', 'catalog'],
  search: ['protocol', 'lib', 'classify', 'catalog'],
  audit: ['protocol', 'lib', 'observe', 'config', 'catalog'],
  policy: ['protocol', 'lib', 'observe', 'config', 'store', 'catalog', 'audit'],
  primitives: ['protocol', 'lib', 'upstream', 'catalog'],
  safety: ['protocol', 'lib', 'observe', 'classify', 'config', 'store', 'execution', 'audit', 'policy'],
  builtin: [
    'protocol',
    'lib',
    'schema',
    'expression',
    'config',
    'execution',
    'catalog',
    'endpoint',
    'results',
    'search',
    'safety',
  ],
  pipeline: ['protocol', 'lib', 'observe', 'schema', 'config', 'execution', 'catalog', 'endpoint', 'results', 'policy'],
  gateway: [
    'protocol',
    'lib',
    'observe',
    'config',
    'store',
    'execution',
    'upstream',
    'credentials',
    'catalog',
    'endpoint',
    'results',
    'interceptor',
    'search',
    'audit',
    'policy',
    'primitives',
    'safety',
    'builtin',
    'pipeline',
  ],
  server: ['protocol', 'lib', 'observe', 'config', 'execution', 'gateway'],
  conformance: ['protocol'],
  cli: ['protocol', 'lib', 'observe', 'config', 'gateway', 'server', 'conformance'],
};

const OWNERS = {
  '^@modelcontextprotocol/client': ['upstream', 'credentials', 'conformance'],
  '^@modelcontextprotocol/(server|node)': ['server'],
  '^undici$': ['upstream'],
  '^fastify$': ['server'],
  '^jose$': ['server'],
  '^ajv$': ['config'],
  '^ajv-formats$': ['config', 'schema'],
  '^re2js$': ['schema'],
  '^lru-cache$': ['schema', 'results', 'interceptor', 'credentials'],
  '^minimatch$': ['lib', 'config', 'catalog', 'endpoint', 'audit'],
  '^stemmer$': ['search'],
  '^libsql$|^@redis/client$': ['store'],
  '^pino': ['observe'],
  '^prom-client$': ['observe'],
  '^@opentelemetry/': ['observe'],
  '^jsonc-parser$': ['config'],
  '^diff$': ['lib', 'catalog'],
  '^nodemailer$': ['safety'],
  '^commander$|^picocolors$': ['cli'],
};

/** Why the table does not fit the tree: a folder without a rank, a rank without a folder, an import from a later rank. */
function findFaults() {
  const names = Object.keys(RANKS);
  const folders = readdirSync(join(__dirname, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return [
    ...folders.filter((name) => !names.includes(name)).map((name) => `src/${name} has no rank`),
    ...names.filter((name) => !folders.includes(name)).map((name) => `there is no src/${name}`),
    ...names.flatMap((name, rank) =>
      RANKS[name].filter((other) => names.indexOf(other) >= rank).map((other) => `${name} may not name ${other}`),
    ),
  ];
}

const faults = findFaults();
if (faults.length > 0) throw new Error(`RANKS in .dependency-cruiser.cjs: ${faults.join('; ')}`);

const own = (folder) => `^src/${folder}/`;

/** Where files of a package lie that is named as `OWNERS` names it: with an end, a folder of just that name. */
const installed = (module) => `node_modules/(${module.replaceAll('^', '').replaceAll('$', '/')})`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    ...Object.entries(RANKS).map(([folder, allowed]) => ({
      name: `rank-${folder}`,
      comment: `src/${folder} may import: ${allowed.join(', ') || 'nothing'}`,
      severity: 'error',
      from: { path: own(folder) },
      to: {
        path: '^src/',
        pathNot: [
          own(folder),
          ...allowed.map((name) =>
            name === 'gateway'
              ? '^src/gateway/(gateway|captured-gateway|lock-review|definition-review|curation-review|audit-review|log-review|upstream-review|operator-api)\\.ts$'
              : own(name),
          ),
        ],
      },
    })),
    ...Object.entries(OWNERS).map(([module, folders]) => ({
      name: `third-party-${module.replace(/[^a-z]+/g, '-')}`,
      comment: `${module} belongs to: ${folders.join(', ')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: folders.map(own) },
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
