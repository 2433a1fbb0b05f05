import { describe, expect, it } from 'vitest';
import { readBlock } from '../../../../src/console/pages/server-changes.js';

const URL_ENTRY = { url: 'https://wiki.example.org/mcp' };

const read = (text: string, name = '', allowsCommands = false) => readBlock({ text, name }, allowsCommands);

describe('a pasted block of servers', () => {
  it('is read as clients write it: with its member, without it, without braces, and as one entry', () => {
    const entry = JSON.stringify(URL_ENTRY);
    const found = [{ name: 'wiki', entry: URL_ENTRY }];
    for (const block of [
      `{"mcpServers": {"wiki": ${entry}}}`,
      `{"servers": {"wiki": ${entry}}}`,
      `{"wiki": ${entry}}`,
      `"wiki": ${entry},`,
      `// from its page\n{"wiki": ${entry}}`,
    ])
      expect([block, read(block)]).toEqual([block, found]);
    expect(read(entry, 'wiki')).toEqual(found);
    expect(read(`{"other": ${entry}}`, 'wiki')).toEqual(found);
    expect(read(`{"a": ${entry}, "b": ${entry}}`)).toHaveLength(2);
  });

  it('is refused in words where it is none, has no name, or asks for more than operators may do', () => {
    expect(read('{"wiki":')).toMatch(/cannot be read/);
    expect(read('{}')).toMatch(/no server/);
    expect(read('{"wiki": 5}')).toMatch(/'wiki' is no server/);
    expect(read(JSON.stringify(URL_ENTRY))).toMatch(/no name/);
    expect(read('{"shell": {"command": "sh"}}')).toMatch(/cannot be added with 'command'/);
    expect(read('{"shell": {"command": "sh"}}', '', true)).toEqual([{ name: 'shell', entry: { command: 'sh' } }]);
  });
});
