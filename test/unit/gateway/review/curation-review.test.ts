import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load/load-config.js';
import { openCapturedGateway, readCapturedLists } from '../../../../src/gateway/captured-gateway.js';
import type { Inspected } from '../../../../src/gateway/gateway.js';
import { previewCuration, saveCuration } from '../../../../src/gateway/review/curation-review.js';
import { makeFolder } from '../../config/config-folder.js';

const TOOLS = [
  { name: 'purge_cache', description: 'Purge the cache', inputSchema: { type: 'object' } },
  {
    name: 'read_note',
    description: 'Read a note',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
];

const MAIN = `{
  // The notes of the team.
  "mcpServers": { "Notes": { "url": "https://notes.example/mcp", "trust": "validated" } }
}
`;
const CURATION = `{
  "name": "Notes",
  "operations": {
    // Looked at in May.
    "read_*": { "timeoutMs": 5000 }
  }
}
`;

async function open(files: Readonly<Record<string, unknown>> = { 'upstreams/notes.json': CURATION }) {
  const folder = makeFolder({ 'gateway.config.json': MAIN, ...files });
  const { config } = await loadConfig({ env: {}, cwd: folder });
  const { upstreams, toolSets } = readCapturedLists([{ name: 'Notes', json: TOOLS }], config.upstreams);
  const recorded: unknown[] = [];
  const gateway: Inspected = {
    ...openCapturedGateway({ ...config, upstreams }, toolSets),
    recordAdmin: (...all) => recorded.push(all),
  };
  const operation = (name: string) => {
    const found = gateway.operations().find((each) => each.operation.tool === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found.operation;
  };
  return { gateway, operation, recorded, read: (name: string) => readFile(join(folder, name), 'utf8') };
}

describe('judging an operation otherwise', () => {
  it('shows what changes for callers and in the file before anything is written, and then writes just that', async () => {
    const { gateway, operation, recorded, read } = await open();
    const judgement = { category: 'UPDATE', danger: 'reversible' } as const;
    const preview = await previewCuration(gateway, operation('purge_cache'), judgement);
    expect(preview?.operations).toMatchObject([
      { name: 'purge_cache', after: { category: 'UPDATE', danger: 'reversible' } },
    ]);
    expect(await read('upstreams/notes.json')).toBe(CURATION);
    const digest = preview?.digest ?? '';
    const by = { digest, operator: 'olga' };
    expect(await saveCuration(gateway, operation('purge_cache'), { ...judgement, danger: 'safe' }, by)).toEqual({
      kind: 'outdated',
    });
    expect(await saveCuration(gateway, operation('purge_cache'), judgement, by)).toMatchObject({ kind: 'saved' });
    const written = await read('upstreams/notes.json');
    expect(written).toBe(preview?.change.after);
    expect(written).toContain('// Looked at in May.');
    expect(written).toContain('"purge_cache"');
    expect(recorded).toEqual([['curation_changed', { operation: 'notes__purge_cache', ...judgement }, 'olga', 'http']]);
  });

  it('writes into the definition of a server that has no file of its own, and takes back what says nothing more', async () => {
    const { gateway, operation, read } = await open({});
    const purge = operation('purge_cache');
    const preview = await previewCuration(gateway, purge, { danger: 'safe' });
    await saveCuration(gateway, purge, { danger: 'safe' }, { digest: preview?.digest ?? '', operator: 'olga' });
    expect(await read('gateway.config.json')).toMatch(/\/\/ The notes[\s\S]*"purge_cache": \{\s*"danger": "safe"/);
    const back = await previewCuration(gateway, purge, {});
    expect(back?.change.after).not.toContain('purge_cache');
  });

  it('shows that nothing changes where a later pattern decides', async () => {
    const later = '{ "name": "Notes", "operations": { "purge_cache": {}, "*": { "danger": "dangerous" } } }';
    const { gateway, operation } = await open({ 'upstreams/notes.json': later });
    expect((await previewCuration(gateway, operation('purge_cache'), { danger: 'safe' }))?.operations).toEqual([]);
  });
});
