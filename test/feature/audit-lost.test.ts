import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAuditTrail } from '../../src/policy/audit/audit-trail.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';
import { anEvent, auditConfig } from '../unit/policy/audit/audit-folder.js';

it('verify says how many records were lost, and ends with the code of an altered record', async () => {
  await using directory = await makeDirectory();
  const journals = join(directory.path, 'audit');
  const trail = await openAuditTrail(auditConfig({ directory: journals }), {
    observe: () => undefined,
    process: 'test',
    queueLimits: { records: 2, characters: 1_000_000 },
  });
  for (let index = 0; index < 10; index += 1) trail.record(anEvent(index));
  await trail.close();
  const { code, stdout } = await runCli(['audit', 'verify', '--dir', journals], { cwd: directory.path });
  expect(stdout).toMatch(/nothing was altered, but \d+ records? could not be kept and (are|is) lost/);
  expect(code).toBe(7);
});
