import { describe, expect, it } from 'vitest';
import { loadOnly, problemsOf } from './config-folder.js';

describe('group', () => {
  it("is nobody's unless somebody says so", async () => {
    const config = await loadOnly({ mcpServers: { hub: { command: 'hub' } } });
    expect(config.upstreams[0]).not.toHaveProperty('group');
  });

  it('may be said of a server and of operations, in the main file or in its own', async () => {
    const mcpServers = {
      hub: { command: 'hub', group: 'split', operations: { issue_write: { group: 'keep' } } },
      lab: { command: 'lab' },
    };
    const files = { 'upstreams/lab.json': JSON.stringify({ group: 'keep' }) };
    const config = await loadOnly({ mcpServers }, { files });
    expect(config.upstreams.map(({ name, group }) => [name, group])).toEqual([
      ['hub', 'split'],
      ['lab', 'keep'],
    ]);
    expect(config.upstreams[0]?.curation).toEqual([{ pattern: 'issue_write', group: 'keep' }]);
  });

  it('is split or keep', async () => {
    const mcpServers = { hub: { command: 'hub', group: 'apart', operations: { a: { group: 1 } } } };
    const problems = await problemsOf({ mcpServers });
    expect(problems.map(({ path }) => path)).toEqual(['mcpServers.hub.group', 'mcpServers.hub.operations.a.group']);
  });
});
