/**
 * Reads what the test runs of the gate wrote: `first.json`, and `second.json` for the files that ran again.
 *
 *   node .ci/report.mjs failed-files FOLDER   the files of the first run with a failure, a line each
 *   node .ci/report.mjs summary FOLDER        what failed once only, and the counts over both runs
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [, , question, folder] = process.argv;

/** The results of a run by file; none where the run did not get as far as its report. */
function readRun(name) {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return new Map();
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(testResults.map((result) => [relative(process.cwd(), result.name), result]));
}

const count = (results, status) =>
  results.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;

const hasFailed = ({ status }) => status === 'failed';

const first = readRun('first');
if (question === 'failed-files') {
  for (const [file, result] of first) if (hasFailed(result)) console.log(file);
} else {
  const second = readRun('second');
  for (const [file, result] of second) {
    if (!hasFailed(result)) console.log(`failed once, passed when run again: ${file}`);
  }
  const results = [...new Map([...first, ...second]).values()];
  // A file that fails before its first test, or a run without a report, is a failure too.
  const broken = results.filter((result) => hasFailed(result) && count([result], 'failed') === 0).length;
  const failed = results.length === 0 ? 1 : count(results, 'failed') + broken;
  const skipped = count(results, 'pending') + count(results, 'skipped') + count(results, 'todo');
  console.log(`${count(results, 'passed')} passed, ${failed} failed, ${skipped} skipped`);
}
