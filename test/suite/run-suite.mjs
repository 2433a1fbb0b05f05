import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The suite itself would start all clients of a set at once, dozens of gateways. */
const CLIENTS_AT_ONCE = 2;

/** How long a scenario may take on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * Runs the official suite's scenarios of one requirement set.
 *
 * @param suite what `findSuite` has found
 * @param run `side` (server or client), `set` (a revision of the protocol), the suite's own `args`, and which scenarios are
 *   `chosen` (servers are tested in one run unless scenarios are chosen)
 * @returns a result for each scenario of the set: `scenario`, `status` (passed, failed or untested) and the failed checks' `words`
 */
export async function runSuite(suite, { side, set, args, chosen }) {
  const isChosen = chosen ?? (() => true);
  const { required, others } = readRequirements(join(suite.requirements, `${set}.yaml`), side);
  const output = mkdtempSync(join(tmpdir(), 'aql-suite-results-'));
  try {
    const common = ['--output-dir', output, '--timeout', String(TIMEOUT_MS), ...args];
    if (side === 'server' && chosen === undefined)
      await runProgram(suite, ['server', '--requirements', set, ...common]);
    else {
      const one = ['--spec-version', set, '--force', ...common];
      await runOneByOne(suite, side, [...required, ...others].filter(isChosen), one);
    }
    const checks = readChecks(output, side);
    const judge = (isRequired) => (scenario) => ({
      side,
      set,
      scenario,
      isRequired,
      ...judgeChecks(checks.get(scenario)),
    });
    return [...required.filter(isChosen).map(judge(true)), ...others.filter(isChosen).map(judge(false))];
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function runOneByOne(suite, side, scenarios, args) {
  const left = [...scenarios];
  const runNext = async () => {
    for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
      await runProgram(suite, [side, '--scenario', scenario, ...args]);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS_AT_ONCE }, runNext));
}

async function runProgram({ node, program }, args) {
  await once(spawn(node, [program, ...args], { stdio: 'ignore' }), 'exit');
}

/** The suite writes one folder for each scenario: SIDE-SCENARIO-TIME, where a scenario's name may hold a slash. */
function readChecks(output, side) {
  const files = readdirSync(output, { recursive: true }).filter((name) => basename(name) === 'checks.json');
  return new Map(
    files.map((file) => {
      const scenario = dirname(file)
        .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
        .replace(new RegExp(`^${side}-`), '');
      return [scenario, JSON.parse(readFileSync(join(output, file), 'utf8'))];
    }),
  );
}

function judgeChecks(checks = []) {
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (checks.length === 0) return { status: 'failed', words: ['the scenario has no result'] };
  if (failed.length > 0)
    return { status: 'failed', words: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`) };
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
