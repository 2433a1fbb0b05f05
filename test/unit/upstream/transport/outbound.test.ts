import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpEndpoint } from '../../../../src/config/gateway-config.js';
import { findProxy } from '../../../../src/upstream/transport/connector.js';
import { createOutboundFetch } from '../../../../src/upstream/transport/outbound-fetch.js';
import { createBehaviours } from '../../../fixtures/servers/behaviours.mjs';
import { type ServedHttp, serveModernHttp, serveSse } from '../../../fixtures/servers/serve-http.mjs';
import { anUpstream, openPool, textOf } from '../opened-pool.js';

const FILES = fileURLToPath(new URL('../../../fixtures/tls/', import.meta.url));
const file = (name: string): string => `${FILES}${name}.pem`;
const read = (name: string): Buffer => readFileSync(file(name));

const OWN = { ca: file('authority.cert'), serverName: 'upstream.test' };
const MUTUAL = { ...OWN, cert: file('client.cert'), key: file('client.key') };

async function listen(server: Server): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function splice(one: Socket, other: Socket): void {
  for (const socket of [one, other]) socket.on('error', () => undefined);
  one.pipe(other).pipe(one);
}

/** TLS before a server that speaks none; it asks for a certificate of its authority. */
function terminate(port: number, isMutual: boolean) {
  const options = { cert: read('upstream.cert'), key: read('upstream.key'), ca: read('authority.cert') };
  const mutual = { requestCert: isMutual, rejectUnauthorized: isMutual };
  const server = createTlsServer({ ...options, ...mutual }, (socket) => splice(socket, connect(port, '127.0.0.1')));
  return listen(server.on('tlsClientError', () => undefined));
}

/** A proxy that joins what asks with CONNECT and the right password to what it asks for. */
async function serveProxy() {
  const asked: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    asked.push(url);
    const isKnown = headers['proxy-authorization'] === `Basic ${Buffer.from('ann:pass word').toString('base64')}`;
    if (!isKnown) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [host = '', port] = url.split(':');
    const target = connect(Number(port), host, () => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    return splice(socket, target);
  });
  return { ...(await listen(server)), asked };
}

describe('what a server names beside itself', () => {
  const from = (url: string, way: Pick<HttpEndpoint, 'proxy' | 'tls'> = {}, named: readonly string[] = []) =>
    createOutboundFetch({ type: 'http', url, headers: {}, ...way }, named);
  const refusalOf = (fetched: Promise<Response>): Promise<string> =>
    fetched.then(
      () => 'answered',
      ({ message }: Error) => message,
    );

  it('is fetched through its proxy and with its certificates, and never further than the answer', async () => {
    const server = createServer(({ url, method, headers }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/' }).end();
      else response.end(JSON.stringify([method, headers['x-asked']]));
    });
    const { port, close } = await listen(server);
    const tls = await terminate(port, true);
    const proxy = await serveProxy();
    const address = `http://ann:pass%20word@127.0.0.1:${proxy.port}`;
    const fetch = from('https://127.0.0.1:9/mcp', { tls: MUTUAL, proxy: address });
    const issuer = `https://127.0.0.1:${tls.port}`;
    const answer = await fetch(issuer, {
      method: 'POST',
      headers: { 'x-asked': 'yes' },
      body: new URLSearchParams('a=1'),
    });
    expect([await answer.json(), proxy.asked]).toEqual([['POST', 'yes'], [`127.0.0.1:${tls.port}`]]);
    expect(await refusalOf(fetch(`${issuer}/moved`))).toContain('redirects are not followed');
    expect(await refusalOf(from('https://127.0.0.1:9/mcp', { tls: OWN })(issuer))).toContain('fetch failed');
    for (const each of [tls, proxy, { close }]) each.close();
  });

  it('is not fetched where it is nearer to this machine than the server, unless the operator has named it', async () => {
    const { port, close } = await listen(createServer((_request, response) => response.end('{}')));
    const at = (host: string): string => `http://${host}:${port}/`;
    const [farAway, inTheNetwork] = ['https://93.184.215.14/mcp', 'https://10.20.30.40/mcp'];
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1']) {
      expect([host, await refusalOf(from(farAway)(at(host)))]).toEqual([host, expect.stringContaining('not public')]);
      expect([host, await refusalOf(from(inTheNetwork)(at(host)))]).toEqual([
        host,
        expect.stringContaining('not public'),
      ]);
    }
    for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[64:ff9b::a00:1]', '100.64.0.1'])
      expect([host, await refusalOf(from(farAway, { proxy: at('127.0.0.1') })(at(host)))]).toEqual([
        host,
        expect.stringContaining('not public'),
      ]);
    // A proxy would find them, and this machine may not.
    const names = ['metadata.google.internal', 'internal-host', 'db.corp', 'printer.local', 'nas.home.arpa', 'x.lan.'];
    for (const host of [...names, '[64:ff9b:1::a00:1]'])
      for (const way of [{}, { proxy: at('127.0.0.1') }])
        expect([host, await refusalOf(from(farAway, way)(at(host)))]).toEqual([
          host,
          expect.stringContaining('not public'),
        ]);
    expect((await from(farAway, {}, [at('127.0.0.1')])(at('127.0.0.1'))).status).toBe(200);
    expect((await from('http://127.0.0.1:9/mcp')(at('localhost'))).status).toBe(200);
    close();
  });
});

const BOTH = [
  ['http', serveModernHttp],
  ['sse', serveSse],
] as const;

