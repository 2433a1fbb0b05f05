import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { minutes } from '../support/patience.js';
import { runCommand } from '../support/run-command.js';

const cwd = mkdtempSync(join(tmpdir(), 'aql-compare-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Those of the list in `test/compare` that are installed for tests; `.ci/nightly` compares all. */
const SERVERS = {
  everything: { command: 'mcp-server-everything' },
  filesystem: { command: 'mcp-server-filesystem', args: [cwd] },
  memory: { command: 'mcp-server-memory', env: { MEMORY_FILE_PATH: join(cwd, 'graph.json') } },
};

it('finds no undocumented difference in the servers that are installed here', { timeout: minutes(3) }, async () => {
  writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify({ mcpServers: SERVERS }));
  const { code, stdout } = await runCommand(['compare', '--json'], { cwd });
  const { servers } = JSON.parse(stdout);
  for (const { problem, compared, differences } of servers) {
    expect(problem).toBeUndefined();
    expect(compared.calls).toBeGreaterThan(0);
    const open = differences.filter(
      (one: { decision?: string; kind: string }) => !one.decision && one.kind !== 'slower',
    );
    expect(open).toEqual([]);
  }
  expect(code).toBe(0);
});
