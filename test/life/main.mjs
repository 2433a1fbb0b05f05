#!/usr/bin/env node
/** `npm run life -- --runs N`: stories of a gateway's life, more and longer ones than the test tells. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tryBreaks } from './try-breaks.mjs';

const USAGE = `npm run life -- [options] [NAME ...]
  --runs N         how many stories (200; of each break 60)
  --seed S         of the first one (random); each next one has the next seed, or the next of S,T,...
  --steps N        the most steps of a story (40)
  --lanes N        how many go on at once (8)
  --all            go on after a failure
  --shrink N       seconds for which a failed story is made shorter (120; of breaks 0)
  --without A,B    kinds of steps or servers that are left out, to find what hides behind them (test/life/commands.ts)
  --breaks         takes the repairs in test/life/breaks.json back, one after the other (or those of these NAMEs), and prints
                   which story finds each and passes with the repair; fails where none does
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    steps: { type: 'string', default: '40' },
    lanes: { type: 'string', default: '8' },
    all: { type: 'boolean', default: false },
    shrink: { type: 'string' },
    without: { type: 'string' },
    breaks: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const env = {
  ...process.env,
  LIFE_RUNS: values.runs ?? (values.breaks ? '60' : '200'),
  LIFE_SEED: values.seed,
  LIFE_STEPS: values.steps,
  LIFE_LANES: values.lanes,
  LIFE_SHRINK_SECONDS: values.shrink ?? (values.breaks ? '0' : '120'),
  ...(values.all ? { LIFE_ALL: '1' } : {}),
  ...(values.without === undefined ? {} : { LIFE_WITHOUT: values.without }),
};
const cwd = fileURLToPath(new URL('../../', import.meta.url));
const ARGS = ['vitest', 'run', 'test/life/life.test.ts', '--disable-console-intercept'];
if (values.breaks) process.exitCode = (await tryBreaks(positionals, { cwd, env, args: ARGS })) ? 0 : 1;
else spawn('npx', ARGS, { cwd, env, stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
