import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.js';
import { REPOSITORY } from '../support/served-gateway.js';

const MODES = ['semantic', 'single', 'all', 'passthrough'];
const CALL = /mcp-aql-gateway tools call (\w+) --params '([^']+)'/g;

const cwd = await mkdtemp(join(tmpdir(), 'aql-documented-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));
const everything = { command: 'mcp-server-everything', args: ['stdio'] };
await writeFile(join(cwd, 'gateway.config.json'), JSON.stringify({ server: { port: 0 }, mcpServers: { everything } }));

const pages = (await readdir(join(REPOSITORY, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
const texts = await Promise.all(
  ['README.md', ...pages.map((page) => `docs/${page}`)].map((page) => readFile(join(REPOSITORY, page), 'utf8')),
);
const calls = texts.flatMap((text) =>
  [...text.matchAll(CALL)].map(([, operation = '', params = '']) => [operation, params]),
);
const inEachMode = MODES.flatMap((mode) => calls.map(([operation = '', params = '']) => [mode, operation, params]));

it('the pages show a call on the command line', () => {
  expect(calls).toContainEqual(['get_sum', '{"a": 1, "b": 2}']);
});

it.each(inEachMode)('in the mode %s the documented call of %s with %s runs', async (mode, operation, params) => {
  const args = ['tools', 'call', operation ?? '', '--params', params ?? '', '--mode', mode ?? ''];
  const { code, stdout } = await runCommand(args, { cwd });
  expect(code, stdout).toBe(0);
});
