import { expect, it } from 'vitest';
import { startAuthorizationServer } from '../support/authorization-server.mjs';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { startGuardedServer } from '../support/guarded-server.js';
import { leanCaller } from '../support/lean-client.js';
import { freePort } from '../support/oauth-client.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

const TOKEN = 'a-static-token-of-a-robot';

it('says which accounts were kept with another key, and ends them for a server that is configured no more', async () => {
  await using cloud = await startAuthorizationServer({ resource: 'http://127.0.0.1/nothing' });
  await using notes = await startGuardedServer({ issuer: cloud.issuer });
  await using folder = await makeDirectory();
  const port = await freePort();
  const options = { directory: folder.path, args: ['--port', String(port)] };
  const configuration = (key: string, more: object = {}): object => ({
    server: { port },
    credentials: { key },
    clients: { robot: { token: TOKEN } },
    mcpServers: { notes: { url: notes.url, credentials: { type: 'perUser' } } },
    ...more,
  });
  {
    await using first = await serveGateway(configuration('the key of the first start'), options);
    const browser = new ConnectingBrowser();
    const page = `${new URL(first.url).origin}/connect/notes`;
    expect(await browser.signIn(await browser.agree(page, 'token', { token: TOKEN }), 'robot')).toContain(
      'is connected',
    );
  }
  {
    await using again = await serveGateway(configuration('the key of the second start'), options);
    await leanCaller(again.url.replace('localhost', '127.0.0.1'), TOKEN)('mcp_aql_read', 'notes__who_am_i', {});
    await again.logged("the store holds accounts that users have connected while 'credentials.key' was another one");
  }
  await using second = await serveGateway(configuration('the key of the second start', { mcpServers: {} }), options);
  const list = await runCli(['credentials', 'list'], { cwd: second.directory });
  expect([list.stdout, list.stderr]).toEqual([
    expect.stringContaining('client robot'),
    expect.stringContaining("1 of 1 were kept with another 'credentials.key'"),
  ]);
  const revoked = await runCli(['credentials', 'revoke', 'notes', 'client robot'], { cwd: second.directory });
  expect(revoked).toMatchObject({ code: 0, stderr: expect.stringContaining('Revoked') });
});
