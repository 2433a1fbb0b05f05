// Builds `dist`, and says what it does.
//
//   node tools/build.mjs              all of it, with the types checked
//   node tools/build.mjs --if-needed  where a source is newer than the last build; the types are left to `npm run typecheck`,
//                                     which takes longer than all the rest
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBuilt, MARK } from './is-built.mjs';

const ifNeeded = process.argv.includes('--if-needed');
if (ifNeeded && isBuilt('.')) say('dist is newer than its sources: nothing to build');
else await build();

async function build() {
  const began = Date.now();
  // Sources that change while this runs are newer than the build.
  const stamp = new Date();
  rmSync(MARK, { force: true });
  const compiling = ifNeeded ? 'compiling' : 'compiling and checking types';
  say(`1/3 ${compiling}, and bundling the program ...`);
  const compiler = ['node_modules/tsc-native/bin/tsc', '-p', 'tsconfig.build.json'];
  await Promise.all([run([...compiler, ...(ifNeeded ? ['--noCheck'] : [])]), run(['tools/bundle.mjs'])]);
  say('2/3 copying assets ...');
  await run(['tools/copy-assets.mjs']);
  say('3/3 starting it twice, to keep its compiled code for quick starts ...');
  await run(['tools/keep-compiled.mjs']);
  mkdirSync(dirname(MARK), { recursive: true });
  writeFileSync(MARK, '');
  utimesSync(MARK, stamp, stamp);
  say(`done in ${Math.round((Date.now() - began) / 1000)} s`);
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.once('close', (code) => {
      if (code === 0) return resolve();
      say(`'${args[0]}' failed`);
      process.exit(code ?? 1);
    });
  });
}

function say(words) {
  process.stdout.write(`build: ${words}\n`);
}
