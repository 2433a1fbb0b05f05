import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Tells stories of gateways in which one repair is taken back, and prints a row for each: which story fails with the break and passes
 * without. Resolves with whether there is one for each.
 * @param names of the breaks; all where empty
 */
export async function tryBreaks(names, { cwd, env, args }) {
  const all = JSON.parse(readFileSync(join(cwd, 'test/life/breaks.json'), 'utf8'));
  const told = [];
  for (const each of names.length === 0 ? all : all.filter(({ name }) => names.includes(name))) {
    console.error(`\n${each.name}: ${each.what}`);
    const broken = [...args, '--config', 'test/life/broken.config.ts'];
    told.push({ ...each, ...(await tell(broken, cwd, { ...env, LIFE_BREAK: each.name })) });
  }
  const seeds = [...new Set(told.flatMap(({ failed }) => failed.map(([seed]) => seed)))];
  console.error('\nwith all repairs:');
  const whole = { ...env, LIFE_SEED: seeds.join(), LIFE_RUNS: '1', LIFE_ALL: '1' };
  const { failed: alwaysFailed } = seeds.length === 0 ? { failed: [] } : await tell(args, cwd, whole);
  const always = new Set(alwaysFailed.map(([seed]) => seed));
  console.log('| taken back | of | found as | seed | stories, steps until then |\n|---|---|---|---|---|');
  for (const { name, what, finding, failed, sequences, steps } of told) {
    const [seed, kind] = failed.find(([each]) => !always.has(each)) ?? ['', '**not found**'];
    console.log(`| ${what} (\`${name}\`) | ${finding} | ${kind} | ${seed} | ${sequences}, ${steps} |`);
  }
  return told.length > 0 && told.every(({ failed }) => failed.some(([seed]) => !always.has(seed)));
}

/** Resolves with the figures of the stories; those that fail go to the standard error. */
async function tell(args, cwd, env) {
  const child = spawn('npx', args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let figures;
  let isStory = false;
  for await (const line of createInterface({ input: child.stdout })) {
    isStory = line.startsWith('seed ') || (isStory && line !== '');
    if (isStory) console.error(line);
    else if (line.startsWith('{"sequences"')) figures = JSON.parse(line);
  }
  if (figures === undefined) throw new Error('the stories were not told');
  return figures;
}
