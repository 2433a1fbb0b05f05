import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { startReplayServer } from '../support/replay-server.js';
import { runCommand } from '../support/run-command.js';

const tool = (name: string, description?: string): object => ({
  name,
  ...(description !== undefined && { description }),
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
});
/** Names that say nothing, and one that says all. */
const TOOLS = [tool('frobnicate'), tool('berth'), tool('list_ships', 'Lists all ships.')];

interface Place extends AsyncDisposable {
  readonly review: (keys?: string) => ReturnType<typeof runCommand>;
  readonly operations: () => Promise<unknown>;
  readonly edit: (text: string) => Promise<void>;
}

async function openPlace(tools: readonly object[] = TOOLS): Promise<Place> {
  const directory = await makeDirectory();
  const upstream = await startReplayServer(new Map([['port', tools]]));
  const file = join(directory.path, 'gateway.config.json');
  const edit = (text: string) => writeFile(file, text);
  await edit(JSON.stringify({ mcpServers: { port: { url: upstream.urlOf('port') } } }));
  return {
    review: (keys) => runCommand(['lock', '--review'], { cwd: directory.path, ...(keys !== undefined && { keys }) }),
    operations: async () => JSON.parse(await readFile(file, 'utf8')).mcpServers.port.operations,
    edit,
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('lock --review', () => {
  it('asks about what is uncertain alone, one key each, and writes the answers as curation', async () => {
    await using place = await openPlace();
    const { stdout, code } = await place.review('ry');
    expect(code).toBe(0);
    expect(stdout).toContain('1 of 2');
    expect(stdout).toContain('no evidence of what it does');
    expect(stdout).not.toContain('list_ships');
    expect(stdout).toContain('2 of 2 decided');
    const written = Object.values((await place.operations()) as object);
    expect(written).toContainEqual({ category: 'READ' });
    expect(written).toContainEqual({ category: 'EXECUTE', danger: 'destructive' });
    expect((await place.review('y')).stdout).toContain('Nothing is uncertain.');
  });

  it('keeps what was answered before somebody quits, interrupts or goes away', async () => {
    for (const end of ['q', '\u0003', '']) {
      await using place = await openPlace();
      const { stdout } = await place.review(`c${end}`);
      expect(stdout).toContain('1 of 2 decided');
      expect(Object.values((await place.operations()) as object)).toEqual([{ category: 'CREATE' }]);
    }
  });

  it('takes answers back, the last first, and asks again', async () => {
    await using place = await openPlace();
    expect((await place.review('csbbq')).stdout).toContain('Nothing was decided');
    expect(await place.operations()).toBeUndefined();
    expect((await place.review('dbu')).stdout).toContain('1 of 2 decided');
    expect(Object.values((await place.operations()) as object)).toEqual([{ category: 'UPDATE' }]);
  });

  it('passes over keys that mean nothing, and writes nothing for what is skipped', async () => {
    await using place = await openPlace();
    expect((await place.review('x?ss')).stdout).toContain('Nothing was decided; 2 are uncertain.');
    expect(await place.operations()).toBeUndefined();
  });

  it('says in one sentence what else there is where nobody can press a key', async () => {
    await using place = await openPlace();
    const { stderr, code } = await place.review();
    expect(code).not.toBe(0);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('classify --review');
  });
});
