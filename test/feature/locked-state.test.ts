import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type Holding, lockFile } from '../support/file-lock.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { leanCaller } from '../support/lean-client.js';
import { sendHttp } from '../support/raw-http.js';

it.each<readonly [string, Holding]>([
  ['keeps a transaction open in', 'open'],
  ['is stopped in the middle of writing', 'stopped'],
])('a program that %s the state file delays no call but those that need the state', async (_what, holding) => {
  await using danger = await startDangerUpstream();
  await using gateway = await hostGateway({ mcpServers: { demo: dangerEntry(danger) } });
  const call = leanCaller(gateway.url);
  const get = (path: string) => sendHttp(new URL(path, gateway.url).href, { method: 'GET' });
  const ask = () => call(EXECUTE, 'do_destructive');
  const lock = await lockFile(join(gateway.directory, '.mcp-aql', 'state.db'), holding);
  let isAnswered = false;
  const asked = ask().finally(() => {
    isAnswered = true;
  });

  // A thread that waits for the lock itself would answer one or two.
  let reads = 0;
  for (; !isAnswered; reads += 1) expect(await call(EXECUTE, 'do_safe')).toMatchObject({ success: true });
  expect(reads).toBeGreaterThan(4);
  const refused = {
    success: false,
    error: { details: { reason: 'unavailable', outcome: 'not_run', retryable: true } },
  };
  expect(await asked).toMatchObject(refused);
  expect(await ask()).toMatchObject(refused);
  expect(await call(EXECUTE, 'do_safe')).toMatchObject({ success: true });
  expect(await get('/healthz')).toMatchObject({ status: 200 });
  expect(await get('/readyz')).toMatchObject({ status: 200 });

  await lock[Symbol.asyncDispose]();
  await expect.poll(async () => (await ask()).error?.code).toBe('CONFIRMATION_REQUIRED');
});
