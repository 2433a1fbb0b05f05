import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { minutes } from '../support/patience.js';
import { NO_REDIS, REDIS_BINARY } from '../support/redis-server.js';
import { REPOSITORY } from '../support/served-gateway.js';

describe.skipIf(REDIS_BINARY === undefined)(`a rolling restart (${NO_REDIS})`, () => {
  // `npm run soak:replicas` does the same at 200 calls a second.
  it(
    'fails, loses and repeats no call of any client while each of three gateways is restarted',
    async () => {
      const options = ['--json', '--rate', '40', '--seconds', '0.3', '--rounds', '1'];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['test/soak/replicas.mjs', ...options], {
        cwd: REPOSITORY,
        timeout: 150_000,
      }).catch((fault: { readonly stdout: string; readonly stderr: string }) => fault);
      expect(stdout, stderr).not.toBe('');
      const result = JSON.parse(stdout);
      expect(result).toMatchObject({ failed: 0, faults: [], lost: 0, twice: 0, overQuota: 0 });
      expect(result.calls).toBeGreaterThan(50);
    },
    minutes(3),
  );
});
