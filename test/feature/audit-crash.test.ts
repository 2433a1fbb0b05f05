import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { leanCaller } from '../support/lean-client.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

const CALLS = 3_000;
const AT_ONCE = 32;
/** What docs/audit.md promises: a crash loses the last 100 ms at most. */
const PROMISE_MS = 100;

/** The `count` of every call on record. */
async function recordedCalls(directory: string): Promise<ReadonlySet<number>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'));
  const lines = await Promise.all(
    files.map(async (name) => (await readFile(join(directory, name), 'utf8')).split('\n')),
  );
  const records = lines.flat().flatMap((line) => {
    try {
      return [JSON.parse(line) as { readonly type: string; readonly parameters?: { readonly count: number } }];
    } catch {
      // The incomplete last line that the crash left.
      return [];
    }
  });
  return new Set(records.flatMap(({ type, parameters }) => (type === 'call' && parameters ? [parameters.count] : [])));
}

describe('kill -9 during audited calls', () => {
  it.each([
    ['buffered', {}, PROMISE_MS],
    ['audit.sync', { sync: true }, 0],
  ])('leaves a trail that verifies and loses no more than promised (%s)', async (_name, audit, promise) => {
    await using directory = await makeDirectory();
    await using upstream = await startDangerUpstream();
    const config = { audit, mcpServers: { demo: dangerEntry(upstream, 'certified') } };
    const answered = new Map<number, number>();
    let killedAt = 0;
    {
      await using gateway = await serveGateway(config, { directory: directory.path });
      const call = leanCaller(gateway.url);
      let next = 0;
      const callOn = async (): Promise<void> => {
        while (next < CALLS && killedAt === 0) {
          const count = next++;
          const answer = await call(EXECUTE, 'do_destructive', { count }).catch(() => undefined);
          if (killedAt === 0 && answer?.success === true) answered.set(count, Date.now());
          if (killedAt === 0 && answered.size === CALLS / 4) {
            killedAt = Date.now();
            gateway.process.kill('SIGKILL');
          }
        }
      };
      await Promise.all([once(gateway.process, 'exit'), ...Array.from({ length: AT_ONCE }, callOn)]);
    }
    const verified = await runCli(['audit', 'verify', '--config', join(directory.path, 'gateway.config.json')], {
      cwd: directory.path,
    });
    expect(verified.stdout + verified.stderr).toContain('nothing was altered');
    expect(verified.code).toBe(0);
    const recorded = await recordedCalls(join(directory.path, '.mcp-aql/audit'));
    const lost = [...answered].filter(([count, at]) => at <= killedAt - promise && !recorded.has(count));
    expect(answered.size).toBeGreaterThanOrEqual(CALLS / 4);
    expect(lost).toEqual([]);
  });
});
