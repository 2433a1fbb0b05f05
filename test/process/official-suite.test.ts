import { describe, expect, it } from 'vitest';
import { compare, compareWays, findStale, readExpected } from '../suite/compare.mjs';
import { findSuite } from '../suite/find-suite.mjs';
import { testClient, testOwnReference, testServer } from '../suite/parts.mjs';
import { NIGHTLY } from '../support/nightly.js';
import { minutes } from '../support/patience.js';

/** Scenarios whose servers want an authorization are in `npm run suite` alone: each of them waits for a gateway of its own. */
const withoutAuthorization = (scenario: string) => !scenario.startsWith('auth/');

const suite = findSuite();
const missing = 'missing' in suite ? ` (skipped: ${suite.missing})` : '';

/** Each scenario of the client's side starts a gateway: they run at night. */
const TIMEOUT_MS = minutes(5);

describe.skipIf('missing' in suite)(`the official conformance suite${missing}`, () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'finds no fault in the gateway as a server of %s beyond those that are listed with a reason',
    async (set) => {
      const results = await testServer(suite, set);
      expect([...compare(results, readExpected()).faults, ...findStale(results, readExpected())]).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.skipIf(!NIGHTLY).each(['2025-11-25', '2026-07-28'] as const)(
    'finds no fault in the gateway as a client of %s beyond those that are listed with a reason',
    async (set) => {
      const results = await testClient(suite, set, withoutAuthorization);
      expect(compare(results, readExpected()).faults).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'passes through the gateway in %s wherever it passes directly, of a server that tells the eras apart by `_meta`',
    async (set) => {
      expect(compareWays(await testOwnReference(suite, set)).faults).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
