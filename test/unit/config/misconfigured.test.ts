import { expect, it } from 'vitest';
import { load, problemsOf } from './config-folder.js';

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

it('refuses a fault of the gateway itself in any case', async () => {
  const problems = await problemsOf({ ...MAIN, server: { port: 'x' } }, { tolerant: true });
  expect(problems.map(({ path }) => path)).toContain('server.port');
});
