#!/usr/bin/env node
/** `npm run life -- --runs N`: stories of a gateway's life, more and longer ones than the test tells. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run life -- [options]
  --runs N         how many stories (200)
  --seed S         of the first one; each next one has the next seed (random)
  --steps N        the most steps of a story (40)
  --lanes N        how many go on at once (8)
  --all            go on after a failure
  --shrink N       seconds for which a failed story is made shorter (120)
  --without A,B    kinds of steps or servers that are left out, to find what hides behind them (test/life/commands.ts)
`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    steps: { type: 'string', default: '40' },
    lanes: { type: 'string', default: '8' },
    all: { type: 'boolean', default: false },
    shrink: { type: 'string', default: '120' },
    without: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const env = {
  ...process.env,
  LIFE_RUNS: values.runs,
  LIFE_SEED: values.seed,
  LIFE_STEPS: values.steps,
  LIFE_LANES: values.lanes,
  LIFE_SHRINK_SECONDS: values.shrink,
  ...(values.all ? { LIFE_ALL: '1' } : {}),
  ...(values.without === undefined ? {} : { LIFE_WITHOUT: values.without }),
};
const cwd = fileURLToPath(new URL('../../', import.meta.url));
const args = ['vitest', 'run', 'test/life/life.test.ts', '--disable-console-intercept'];
const child = spawn('npx', args, { cwd, env, stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
