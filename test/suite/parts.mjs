import { fileURLToPath } from 'node:url';
import { runSuite } from './run-suite.mjs';
import { startFixture, startGateway } from './start-servers.mjs';

const DRIVER = fileURLToPath(new URL('./drive-client.mjs', import.meta.url));

/** Both requirement sets, and the era of the protocol that each speaks. */
export const SETS = { '2025-11-25': 'legacy', '2026-07-28': 'modern' };

/** The suite against the fixture itself: what fails here says nothing about the gateway. */
export async function testFixture(suite, set) {
  const fixture = await startFixture(SETS[set]);
  try {
    return await runSuite(suite, { side: 'server', set, args: ['--url', fixture.url] });
  } finally {
    await fixture.stop();
  }
}

/** The suite against the gateway, whose upstream is the fixture in the same era. */
export async function testServer(suite, set) {
  const fixture = await startFixture(SETS[set]);
  try {
    const gateway = await startGateway({ url: fixture.url });
    try {
      return await runSuite(suite, { side: 'server', set, args: ['--url', gateway.url] });
    } finally {
      await gateway.stop();
    }
  } finally {
    await fixture.stop();
  }
}

/** The suite's servers as the gateway's upstream: a client of the gateway makes the calls that they wait for. */
export function testClient(suite, set, chosen) {
  return runSuite(suite, { side: 'client', set, chosen, args: ['--command', `${process.execPath} ${DRIVER}`] });
}
