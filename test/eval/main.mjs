// npm run eval [-- --from FOLDER]: prints how well tools are classified and found, over a labelled corpus.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const env = values.from === undefined ? process.env : { ...process.env, EVAL_CORPUS: resolve(values.from) };
const { status } = spawnSync('npx', ['vitest', 'run', 'test/eval', '--disable-console-intercept'], {
  stdio: 'inherit',
  env,
});
process.exitCode = status ?? 1;
