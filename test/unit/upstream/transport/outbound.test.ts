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
import { findProxy } from '../../../../src/upstream/transport/find-proxy.js';
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
    expect(await problemOf(at(plain, { tls: { ca: OWN.ca } }))).toContain('its certificate is for another host');
    expect(await problemOf(at(plain, { tls: { acceptAnyCertificate: true } }))).toBeUndefined();
  });

  it('that asks for a certificate gets the configured one', async () => {
    await using opened = openPool(at(mutual, { tls: MUTUAL }));
    expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(await problemOf(at(mutual, { tls: OWN }))).toBeDefined();
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
  ['https://api.example/mcp', undefined, { HTTPS_PROXY: 'p:1' }, undefined],
])('takes for %s with the proxy %s and %j the proxy %s', (url, setting, env, expected) => {
  expect(findProxy(new URL(url), setting, env)?.href).toBe(expected);
});
