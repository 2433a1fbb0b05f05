/**
 * Compares servers of npm directly and through the gateway (`mcp-aql-gateway compare`).
 *
 *   npm run compare                  all of them; installs them into .mcp-aql/compare when it is run first
 *   npm run compare -- NAME ...      these
 *   npm run compare -- --table       writes the table of docs/compatibility.md from the last result of each
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVERS } from './servers.mjs';
import { writeTable } from './table.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, '.mcp-aql/compare');
/** Written last, so that an installation that was interrupted is made again. */
const MARK = join(FOLDER, 'installed.json');

const RESULTS = join(FOLDER, 'results');

const names = process.argv.slice(2);
if (names.includes('--table')) writeTable(join(ROOT, 'docs/compatibility.md'), SERVERS.flatMap(lastResult));
else run(names.length === 0 ? SERVERS : SERVERS.filter(({ name }) => names.includes(name)));

function run(chosen) {
  install();
  for (const server of chosen) {
    const result = compare(server);
    console.log(describe(result));
    keep(server, result);
    if (result.problem !== undefined || open(result.differences).length > 0) process.exitCode = 1;
  }
}

function keep({ name, version }, result) {
  mkdirSync(RESULTS, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(resultOf(name), JSON.stringify({ ...result, version, date }, undefined, 2));
}

/** What was found of this version last, if it has been compared. */
function lastResult({ name, version }) {
  if (!existsSync(resultOf(name))) return [];
  const result = JSON.parse(readFileSync(resultOf(name), 'utf8'));
  return result.version === version ? [result] : [];
}

function resultOf(name) {
  return join(RESULTS, `${worldOf(name)}.json`);
}

function worldOf(name) {
  return name.replace(/\W+/g, '-');
}

function install() {
  const manifest = JSON.stringify({
    private: true,
    dependencies: Object.fromEntries(SERVERS.map(({ name, version }) => [name, version])),
  });
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === manifest) return;
  console.error(`Installing ${SERVERS.length} servers into ${FOLDER}, which takes some minutes`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), manifest);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm install failed with ${status}`);
  writeFileSync(MARK, manifest);
}

/** The file of a package's command; of several the one that the package is named after, of none its module. */
function commandOf(name) {
  const folder = join(FOLDER, 'node_modules', name);
  const { bin, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const bare = name.split('/').at(-1);
  return join(folder, typeof bin === 'object' ? (bin[bare] ?? Object.values(bin)[0]) : (bin ?? main));
}

function compare({ name, args, env }) {
  const world = join(FOLDER, 'worlds', worldOf(name));
  mkdirSync(world, { recursive: true });
  const entry = {
    command: process.execPath,
    args: [commandOf(name), ...args],
    env: { HOME: world, ...env },
    cwd: world,
  };
  writeFileSync(join(world, 'gateway.config.json'), JSON.stringify({ mcpServers: { server: entry } }));
  const gateway = join(ROOT, 'dist/cli/main.js');
  const { stdout, stderr } = spawnSync(process.execPath, [gateway, 'compare', '--json'], {
    cwd: world,
    encoding: 'utf8',
  });
  try {
    return { ...JSON.parse(stdout).servers[0], server: name };
  } catch {
    throw new Error(`${name}: ${stderr || stdout}`);
  }
}

function open(differences) {
  return differences.filter(({ decision, kind }) => decision === undefined && kind !== 'slower');
}

function describe({ server, problem, compared, differences }) {
  if (problem !== undefined) return `${server}: not compared: ${problem}`;
  const lines = open(differences).map(
    ({ kind, face, era, subject, message }) => `  ${kind} in ${face}, ${era}: ${subject}: ${message}`,
  );
  return [`${server}: ${compared.listed} listed and ${compared.calls} asked`, ...lines].join('\n');
}
