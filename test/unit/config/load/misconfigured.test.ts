import { expect, it } from 'vitest';
import { load, problemsOf } from '../config-folder.js';

const MAIN = { mcpServers: { good: { command: 'node' }, hub: { command: 'hub', env: { TOKEN: '${HUB_TOKEN}' } } } };

it('refuses a configuration in which one server has an unset variable', async () => {
  expect(await problemsOf(MAIN)).toMatchObject([{ path: 'mcpServers.hub.env.TOKEN' }]);
});

it.each([
  ['an unset variable', MAIN, {}],
  ['a command of the wrong type', { mcpServers: { good: { command: 'node' }, hub: { command: 5 } } }, {}],
  ['a misspelled key', { mcpServers: { good: { command: 'node' }, hub: { command: 'hub', trsut: 'trusted' } } }, {}],
  ['a file that is not JSON', { mcpServers: { good: { command: 'node' } } }, { 'upstreams/hub.json': '{' }],
])('leaves out a server with %s where asked to, and says why', async (_case, main, files) => {
  const { config, warnings } = await load(main, { files, tolerant: true });
  const states = config.upstreams.map(({ slug, disabled, problem }) => [slug, disabled, problem !== undefined]);
  expect(states).toEqual([
    ['good', false, false],
    ['hub', true, true],
  ]);
  expect(warnings.join()).toContain("the server 'hub' is misconfigured and not started");
});

it('says how to correct it', async () => {
  const { warnings } = await load(MAIN, { tolerant: true });
  expect(warnings.join()).toContain("the variable 'HUB_TOKEN' is not set (set HUB_TOKEN, or HUB_TOKEN_FILE");
});

it.each([
  [{ cmd: 'node' }, "unknown key 'cmd'", "did you mean 'command'?"],
  [{ command: 'node', arguments: ['a.js'] }, "unknown key 'arguments'", "did you mean 'args'?"],
  [{ baseUrl: 'http://127.0.0.1:9/mcp' }, "unknown key 'baseUrl'", "did you mean 'url'?"],
  [{ command: 'node', enabled: false }, "unknown key 'enabled'", 'write "disabled": true'],
])('knows what other programs call its keys: %j', async (entry, message, suggestion) => {
  const problems = await problemsOf({ mcpServers: { pasted: entry } });
  expect(problems).toContainEqual(expect.objectContaining({ message, suggestion }));
});

it('ignores the same keys beside its own', async () => {
  const entry = { command: 'node', args: ['a.js'], arguments: ['b.js'], enabled: true };
  const { config } = await load({ mcpServers: { pasted: entry } });
  expect(config.upstreams).toMatchObject([{ disabled: false }]);
});

it('refuses a fault of the gateway itself in any case', async () => {
  const problems = await problemsOf({ ...MAIN, server: { port: 'x' } }, { tolerant: true });
  expect(problems.map(({ path }) => path)).toContain('server.port');
});
