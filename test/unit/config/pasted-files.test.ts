import { describe, expect, it } from 'vitest';
import { load, problemsOf } from './config-folder.js';

const warned = (path: string, text: string): string => expect.stringContaining(`gateway.config.json: ${path}: ${text}`);

describe('a pasted file of another client', () => {
  it('works with comments in any place, each ignored with a warning', async () => {
    const { config, warnings } = await load({
      _comment: 'mine',
      '//': ['two', 'lines'],
      server: { _port: 1, port: 4000 },
      pins: { _comment: 'none yet' },
      mcpServers: { _comment: 'the servers', a: { command: 'a', _comment: 'an old one', $comment: 'x' } },
    });
    expect(config.upstreams.map(({ name }) => name)).toEqual(['a']);
    expect(config.server.port).toBe(4000);
    expect(warnings).toEqual([
      warned('_comment', 'a comment; ignored'),
      warned('["//"]', 'a comment; ignored'),
      warned('server._port', 'a comment; ignored'),
      warned('pins._comment', 'a comment; ignored'),
      warned('mcpServers._comment', 'a comment; ignored'),
      warned('mcpServers.a._comment', 'a comment; ignored'),
      warned('mcpServers.a.$comment', 'a comment; ignored'),
    ]);
  });

  it("works with the client's own settings beside its servers", async () => {
    const own = { globalShortcut: 'Alt+Space', preferences: { sidebar: true }, theme: 'Dark', model: 'x' };
    const { warnings } = await load({ ...own, mcpServers: { a: { command: 'a' } } });
    expect(warnings).toEqual(Object.keys(own).map((name) => warned(name, 'not used by the gateway; ignored')));
  });

  it.each(['polcy', 'readOnly', 'rules', 'allowedHosts'])(
    'is refused where %s stands beside the servers, as it may be a protection that would not hold',
    async (name) => {
      const problems = await problemsOf({ [name]: true, mcpServers: { a: { command: 'a' } } });
      expect(problems).toEqual([expect.objectContaining({ path: name, message: `unknown key '${name}'` })]);
    },
  );

  it('is refused for an unknown member where there is no block of servers', async () => {
    expect(await problemsOf({ globalShortcut: 'x' })).toEqual([expect.objectContaining({ path: 'globalShortcut' })]);
  });

  it.each([
    ['Windsurf', 'serverUrl'],
    ['Gemini CLI', 'httpUrl'],
  ])(
    'works with the address of a server as %s has it, in the main file and in one of its own',
    async (_client, key) => {
      const [one, two] = [{ [key]: 'https://one.example/mcp' }, { [key]: 'https://two.example/mcp' }];
      const files = { 'upstreams/two.json': JSON.stringify(two) };
      for (const main of [{ mcpServers: { one } }, { mcp: { servers: { one } } }]) {
        const { config, warnings } = await load(main, { files });
        expect(config.upstreams.map(({ endpoint }) => endpoint)).toMatchObject([
          { type: 'http', url: 'https://one.example/mcp' },
          { type: 'http', url: 'https://two.example/mcp' },
        ]);
        expect(warnings).toEqual([]);
      }
    },
  );

  it('passes numbers among arguments as their text, and says which', async () => {
    const { config, warnings } = await load({ mcpServers: { a: { command: 'a', args: ['--port', 8080, 0.5] } } });
    expect(config.upstreams[0]?.endpoint).toMatchObject({ args: ['--port', '8080', '0.5'] });
    expect(warnings).toEqual([
      warned('mcpServers.a.args[1]', "a number; passed as the text '8080'"),
      warned('mcpServers.a.args[2]', "a number; passed as the text '0.5'"),
    ]);
  });

  it.each([[true], [12345678901234567890n]])('is refused for %s among arguments', async (argument) => {
    const text = `{"mcpServers": {"a": {"command": "a", "args": [${argument}]}}}`;
    expect(await problemsOf(text)).toEqual([expect.objectContaining({ path: 'mcpServers.a.args[0]' })]);
  });

  it('does not trust a server more for a boolean of Gemini CLI', async () => {
    const { config, warnings } = await load({
      defaults: { trust: 'untested' },
      mcpServers: { a: { command: 'a', trust: true } },
    });
    expect(config.upstreams[0]?.trust).toBe('untested');
    expect(warnings).toEqual([warned('mcpServers.a.trust', 'of Gemini CLI')]);
  });

  it.each([
    ['disabledTools', '{"NAME": {"hide": true}}'],
    ['excludeTools', '{"NAME": {"hide": true}}'],
    ['enabledTools', '{"*": {"hide": true}, "NAME": {"hide": false}}'],
    ['includeTools', '{"*": {"hide": true}, "NAME": {"hide": false}}'],
    ['tools', '{"*": {"hide": true}, "NAME": {"hide": false}}'],
  ])('is told how %s is said here', async (key, operations) => {
    const { warnings } = await load({ mcpServers: { a: { command: 'a', [key]: ['x'] } } });
    expect(warnings).toEqual([warned(`mcpServers.a.${key}`, 'not used by the gateway; ignored: hide')]);
    expect(warnings[0]).toContain(`"operations": ${operations}`);
  });
});
