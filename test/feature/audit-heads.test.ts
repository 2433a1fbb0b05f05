import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';
import { runCommand } from '../support/run-command.js';

/** Two journals of a gateway that was started and stopped twice, and what `audit verify` says of them. */
async function makeTrail(more: object = {}) {
  const directory = await makeDirectory();
  await using upstream = await startDangerUpstream();
  for (const count of [1, 2]) {
    await using gateway = await hostGateway(
      { mcpServers: { demo: dangerEntry(upstream, 'certified') }, ...more },
      { directory: directory.path },
    );
    await using client = await connectClient(gateway.url);
    expect((await client.call(EXECUTE, 'do_destructive', { count })).success).toBe(true);
  }
  const journals = join(directory.path, '.mcp-aql/audit');
  const file = join(directory.path, 'gateway.config.json');
  return {
    journals,
    newest: async () => join(journals, (await readdir(journals)).sort().at(-1) ?? ''),
    verify: async () => {
      const { code, stdout } = await runCommand(['audit', 'verify', '--json', '--config', file], {
        cwd: directory.path,
      });
      return {
        code,
        verdict: JSON.parse(stdout) as { files: number; faults: { problem: string }[]; notes: unknown[] },
      };
    },
    directory: directory.path,
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  };
}

it('accepts what is whole', async () => {
  await using trail = await makeTrail();
  expect(await trail.verify()).toMatchObject({ code: 0, verdict: { files: 2, faults: [], notes: [] } });
});

it('finds the removed end of the newest journal, which no journal names', async () => {
  await using trail = await makeTrail();
  const newest = await trail.newest();
  const lines = (await readFile(newest, 'utf8')).split('\n');
  await writeFile(newest, `${lines.slice(0, -3).join('\n')}\n`);
  const { code, verdict } = await trail.verify();
  expect(code).toBe(7);
  expect(verdict.faults).toMatchObject([{ problem: expect.stringContaining('the state store names it') }]);
});

it('finds that the newest journal was removed, and that all of them were', async () => {
  await using trail = await makeTrail();
  await rm(await trail.newest());
  expect(await trail.verify()).toMatchObject({ code: 7, verdict: { files: 1, faults: [{}] } });
  await rm(await trail.newest());
  expect(await trail.verify()).toMatchObject({ code: 7, verdict: { files: 0, faults: [{}, {}] } });
  await rm(trail.journals, { recursive: true });
  expect(await trail.verify()).toMatchObject({ code: 7, verdict: { files: 0, faults: [{}, {}] } });
});

it('notes that there is nothing to compare with where the store was removed', async () => {
  await using trail = await makeTrail();
  for (const name of await readdir(join(trail.directory, '.mcp-aql'))) {
    if (name.startsWith('state.db')) await rm(join(trail.directory, '.mcp-aql', name));
  }
  const { code, verdict } = await trail.verify();
  expect(code).toBe(0);
  expect(verdict.notes).toMatchObject([
    { file: 'state store', note: expect.stringContaining('could not be compared') },
  ]);
});

it.skipIf(REDIS_BINARY === undefined)(
  `keeps the ends in Redis too, and takes another machine's journals for no fault of this one (${NO_REDIS})`,
  async () => {
    await using redis = await startRedisServer();
    const more = { store: { type: 'redis', url: redis.url } };
    await using trail = await makeTrail(more);
    await using other = await makeTrail(more);
    expect(await trail.verify()).toMatchObject({ code: 0, verdict: { files: 2, faults: [] } });
    await rm(await other.newest());
    expect(await trail.verify()).toMatchObject({ code: 0, verdict: { faults: [] } });
    expect(await other.verify()).toMatchObject({ code: 7, verdict: { faults: [{}] } });
  },
);
