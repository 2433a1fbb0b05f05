// npm run eval [-- --from FOLDER]: prints how well tools are classified and found, over a labelled corpus.
// npm run eval -- --danger: prints how dangerous each verb is rated, and the tools that are rated unlike their verb.
// npm run eval -- --tokens: how far the estimate of tokens is off from o200k_base, by kind of text.
// npm run eval -- --rules: prints what each rule yields over labelled servers, and over invented ones.
// npm run eval -- --calibration: of what is said with how much confidence how much is right, on servers that taught nothing.
// npm run eval:learn: learns the weights of the confidence again, and writes them to src/classify/confidence-weights.ts.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    learn: { type: 'boolean' },
    danger: { type: 'boolean' },
    tokens: { type: 'boolean' },
    rules: { type: 'boolean' },
    calibration: { type: 'boolean' },
  },
});
const from = values.from === undefined ? {} : { EVAL_CORPUS: resolve(values.from) };
const env = {
  ...process.env,
  ...from,
  EVAL_REPORT: '1',
  ...(values.learn === true && { LEARN: '1' }),
  ...(values.danger === true && { DANGER: '1' }),
  ...(values.rules === true && { RULES: '1' }),
  ...(values.calibration === true && { CALIBRATION: '1' }),
};
const FILES = {
  learn: 'learn',
  danger: 'danger-table',
  tokens: 'token-estimate',
  rules: 'rules-yield',
  calibration: 'calibration',
};
const only = Object.entries(FILES).find(([option]) => values[option] === true)?.[1];
const tests = only === undefined ? 'test/eval' : `test/eval/${only}.test.ts`;
const { status } = spawnSync('npx', ['vitest', 'run', tests, '--disable-console-intercept'], {
  stdio: 'inherit',
  env,
});
process.exitCode = status ?? 1;