describe.each(BOTH)('a server over %s behind TLS', (type, serve) => {
  let served: ServedHttp;
  let plain: Awaited<ReturnType<typeof terminate>>;
  let mutual: Awaited<ReturnType<typeof terminate>>;
  beforeAll(async () => {
    served = await serve(createBehaviours());
    [plain, mutual] = await Promise.all([terminate(served.port, false), terminate(served.port, true)]);
  });
  afterAll(async () => {
    plain.close();
    mutual.close();
    await served.close();
  });

  const at = ({ port }: { readonly port: number }, way: Pick<HttpEndpoint, 'proxy' | 'tls'> = {}) =>
    anUpstream({ type, url: served.url.replace(/http:\/\/[^/]+/, `https://127.0.0.1:${port}`), headers: {}, ...way });
  const problemOf = async (config: ReturnType<typeof at>): Promise<string | undefined> => {
    await using opened = openPool(config);
    await opened.settled;
    return opened.pool.statuses()[0]?.problem;
  };

  it('is trusted by a private authority alone, under the name that its certificate has', async () => {
    await using opened = openPool(at(plain, { tls: OWN }));
    expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(await problemOf(at(plain))).toMatch(/its certificate (cannot be verified|is self-signed) at https:/);
    expect(await problemOf(at(plain, { tls: { ca: OWN.ca } }))).toContain("'tls.serverName' asks for one of them");
    expect(await problemOf(at(plain, { tls: { acceptAnyCertificate: true } }))).toBeUndefined();
  });

  it('that asks for a certificate gets the configured one', async () => {
    await using opened = openPool(at(mutual, { tls: MUTUAL }));
    expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(await problemOf(at(mutual, { tls: OWN }))).toContain('the server asks for a certificate of its clients');
  });

  it('that ends the connection once it has seen the configured one may not accept it', async () => {
    const keys = { cert: read('upstream.cert'), key: read('upstream.key'), ca: read('authority.cert') };
    const curt = await listen(createTlsServer({ ...keys, requestCert: true }, (socket) => socket.destroy()));
    const problem = await problemOf(at(curt, { tls: MUTUAL }));
    expect(problem).toMatch(/connection (?:closed|reset) .*; it may not accept the certificate 'tls.cert'/);
    expect(await problemOf(at(curt, { tls: OWN }))).not.toContain('tls.cert');
    curt.close();
  });

  it('is reached through a proxy that wants a password, and never beside it', async () => {
    const proxy = await serveProxy();
    const address = `http://ann:pass%20word@127.0.0.1:${proxy.port}`;
    await using opened = openPool(at(mutual, { tls: MUTUAL, proxy: address }));
    expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${mutual.port}`]));
    const refused = await problemOf(at(mutual, { tls: MUTUAL, proxy: address.replace('ann', 'eve') }));
    expect(refused).toBe(
      `the proxy http://127.0.0.1:${proxy.port} refuses the way to 127.0.0.1:${mutual.port} with HTTP 407`,
    );
    proxy.close();
    expect(await problemOf(at(mutual, { tls: MUTUAL, proxy: address }))).toContain('connection refused at the proxy');
  });
});

it('reads certificates again for each socket, and says which file cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outbound-'));
  const ca = join(folder, 'ca.pem');
  const served = await serveModernHttp(createBehaviours());
  const front = await terminate(served.port, false);
  const url = `https://127.0.0.1:${front.port}/mcp`;
  await using opened = openPool(
    anUpstream({ type: 'http', url, headers: {}, tls: { ca, serverName: OWN.serverName } }),
  );
  await opened.settled;
  expect(opened.pool.statuses()[0]?.problem).toBe(`its 'tls.ca' '${ca}' cannot be read (ENOENT)`);
  await copyFile(OWN.ca, ca);
  expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
  await opened.pool.close();
  front.close();
  await served.close();
  await rm(folder, { recursive: true });
});

it.each([
  ['https://api.example/mcp', 'environment', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
  ['http://api.example/mcp', 'environment', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://api.example/mcp', 'environment', { HTTPS_PROXY: 'http://p:1', https_proxy: 'q:2' }, 'http://q:2/'],
  ['https://api.example/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: 'other, .example' }, undefined],
  ['https://api.example/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: 'api.example:8443' }, 'http://p:1/'],
  ['https://notapi.example/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: 'api.example' }, 'http://p:1/'],
  ['https://api.example/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '*' }, undefined],
  ['https://api.example/mcp', 'http://own:3', { NO_PROXY: '*' }, 'http://own:3/'],
  ['https://10.1.2.3/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8,10.0.0.0/99' }, 'http://p:1/'],
  ['https://[fd00::7]:8443/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: 'fd00::/8' }, undefined],
  ['https://[fd00::7]:8443/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '[fd00::7]:8443' }, undefined],
  ['https://[fd00::7]/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '::1 fd00:0::7' }, undefined],
  ['https://10.example/mcp', 'environment', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8' }, 'http://p:1/'],
  ['http://api.example/mcp', 'environment', { ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
  ['http://api.example/mcp', 'environment', { ALL_PROXY: 'socks5://p:1' }, undefined],
  ['http://api.example/mcp', 'environment', { ALL_PROXY: 'p:1', HTTP_PROXY: 'q:2' }, 'http://q:2/'],
  ['https://api.example/mcp', undefined, { HTTPS_PROXY: 'p:1' }, undefined],
])('takes for %s with the proxy %s and %j the proxy %s', (url, setting, env, expected) => {
  expect(findProxy(new URL(url), setting, env)?.href).toBe(expected);
});
