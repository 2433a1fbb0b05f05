import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILED, SERVERS } from './servers.mjs';

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];

/** Written last, so that an installation that was interrupted is made again. */
const MARK = 'installed.json';

/** Installs the servers with npm into `folder` unless they are there, and returns the folder of their commands. */
export function installServers(folder) {
  const manifest = JSON.stringify({ private: true, dependencies: Object.fromEntries(SERVERS.map(readSpec)) });
  const mark = join(folder, MARK);
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== manifest) {
    process.stderr.write(`Installing ${SERVERS.length} servers into ${folder} (1.1 GB, some minutes)\n`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), manifest);
    runNpm(['install', ...QUIET], folder);
    runNpm(['rebuild', ...COMPILED], folder);
    writeFileSync(mark, manifest);
  }
  return join(folder, 'node_modules/.bin');
}

function readSpec({ spec }) {
  const at = spec.lastIndexOf('@');
  return [spec.slice(0, at), spec.slice(at + 1)];
}

function runNpm(args, cwd) {
  const { status } = spawnSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm ${args[0]} failed with ${status}`);
}
