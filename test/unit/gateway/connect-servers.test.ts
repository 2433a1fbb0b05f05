import { expect, it } from 'vitest';
import { type NameSettings, openGateway } from '../../../src/gateway/gateway.js';
import { minutes } from '../../support/patience.js';
import { loadOnly } from '../config/config-folder.js';

const SILENT = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
/** Answers `initialize` and `tools/list` with one tool. */
const HOME = {
  command: process.execPath,
  args: [
    '-e',
    `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const results = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'home', version: '1' } },
        'tools/list': { tools: [{ name: 'create_item', inputSchema: { type: 'object' } }] },
      };
      if (id === undefined) return;
      const error = { code: -32601, message: 'unknown method' };
      const answer = results[method] === undefined ? { error } : { result: results[method] };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`,
  ],
};

async function openBesideSilent(settings: NameSettings) {
  const config = await loadOnly({ mcpServers: { home: HOME, silent: SILENT }, store: { type: 'memory' } });
  const gateway = await openGateway(config, {
    observe: () => undefined,
    clientInfo: { name: 'test', version: '1' },
    packageDirectory: process.cwd(),
    process: 'test',
    names: settings,
  });
  const names = (): readonly string[] => gateway.operations().map(({ operation }) => operation.name);
  return { gateway, names, [Symbol.asyncDispose]: () => gateway.close() };
}

const IN_TIME = { timeout: minutes(1) };

it('new names are given while another server that never answers is still being tried for the first time', async () => {
  await using opened = await openBesideSilent({ wait: 1, keep: false });
  let isTried = false;
  void opened.gateway.settled.then(() => {
    isTried = true;
  });
  await expect.poll(opened.names, IN_TIME).toContain('create_item');
  expect(isTried).toBe(false);
});

it('a command gives new names when every server was tried once, and not before', async () => {
  await using opened = await openBesideSilent({ wait: 'until tried', keep: false });
  await expect.poll(opened.names, IN_TIME).toContain('home__create_item');
  expect(opened.names()).not.toContain('create_item');
});
