import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { BINARY, REPOSITORY } from '../support/served-gateway.js';

it.each(['12.22.12', '18.20.8', '20.18.3'])(
  'Node.js %s is told in one sentence which one is needed',
  async (version) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
    const { engines } = JSON.parse(await readFile(`${REPOSITORY}/package.json`, 'utf8'));
    expect(await runCli(['--version'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `mcp-aql-gateway needs Node.js ${engines.node.slice(2)} or newer, and this is ${version}: install a newer one, or run it with another\n`,
    });
  },
);

it('the file that says so is written in syntax that Node 12 reads, and imports nothing of the program before', async () => {
  const text = await readFile(BINARY, 'utf8');
  const written = (target: ts.ScriptTarget) =>
    ts.transpileModule(text, { compilerOptions: { target, module: ts.ModuleKind.ESNext } }).outputText;
  expect(written(ts.ScriptTarget.ES2019)).toBe(written(ts.ScriptTarget.ESNext));
  expect(text).not.toMatch(/^\s*await /m);
  expect(text.match(/^import .*/gm)).toEqual(["import { readFileSync } from 'node:fs';"]);
});
