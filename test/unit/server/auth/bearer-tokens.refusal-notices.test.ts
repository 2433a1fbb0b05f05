import { expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { RefusalNotices } from '../../../../src/server/auth/bearer-tokens.js';

it('reports the first refused request at once and counts the others in the next notice', () => {
  let now = 1_000_000;
  const told: Observation[] = [];
  const notices = new RefusalNotices(
    (observation) => told.push(observation),
    '/mcp',
    () => now,
  );
  for (let count = 0; count < 500; count += 1) notices.refused('192.0.2.1');
  now += 59_999;
  notices.refused('192.0.2.1');
  expect(told).toEqual([
    { kind: 'notice', level: 'warn', message: "Refused a request to /mcp from '192.0.2.1' without a valid token." },
  ]);
  now += 1;
  notices.refused('192.0.2.2');
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({
    message: "Refused a request to /mcp from '192.0.2.2' without a valid token (and 500 more since the last notice).",
  });
});
