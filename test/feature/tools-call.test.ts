import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { runCommand } from '../support/run-command.js';

const tool = (required: string) =>
  `{ tool: { inputSchema: { type: 'object', properties: { n: { type: 'number' }, id: { type: 'string' } }, required: ${required} } },
     run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }) }`;
const EXACT = `{ tool: { inputSchema: { type: 'object' } },
     run: () => ({ content: [{ type: 'text', text: '[9007199254740993, 1e-999, 0.1234567890123456789]' }] }) }`;
const mcpServers = {
  notes: inlineServer(`{ 'get-note': ${tool('[]')}, delete_note: ${tool("['id']")}, get_exact: ${EXACT} }`),
};

const cwd = mkdtempSync(join(tmpdir(), 'aql-call-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify({ server: { port: 0 }, mcpServers }));
writeFileSync(join(cwd, 'call.json'), '\ufeff{"n": 1.5, "id": "from a file"}\r\n');

const call = (...args: readonly string[]) => runCommand(['tools', 'call', ...args], { cwd });

describe('tools call', () => {
  it('takes parameters from a file, where a shell would change them', async () => {
    const { code, stdout } = await call('get_note', '--params', '@call.json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { success: true, data: { n: 1.5, id: 'from a file' } }]);
    const absent = await call('get_note', '--params', '@absent.json');
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining("'absent.json' cannot be read (ENOENT)")]);
  });

  it.each(['9007199254740993', '1e-999', '0.1234567890123456789'])(
    'sends no other number than the one that was written (%s)',
    async (literal) => {
      const { code, stdout, stderr } = await call('get_note', '--params', `{"n": ${literal}}`);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`'n' is ${literal}, which cannot be`)]);
    },
  );

  it('prints the numbers of an answer as the server wrote them, as text and as JSON', async () => {
    const literals = '[9007199254740993, 1e-999, 0.1234567890123456789]';
    const text = await call('get_exact', '--params', '{}');
    const json = await call('get_exact', '--params', '{}', '--json');
    for (const { stdout } of [text, json]) expect(stdout.replaceAll(/\s/g, '')).toContain(literals.replaceAll(' ', ''));
    expect(JSON.parse(json.stdout)).toMatchObject({ result: { success: true } });
  });

  it('says what was expected where the parameters are no JSON', async () => {
    for (const params of ['{id: 1}', 'id=1', '{"id": 1']) {
      const { code, stderr } = await call('get_note', '--params', params);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/is not JSON.*'\{"path": "notes\.txt"\}'.*@FILE/s)]);
    }
  });

  it('says how a call that asks is confirmed, as a token is good in its own run only', async () => {
    const { code, stderr } = await call('delete_note', '--params', '{"id": "1"}');
    expect([code, stderr]).toEqual([5, expect.stringContaining('run it with --confirm')]);
    const confirmed = await call('delete_note', '--params', '{"id": "1"}', '--confirm');
    expect([confirmed.code, confirmed.stderr]).toEqual([0, expect.not.stringContaining('--confirm')]);
  });
});

describe('tools call in passthrough', () => {
  const inPassthrough = (...args: readonly string[]) => call('--mode', 'passthrough', ...args);

  it.each(['get_note', 'get-note'])("sends the tool's own arguments under the name %s", async (name) => {
    const { code, stdout } = await inPassthrough(name, '--params', '{"n": 1.5, "id": "a"}');
    expect([code, JSON.parse(stdout)]).toEqual([0, { content: [{ type: 'text', text: '{"n":1.5,"id":"a"}' }] }]);
  });

  it('confirms a call that asks', async () => {
    const asked = await inPassthrough('delete_note', '--params', '{"id": "1"}');
    expect([asked.code, asked.stderr]).toEqual([5, expect.stringContaining('run it with --confirm')]);
    const { code, stdout } = await inPassthrough('delete_note', '--params', '{"id": "1"}', '--confirm');
    expect([code, JSON.parse(stdout)]).toEqual([0, { content: [{ type: 'text', text: '{"id":"1"}' }] }]);
  });

  it('names what is near a name that no tool has', async () => {
    const { code, stdout } = await inPassthrough('get_nte');
    expect([code, stdout]).toEqual([5, expect.stringContaining("Did you mean 'get-note'")]);
  });

  it("says that the gateway's own operations are not offered there", async () => {
    for (const args of [
      ['call', 'introspect'],
      ['inspect', 'get_note'],
    ]) {
      const { code, stderr } = await runCommand(['tools', ...args, '--mode', 'passthrough'], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining('Add --mode semantic')]);
    }
  });
});
