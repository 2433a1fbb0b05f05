import { describe, expect, it } from 'vitest';
import { loadOnly, problemsOf } from './config-folder.js';

describe('the setting group', () => {
  it('is absent when it is not configured', async () => {
    const config = await loadOnly({ mcpServers: { hub: { command: 'hub' } } });
    expect(config.upstreams[0]).not.toHaveProperty('group');
  });

  it('may be set for a server and for operations, in the main file or in an upstream file', async () => {
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

  it('accepts only split and keep', async () => {
    const mcpServers = { hub: { command: 'hub', group: 'apart', operations: { a: { group: 1 } } } };
    const problems = await problemsOf({ mcpServers });
    expect(problems.map(({ path }) => path)).toEqual(['mcpServers.hub.group', 'mcpServers.hub.operations.a.group']);
  });
});
