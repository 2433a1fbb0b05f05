import { describe, expect, it } from 'vitest';
import { editTomlServer, readTomlServers } from '../../../../src/cli/clients/toml-servers.js';

describe('the servers of a TOML file', () => {
  it('are read in every spelling of tables, keys and values', () => {
    const text = [
      "[mcp_servers.'quoted name']",
      'command = "a\\tb\\u00e9"',
      "args = ['''raw \\n''', \"x\", ]  # a comment",
      'startup_timeout_sec = 1_000',
      'enabled = false',
      'env = { "A.B" = "1", C = \'2\' }',
      '[[list]]',
      'mcp_servers.not = 1',
      '[mcp_servers]',
      'dotted.command = "c"',
      'dotted.env.X = "y"',
      'when = 2026-11-22T10:00:00Z',
    ].join('\r\n');
    expect(readTomlServers(text)).toEqual({
      'quoted name': {
        command: 'a\tbé',
        args: ['raw \\n', 'x'],
        startup_timeout_sec: 1000,
        enabled: false,
        env: { 'A.B': '1', C: '2' },
      },
      dotted: { command: 'c', env: { X: 'y' } },
      when: {},
    });
  });

  it.each(['a = ', '[a', 'a = "open', 'a = [1', 'a b = 1', 'a = "\\q"'])(
    'are refused with the line where %j is no TOML',
    (text) => {
      expect(() => readTomlServers(`x = 1\n${text}`)).toThrow(/line 2/);
    },
  );

  it('are replaced and removed with their parts, and nothing else', () => {
    const before = '# top\n[a]\nx = 1\n\n';
    const after = '\n# about b\n[b]\ny = 2\n';
    const own = '[mcp_servers.aql]\nurl = "old"\n[mcp_servers.aql.env]\nA = "b"\n';
    const replaced = editTomlServer(before + own + after, 'aql', { url: 'new' });
    expect(replaced).toContain('# top\n[a]\nx = 1\n\n[mcp_servers.aql]\nurl = "new"\n');
    expect(replaced).toContain('# about b\n[b]\ny = 2\n');
    expect(replaced).not.toMatch(/old|aql\.env/);
    expect(editTomlServer(replaced, 'aql', undefined)).not.toContain('aql');
  });

  it('are not touched where one is not a table of its own', () => {
    expect(() => editTomlServer('[mcp_servers]\naql = { url = "x" }\n', 'aql', { url: 'y' })).toThrow(
      'change it by hand',
    );
    expect(() => editTomlServer('mcp_servers = { }\n', 'aql', { url: 'y' })).toThrow('change it by hand');
  });
});
