import { describe, expect, it } from 'vitest';
import { loadOnly, problemsOf } from './config-folder.js';

const curate = (operation: unknown): unknown => ({ mcpServers: { a: { command: 'x', operations: { t: operation } } } });

describe('the curation of serving', () => {
  it.each([
    [{ cache: { ttlSeconds: 60 } }],
    [{ merge: { read: 'get_item' } }],
    [{ merge: { read: 'a__get_item', identifiers: { id: 'item_id' }, path: 'items.0' } }],
  ])('accepts %j unchanged', async (operation) => {
    const config = await loadOnly(curate(operation));
    expect(config.upstreams[0]?.curation).toEqual([{ pattern: 't', ...operation }]);
  });

  it.each([
    [{ cache: 60 }, 'cache'],
    [{ cache: {} }, 'cache'],
    [{ cache: { ttlSeconds: 0 } }, 'cache.ttlSeconds'],
    [{ cache: { ttlSeconds: 0.5 } }, 'cache.ttlSeconds'],
    [{ cache: { ttlSeconds: 86_401 } }, 'cache.ttlSeconds'],
    [{ merge: 'get_item' }, 'merge'],
    [{ merge: { path: 'item' } }, 'merge'],
    [{ merge: { read: '' } }, 'merge.read'],
    [{ merge: { read: 'get_item', identifiers: { id: 5 } } }, 'merge.identifiers.id'],
  ])('refuses %j', async (operation, key) => {
    const problems = await problemsOf(curate(operation));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toMatch(new RegExp(`^mcpServers\\.a\\.operations\\.t\\.${key.replaceAll('.', '\\.')}`));
  });
});
