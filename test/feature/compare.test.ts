import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { runCommand } from '../support/run-command.js';

const answering = (content: string, more = '') =>
  `{ tool: { inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true }${more} }, run: () => (${content}) }`;

const NOTES = `{
  get_note: ${answering("{ content: [{ type: 'text', text: '{\"a\": [1, 2]}' }] }")},
  list_parts: ${answering("{ content: [{ type: 'text', text: 'one' }, { type: 'text', text: 'two' }] }")},
  get_count: ${answering('{ content: [], structuredContent: { n: 2 } }', ", outputSchema: { type: 'object' }")},
  delete_note: ${answering("{ content: [{ type: 'text', text: 'gone' }] }").replace('readOnlyHint: true', 'destructiveHint: true')},
}`;

const cwd = mkdtempSync(join(tmpdir(), 'aql-compare-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const write = (name: string, value: object) => writeFileSync(join(cwd, name), JSON.stringify(value));
write('gateway.config.json', {
  mcpServers: { notes: inlineServer(NOTES), gone: { command: 'there-is-no-such-program' } },
});
write('denying.json', {
  policy: { rules: [{ match: { operation: 'get_note' }, decision: 'deny' }] },
  mcpServers: { notes: inlineServer(NOTES) },
});
write('calls.json', { notes: [{ tool: 'delete_note' }] });
write('no-calls.json', { notes: [{ name: 'delete_note' }] });

const compare = (...args: readonly string[]) => runCommand(['compare', ...args], { cwd });

describe('compare', () => {
  it('finds no difference where a server’s lists and answers come as they are, and says why another was not compared', async () => {
    const { code, stdout } = await compare();
    expect(stdout).toMatch(/notes: 24 listed and 18 asked\n {2}no difference\n/);
    expect(stdout).toMatch(/gone: not compared: .*'there-is-no-such-program'/);
    expect(code).toBe(0);
  });

  it('names what is refused, by mode and era, and fails', async () => {
    const { code, stdout } = await compare('--config', 'denying.json', '--json');
    const [{ differences }] = JSON.parse(stdout).servers;
    expect(code).toBe(1);
    expect(differences).toContainEqual(
      expect.objectContaining({ kind: 'refused', face: 'semantic', era: 'modern', subject: "call of 'get_note'" }),
    );
    expect(differences).toContainEqual(
      expect.objectContaining({ kind: 'lost', face: 'passthrough', era: 'legacy', subject: "tool 'get_note'" }),
    );
  });

  it('makes the calls of a file, and takes a question for a decision', async () => {
    const { code, stdout } = await compare('notes', '--calls', 'calls.json');
    expect(stdout).toContain('6 differences by decision: docs/classification.md');
    expect(code).toBe(0);
  });

  it('says what was expected of a file of calls, and which servers there are', async () => {
    expect(await compare('--calls', 'no-calls.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Expected: {"SERVER": [{"tool": "NAME", "arguments": {}}]}`),
    });
    expect(await compare('nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no server 'nobody'"),
    });
  });
});
