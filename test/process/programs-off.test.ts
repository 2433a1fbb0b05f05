import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';

/** The sources of all modules that a process has loaded, by what V8 has noted of it. */
async function sourcesLoaded(notes: string): Promise<readonly string[]> {
  const files = await readdir(notes);
  const loaded = await Promise.all(
    files.map(async (file): Promise<readonly { readonly url: string }[]> => {
      return JSON.parse(await readFile(join(notes, file), 'utf8')).result;
    }),
  );
  const maps = new Set(
    loaded.flat().flatMap(({ url }) => (url.startsWith('file:') ? [`${fileURLToPath(url)}.map`] : [])),
  );
  const read = [...maps].filter(existsSync).map(async (map): Promise<readonly string[]> => {
    return JSON.parse(await readFile(map, 'utf8')).sources;
  });
  return (await Promise.all(read)).flat();
}

it.each([
  ['none of the modules that run programs is loaded where programs are off', false],
  ['they are loaded where programs are on', true],
])('%s', async (_title, enabled) => {
  await using folder = await makeDirectory();
  const notes = join(folder.path, 'notes');
  await writeFile(join(folder.path, 'gateway.config.json'), JSON.stringify({ programs: { enabled }, mcpServers: {} }));
  const { code } = await runCli(['tools', 'call', 'introspect', '--params', '{"query":"operations"}'], {
    cwd: folder.path,
    env: { NODE_V8_COVERAGE: notes },
  });
  expect(code).toBe(0);
  const sources = await sourcesLoaded(notes);
  expect(sources.some((source) => source.endsWith('src/gateway/gateway.ts'))).toBe(true);
  expect(sources.some((source) => source.endsWith('modules/programs/handler.ts'))).toBe(enabled);
});
