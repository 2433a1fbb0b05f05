import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';

const TOOLS = ['createIssue', 'listIssues', 'deleteBranch'].map((name) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: 'object', properties: {} },
}));

interface Line {
  readonly query: string;
  readonly results: readonly { operation: string; upstream: string; tool: string; score: number }[];
}

describe('the command tools search', () => {
  let directory: Awaited<ReturnType<typeof makeDirectory>>;
  let search: (args: readonly string[], input?: string) => ReturnType<typeof runCli>;

  beforeAll(async () => {
    directory = await makeDirectory();
    const from = join(directory.path, 'Some-Forge.json');
    await writeFile(from, JSON.stringify({ tools: TOOLS }));
    search = (args, input = '') => runCli(['tools', 'search', ...args, '--from', from], { cwd: directory.path, input });
  });
  afterAll(() => directory[Symbol.asyncDispose]());

  it("prints one line of JSON for a query, with the upstream's own name and the tool's own spelling", async () => {
    const { code, stdout } = await search(['log a bug', '--json', '--limit', '1']);
    expect(code).toBe(0);
    expect(stdout.endsWith('}\n')).toBe(true);
    const line = JSON.parse(stdout) as Line;
    expect(line.query).toBe('log a bug');
    expect(line.results).toEqual([
      { operation: 'create_issue', upstream: 'Some-Forge', tool: 'createIssue', score: expect.any(Number) },
    ]);
  });

  it('reads one query per line from standard input when no query is given', async () => {
    const { stdout } = await search(['--json'], 'which tickets are there?\n\nget rid of a branch\n');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(lines.map(({ query, results }) => [query, results[0]?.tool])).toEqual([
      ['which tickets are there?', 'listIssues'],
      ['get rid of a branch', 'deleteBranch'],
    ]);
  });

  it('prints the same bytes for the same queries', async () => {
    const [first, second] = [await search(['issue', '--json']), await search(['issue', '--json'])];
    expect(first.stdout).toBe(second.stdout);
  });

  it('says when nothing fits and which servers there are, and refuses an invalid limit', async () => {
    const noFit = "Nothing here fits 'order a pizza'. The servers are some_forge.";
    expect((await search(['order a pizza'])).stderr).toContain(noFit);
    expect(JSON.parse((await search(['order a pizza', '--json'])).stdout)).toEqual({
      query: 'order a pizza',
      results: [],
      no_fit: expect.stringContaining(noFit),
    });
    expect((await search(['issue', '--limit', '0'])).code).not.toBe(0);
  });
});
