const { readdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The import ranks of docs/architecture.md, lowest first: a folder of src imports from itself and from the folders named
 * here, which all stand above it in this table. A third-party package is imported by the folders named in OWNERS alone, so
 * that replacing it touches few files.
 */
const RANKS = {
  base: [],
  schema: ['base'],
  config: ['base'],
  store: ['base', 'config'],
  classify: ['base', 'schema'],
  catalog: ['base', 'schema', 'config', 'classify'],
  results: ['base', 'schema', 'classify'],
  policy: ['base', 'config', 'store', 'classify', 'catalog'],
  upstream: ['base', 'config', 'store'],
  gateway: ['base', 'schema', 'config', 'store', 'catalog', 'results', 'policy', 'upstream'],
  modules: ['base', 'config', 'store', 'catalog', 'results', 'policy', 'gateway'],
  server: ['base', 'config', 'gateway'],
  console: ['base', 'config', 'gateway', 'server'],
  conformance: ['base'],
  compare: ['base', 'config', 'catalog', 'upstream', 'gateway'],
  cli: ['base', 'config', 'gateway', 'modules', 'server', 'console', 'conformance', 'compare'],
};

const foldersOf = (room) =>
  readdirSync(join(__dirname, 'src', room), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/**
 * The order of the folders inside a room, lowest first: each imports from those before it alone. `.` is what stands in the room
 * itself; what stands in brackets is one floor, whose folders may import each other.
 */
const INSIDE = {
  base: ['turns', 'pauses', 'json', 'lib', 'expression', 'protocol', 'observe', '.'],
  catalog: ['grouped-tools', 'integrity', 'account', '.', 'arguments', 'endpoint', 'search'],
  classify: ['statement', 'words', 'text', '.'],
  cli: ['clients', 'shared', 'commands', '.'],
  config: ['schema', '.', 'load', 'edit'],
  console: ['admin', 'layout', 'connect', 'metrics', 'pages', '.'],
  gateway: ['builtin', 'interceptor', 'pipeline', 'primitives', '.', 'review'],
  // Each knows the core alone: see `modules-stand-alone`.
  modules: [foldersOf('modules'), '.'],
  policy: ['audit', 'approvals', 'execution', 'rules', 'confirmation', 'quota', 'safety', '.'],
  results: ['query', 'shape', 'forms', 'pages', 'stored', '.'],
  server: ['auth', 'mcp', 'http', 'stdio'],
  upstream: ['questions', 'transport', 'credentials', '.'],
};

/** Folders of a room that may import less than the room: these other rooms alone. */
const NARROWER = {
  'classify/statement': ['base'],
  'catalog/endpoint': ['base', 'schema', 'config'],
  'catalog/search': ['base', 'classify'],
  'policy/audit': ['base', 'config'],
  'policy/execution': ['base', 'store'],
  'policy/safety': ['base', 'config', 'store', 'classify'],
  'upstream/credentials': ['base', 'config', 'store'],
  'gateway/interceptor': ['base', 'schema', 'catalog'],
  'gateway/primitives': ['base', 'catalog', 'upstream'],
  'gateway/builtin': ['base', 'schema', 'config', 'catalog', 'results', 'policy'],
  'gateway/pipeline': ['base', 'schema', 'config', 'catalog', 'results', 'policy'],
};

const OWNERS = {
  '^@modelcontextprotocol/client': ['upstream', 'conformance', 'compare'],
  '^undici$': ['upstream/transport'],
  '^fastify$': ['server', 'console'],
  '^jose$': ['server/auth'],
  '^ajv$': ['config'],
  '^ajv-formats$': ['config', 'schema'],
  '^re2js$': ['schema'],
  '^lru-cache$': ['schema', 'results', 'upstream/credentials', 'gateway/interceptor'],
  '^minimatch$': ['base/lib'],
  '^stemmer$': ['catalog/search'],
  '^libsql$|^@redis/client$': ['store'],
  '^pino': ['base/observe'],
  '^prom-client$': ['base/observe'],
  '^@opentelemetry/': ['base/observe'],
  '^jsonc-parser$': ['config'],
  '^graphql': ['classify/statement'],
  '^diff$': ['catalog', 'console'],
  '^nodemailer$': ['policy/safety'],
  '^quickjs-emscripten-core$': ['modules/programs'],
  '^@jitl/': ['modules/programs'],
  '^commander$|^picocolors$': ['cli'],
};

/** Folders of a room that have no place in its order, and places without a folder. */
function findFaultsInside(room) {
  const here = join(__dirname, 'src', room);
  const holdsSource = (name) =>
    readdirSync(join(here, name), { recursive: true }).some((file) => String(file).endsWith('.ts'));
  const folders = readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter(holdsSource);
  const listed = (INSIDE[room] ?? []).flat();
  return [
    ...folders.filter((name) => !listed.includes(name)).map((name) => `src/${room}/${name} has no place in INSIDE`),
    ...listed
      .filter((name) => name !== '.' && !folders.includes(name))
      .map((name) => `there is no src/${room}/${name}`),
  ];
}

/** Why the table does not fit the tree: a folder without a rank, a rank without a folder, an import from a later rank. */
function findFaults() {
  const names = Object.keys(RANKS);
  const folders = foldersOf('.');
  return [
    ...folders.filter((name) => !names.includes(name)).map((name) => `src/${name} has no rank`),
    ...names.filter((name) => !folders.includes(name)).map((name) => `there is no src/${name}`),
    ...folders.flatMap(findFaultsInside),
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

const inside = (room, name) => (name === '.' ? `^src/${room}/[^/]+$` : own(`${room}/${name}`));

function rulesInside(room, floors) {
  return floors.map((floor, index) => ({
    name: `inside-${room}-${[floor].flat().join('-').replace('.', 'itself')}`,
    comment: `src/${room}/${[floor].flat().join(', ')} may import: ${floors.slice(0, index).flat().join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: [floor].flat().map((name) => inside(room, name)) },
    to: {
      path: own(room),
      pathNot: floors
        .slice(0, index + 1)
        .flat()
        .map((name) => inside(room, name)),
    },
  }));
}

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
              ? '^src/gateway/(gateway|module|captured-gateway|operator-api|log-review|review/[a-z-]+)\\.ts$'
              : own(name),
          ),
        ],
      },
    })),
    ...Object.entries(INSIDE).flatMap(([room, floors]) => rulesInside(room, floors)),
    ...Object.entries(NARROWER).map(([folder, rooms]) => ({
      name: `narrow-${folder.replace('/', '-')}`,
      comment: `src/${folder} may import: ${rooms.join(', ')}`,
      severity: 'error',
      from: { path: own(folder) },
      to: { path: '^src/', pathNot: [folder.split('/')[0], ...rooms].map(own) },
    })),
    ...Object.entries(OWNERS).map(([module, folders]) => ({
      name: `third-party-${module.replace(/[^a-z]+/g, '-')}`,
      comment: `${module} belongs to: ${folders.join(', ')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: folders.map(own) },
      to: { dependencyTypes: ['npm', 'npm-dev'], path: installed(module) },
    })),
    {
      name: 'modules-stand-alone',
      comment: 'a module may import of the gateway the seam alone, and no other module',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/(gateway|modules)/', pathNot: ['^src/modules/$1/', '^src/gateway/module\\.ts$'] },
    },
    {
      name: 'modules-come-as-a-list',
      comment: 'what is no module imports the list of modules, and none of them',
      severity: 'error',
      from: { pathNot: '^src/modules/' },
      to: { path: '^src/modules/[^/]+/' },
    },
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
