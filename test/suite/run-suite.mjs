import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

/**
 * Runs the official suite's scenarios of one requirement set.
 *
 * @param suite what `findSuite` has found
 * @param run `side` (server or client), `set` (a revision of the protocol), and the suite's own `args`
 * @returns a result for each scenario of the set: `scenario`, `status` (passed, failed or untested) and the failed checks' `words`
 */
export async function runSuite({ node, program, requirements }, { side, set, args }) {
  const output = mkdtempSync(join(tmpdir(), 'aql-suite-results-'));
  try {
    const command = [program, side, '--requirements', set, '--output-dir', output, ...args];
    const child = spawn(node, command, { stdio: ['ignore', 'ignore', 'ignore'] });
    await once(child, 'exit');
    const checks = readChecks(output, side);
    const { required, others } = readRequirements(join(requirements, `${set}.yaml`), side);
    const judge = (isRequired) => (scenario) => ({ side, set, scenario, isRequired, ...judgeChecks(checks.get(scenario)) });
    return [...required.map(judge(true)), ...others.map(judge(false))];
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** The suite writes one folder for each scenario: SIDE-SCENARIO-TIME, where a scenario's name may hold a slash. */
function readChecks(output, side) {
  const files = readdirSync(output, { recursive: true }).filter((name) => basename(name) === 'checks.json');
  return new Map(
    files.map((file) => {
      const folder = relative(output, join(output, dirname(file)));
      const scenario = folder.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '').replace(new RegExp(`^${side}-`), '');
      return [scenario, JSON.parse(readFileSync(join(output, file), 'utf8'))];
    }),
  );
}

function judgeChecks(checks = []) {
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (checks.length === 0) return { status: 'failed', words: ['the scenario has no result'] };
  if (failed.length > 0) return { status: 'failed', words: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`) };
  return { status: checks.some(({ status }) => status === 'SUCCESS') ? 'passed' : 'untested', words: [] };
}

/** The scenarios that the set names for a side: lists of `- NAME`, and below `not_scored` pairs of `scenario` and `leg`. */
function readRequirements(file, side) {
  const required = [];
  const others = [];
  let section = '';
  let unscored = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    const [, name] = /^ {2}- (?:scenario: )?(\S+)$/.exec(line) ?? [];
    if (section === side && name !== undefined) required.push(name);
    if (section !== 'not_scored') continue;
    unscored = name ?? unscored;
    if (line.trim() === `leg: ${side}`) others.push(unscored);
  }
  return { required, others };
}
