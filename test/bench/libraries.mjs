/**
 * What libraries cost: the time to load each in a fresh process, and the time of one typical use, beside what we have of our own.
 * Those that the product does not use are installed into a scratch folder from the registry.
 *
 *   npm run bench:libraries
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { spread } from './statistics.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Considered and not used: see docs/adr/0019. */
const OTHERS = ['jsonata@2.2.2', '@marcbachmann/cel-js@8.0.0'];
const ROUNDS = 9;
const ITEMS = Array.from({ length: 1_000 }, (_, index) => ({
  state: index % 3 === 0 ? 'open' : 'closed',
  title: `Item ${index}`,
  labels: ['bug', 'area'],
  size: index,
}));

async function loadTimes(specifier) {
  const program = `const start = performance.now(); await import(${JSON.stringify(specifier)}); console.log(performance.now() - start);`;
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
    times.push(Number(stdout));
  }
  return spread(times);
}

/** Milliseconds of one use. */
async function useTimes(use) {
  for (let warm = 0; warm < 5; warm += 1) await use();
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await use();
    times.push(performance.now() - start);
  }
  return spread(times);
}

const own = (path) => pathToFileURL(join(ROOT, 'dist', path)).href;
const local = createRequire(import.meta.url);
const installed = (name) => pathToFileURL(local.resolve(name)).href;

/** What the product uses in place of code of our own. */
async function usedLibraries() {
  const jsonc = (await import('jsonc-parser')).default;
  const { diffArrays } = await import('diff');
  const { RE2JS } = local('re2js');
  const configuration = await readFile(join(ROOT, 'gateway.config.json'), 'utf8');
  const before = ITEMS.map(({ title }) => title).slice(0, 200);
  const pattern = RE2JS.compile('^[a-z]+-[0-9]{1,4}$');
  return [
    ['jsonc-parser', 'reads the default configuration', installed('jsonc-parser'), () => jsonc.parse(configuration)],
    ['diff', '200 words, one of them changed', installed('diff'), () => diffArrays(before, before.with(100, 'other'))],
    [
      're2js',
      'one pattern over 1,000 values',
      installed('re2js'),
      () => ITEMS.filter(({ state }) => pattern.matches(state)),
    ],
  ];
}

/** The same expression over 1,000 items. */
async function expressionLanguages(directory) {
  const foreign = createRequire(join(directory, 'package.json'));
  const address = (name) => pathToFileURL(foreign.resolve(name)).href;
  const { compileExpression } = await import(own('base/expression/compile.js'));
  const jsonata = (await import(address('jsonata'))).default;
  const { parse } = await import(address('@marcbachmann/cel-js'));
  const compiled = compileExpression("state == 'open' and size > 500");
  const query = jsonata("state = 'open' and size > 500");
  const condition = parse("state == 'open' && size > 500.0");
  const answerOf = async (item) => {
    const answers = [compiled.compute(item, 0), await query.evaluate(item), condition(item)];
    if (new Set(answers).size !== 1) throw new Error(`They differ: ${answers}`);
  };
  await answerOf(ITEMS[0]);
  await answerOf(ITEMS[999]);
  return [
    [
      'our expressions',
      '1,000 items',
      own('base/expression/compile.js'),
      () => ITEMS.map((item) => compiled.compute(item, 0)),
    ],
    ['cel-js', '1,000 items', address('@marcbachmann/cel-js'), () => ITEMS.map((item) => condition(item))],
    [
      'jsonata',
      '1,000 items',
      address('jsonata'),
      async () => {
        for (const item of ITEMS) await query.evaluate(item);
      },
    ],
  ];
}

const scratch = await mkdtemp(join(tmpdir(), 'libraries-'));
try {
  await writeFile(join(scratch, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...OTHERS], { cwd: scratch });
  console.log('milliseconds, median (least to most)'.padEnd(52), 'load'.padEnd(22), 'use');
  const words = ({ median, min, max }) => `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`.padEnd(22);
  for (const [name, what, specifier, use] of [...(await usedLibraries()), ...(await expressionLanguages(scratch))]) {
    console.log(`${name}: ${what}`.padEnd(52), words(await loadTimes(specifier)), words(await useTimes(use)));
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
