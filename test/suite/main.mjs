/**
 * Runs the official conformance suite of MCP against the shipped gateway, and says what fails that is not on the list.
 *
 *   node test/suite/main.mjs [--set 2025-11-25] [--part server|client|fixture|reference] [--verbose]
 *   node test/suite/main.mjs --reference http://127.0.0.1:3000/mcp   sets a server that runs there beside the same through the gateway
 */
import { parseArgs } from 'node:util';
import { compare, compareWays, findStale, readExpected } from './compare.mjs';
import { findSuite, installNode } from './find-suite.mjs';
import { SETS, testClient, testFixture, testOwnReference, testReference, testServer } from './parts.mjs';

const PARTS = { server: testServer, client: testClient, fixture: testFixture };

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    part: { type: 'string' },
    reference: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

function findOrInstall() {
  if ('missing' in findSuite() && process.platform === 'linux' && process.arch === 'x64') installNode();
  const suite = findSuite();
  if ('missing' in suite) throw new Error(suite.missing);
  return suite;
}

function describe({ set, isRequired, scenario, status, words, reason }) {
  const name = `${set}  ${isRequired ? 'required' : 'optional'}  ${scenario.padEnd(46)}`;
  const why = reason === undefined ? '' : `  ${reason}`;
  const detail = values.verbose && status === 'failed' ? `\n    ${words.join('\n    ')}` : '';
  return `${name}${status.padEnd(8)}${why}${detail}`;
}

const count = (judged, status, isRequired) =>
  judged.filter((result) => result.status === status && result.isRequired === isRequired).length;

const suite = findOrInstall();
const expected = readExpected();
const isReference = values.reference !== undefined || values.part === 'reference';
const parts = isReference ? [] : values.part === undefined ? ['server', 'client'] : [values.part];
const sets = values.set === undefined ? Object.keys(SETS) : [values.set];
let passed = 0;
const faults = [];
for (const part of parts) {
  for (const set of sets) {
    const results = await PARTS[part](suite, set);
    // The fixture may fail nothing that is required, and the list is not about it.
    const list = part === 'fixture' ? results.filter(({ isRequired }) => isRequired) : results;
    const { judged, faults: found } = compare(list, part === 'fixture' ? [] : expected);
    console.log(`\n${part} ${set}\n${judged.map(describe).join('\n')}`);
    console.log(`required: ${count(judged, 'passed', true)} passed, ${count(judged, 'failed', true)} failed`);
    passed += judged.filter(({ status, reason }) => status === 'passed' && reason === undefined).length;
    faults.push(...found, ...(part === 'fixture' ? [] : findStale(results, expected)));
  }
}
for (const set of isReference ? sets : []) {
  const { reference } = values;
  const ofBoth = reference === undefined ? testOwnReference(suite, set) : testReference(suite, set, reference);
  const { judged, faults: found } = compareWays(await ofBoth);
  const ways = judged.map(({ through, ...result }) => ({ ...result, reason: `through: ${through.status}` }));
  console.log(`\nreference ${set}\n${ways.map(describe).join('\n')}`);
  const direct = judged.filter(({ status }) => status === 'passed');
  const both = direct.filter(({ through }) => through.status === 'passed').length;
  const rest = direct.length - both - found.length;
  console.log(
    `directly: ${direct.length} passed; of these through: ${both} passed, ${rest} do not apply, ${found.length} failed`,
  );
  passed += both;
  faults.push(...found);
}
for (const fault of faults) console.error(fault);
console.log(`${passed} passed, ${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;
