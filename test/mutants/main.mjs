#!/usr/bin/env node
/** `npm run mutants`: changes of the sources that no test notices, found by Stryker. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run mutants -- [options]
  --room NAME   one of test/mutants/rooms.json, again for another (all of them)
  --file PATH   one source file, whole, with the tests of its room
  --test PATH   these tests instead of all of the room, again for another
  --lines N     about how many lines of each room are mutated, in windows (250)
  --seed S      which windows (1)
  --all         all lines
  --report      prints what was found last, and runs nothing
`;

/** The last versions that run on Node 20. They are installed apart: what they need is a fifth of the repository's own packages. */
const PACKAGES = ['@stryker-mutator/core@9.5.1', '@stryker-mutator/vitest-runner@9.5.1'];
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, '.mcp-aql/mutants');
const STRYKER = join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const ROOMS = JSON.parse(readFileSync(join(ROOT, 'test/mutants/rooms.json'), 'utf8'));
/** Lines of a window. A mutant that does not end in its window is not made. */
const WINDOW = 12;
const IN_FLIGHT = 2;

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true },
    file: { type: 'string' },
    test: { type: 'string', multiple: true },
    lines: { type: 'string', default: '250' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function fail(message) {
  console.error(message);
  process.exit(1);
}

function install() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}\n');
  // Without peers: the vitest that runs is the repository's own.
  const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-package-lock', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options, ...PACKAGES], { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) fail(`npm install ${PACKAGES.join(' ')} failed with ${status}`);
}

const sourcesOf = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && statSync(join(ROOT, path)).isFile());

/** The windows of a room's sources, in the order of a hash: the first ones are the sample. */
function windowsOf(sources) {
  const windows = sources.flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length;
    return Array.from({ length: Math.ceil(lines / WINDOW) }, (_, index) => {
      const from = index * WINDOW + 1;
      return `${path}:${from}-${Math.min(lines, from + WINDOW - 1)}`;
    });
  });
  const rank = (window) => createHash('sha256').update(`${values.seed} ${window}`).digest('hex');
  return windows.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function chooseSources({ sources }) {
  if (values.file !== undefined) return [values.file];
  const paths = sources.flatMap(sourcesOf);
  return values.all ? paths : windowsOf(paths).slice(0, Math.ceil(Number(values.lines) / WINDOW));
}

const reportOf = (name) => join(FOLDER, `${name}.json`);

/** Texts are not mutated: their words are pinned where they matter. */
function mutate(name, room) {
  const config = {
    mutate: chooseSources(room),
    mutator: { excludedMutations: ['StringLiteral'] },
    testRunner: 'vitest',
    plugins: [join(FOLDER, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: reportOf(name) },
    tempDirName: join(FOLDER, 'sandboxes'),
    ignorePatterns: ['.mcp-aql'],
    disableTypeChecks: false,
    concurrency: IN_FLIGHT,
    timeoutMS: 20_000,
  };
  const path = join(FOLDER, `${name}.config.json`);
  writeFileSync(path, JSON.stringify(config));
  const env = {
    ...process.env,
    MUTANTS_TESTS: (values.test ?? room.tests)
      .map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`))
      .join(),
  };
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', path], { cwd: ROOT, env, stdio: 'inherit' });
  if (status !== 0) fail(`Stryker ended with ${status} in the room '${name}'`);
}

const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

/** Prints what no test noticed, and returns a row for the table. */
function tell(name) {
  const { files } = JSON.parse(readFileSync(reportOf(name), 'utf8'));
  const mutants = Object.entries(files).flatMap(([path, file]) =>
    file.mutants.map((mutant) => ({ path, file, mutant })),
  );
  const count = (statuses) => mutants.filter(({ mutant }) => statuses.has(mutant.status)).length;
  for (const { path, file, mutant } of mutants.filter(({ mutant: { status } }) => UNNOTICED.has(status))) {
    const { start } = mutant.location;
    const line = file.source.split('\n')[start.line - 1].trim();
    const reached = mutant.status === 'Survived' ? '' : ' (no test comes here)';
    console.log(`${path}:${start.line}:${start.column}${reached}\n  ${line}\n  becomes: ${mutant.replacement}`);
  }
  const [noticed, unnoticed] = [count(NOTICED), count(UNNOTICED)];
  const score = ((100 * noticed) / (noticed + unnoticed)).toFixed(0);
  return `| ${name} | ${noticed + unnoticed} | ${noticed} | ${unnoticed} | ${score} % |`;
}

function roomsAsked() {
  const isOf = ({ sources }) => sources.some((folder) => values.file.startsWith(`${folder}/`));
  const names = Object.keys(ROOMS).filter((name) =>
    values.file === undefined ? (values.room?.includes(name) ?? true) : isOf(ROOMS[name]),
  );
  if (names.length === 0) fail(`no such room; there are ${Object.keys(ROOMS).join(', ')}`);
  return names;
}

if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const names = roomsAsked();
if (!values.report) {
  if (!existsSync(STRYKER)) install();
  for (const name of names) mutate(name, ROOMS[name]);
}
const rows = names.filter((name) => existsSync(reportOf(name))).map(tell);
console.log(['| room | mutants | noticed | not noticed | score |', '|---|---:|---:|---:|---:|', ...rows].join('\n'));
