import { fileURLToPath } from 'node:url';
import { runSuite } from './run-suite.mjs';
import { startFixture, startGateway, startTasksFixture } from './start-servers.mjs';

const DRIVER = fileURLToPath(new URL('./drive-client.mjs', import.meta.url));

/** Both requirement sets, and the era of the protocol that each speaks. */
export const SETS = { '2025-11-25': 'legacy', '2026-07-28': 'modern' };

const isOfTasks = (scenario) => scenario.startsWith('tasks-');

/** The suite against the fixtures themselves: what fails here says nothing about the gateway. */
export function testFixture(suite, set) {
  return overFixtures(set, (url, chosen) => runSuite(suite, { side: 'server', set, chosen, args: ['--url', url] }));
}

/** The suite against the gateway, whose upstream is a fixture in the same era. */
export function testServer(suite, set) {
  return overFixtures(set, async (url, chosen) => {
    // A tool of a name that says nothing asks people first, whom the suite does not have.
    const operations = { multi_input: { danger: 'reversible' } };
    const gateway = await startGateway({ url, operations });
    try {
      return await runSuite(suite, { side: 'server', set, chosen, args: ['--url', gateway.url] });
    } finally {
      await gateway.stop();
    }
  });
}

/** Tasks have a fixture of their own, in the era that has scenarios for them. */
async function overFixtures(set, run) {
  const results = await over(await startFixture(SETS[set]), (url) => run(url));
  if (!results.some(({ scenario }) => isOfTasks(scenario))) return results;
  const ofTasks = await over(await startTasksFixture(), (url) => run(url, isOfTasks));
  return [...results.filter(({ scenario }) => !isOfTasks(scenario)), ...ofTasks];
}

async function over(fixture, run) {
  try {
    return await run(fixture.url);
  } finally {
    await fixture.stop();
  }
}

/**
 * The suite against a server of both eras, directly and then through the gateway, which speaks to it in the era of the suite.
 *
 * @returns the results of both, scenario by scenario
 */
export async function testReference(suite, set, url) {
  const args = (address) => ({ side: 'server', set, args: ['--url', address] });
  const direct = await runSuite(suite, args(url));
  const gateway = await startGateway({ url });
  try {
    return { direct, through: await runSuite(suite, args(gateway.url)) };
  } finally {
    await gateway.stop();
  }
}

/** The same with the fixture that behaves as the suite's own reference server. */
export async function testOwnReference(suite, set) {
  return over(await startFixture('apart'), (url) => testReference(suite, set, url));
}

/** The suite's servers as the gateway's upstream: a client of the gateway makes the calls that they wait for. */
export function testClient(suite, set, chosen) {
  return runSuite(suite, { side: 'client', set, chosen, args: ['--command', `${process.execPath} ${DRIVER}`] });
}
