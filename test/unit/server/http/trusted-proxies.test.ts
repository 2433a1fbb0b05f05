import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressOf, ProxiedRequest } from '../../../../src/server/http/responder.js';
import { TrustedProxies } from '../../../../src/server/http/trusted-proxies.js';

const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::1', '127.0.0.1']);

/** What is believed of a request: the client's address and the host. */
function readFrom(peer: string, headers: Record<string, string>): readonly [string, string | undefined] {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new ProxiedRequest(socket);
  Object.assign(request.headers, { host: 'inner', ...headers });
  proxies.apply(request);
  return [addressOf(request), request.headers.host];
}

describe('a request', () => {
  it.each([
    ['10.1.2.3', { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7', 'inner'],
    ['::ffff:10.1.2.3', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7', 'inner'],
    ['10.1.2.3', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.9.9.9' }, '203.0.113.7', 'inner'],
    ['2001:db8::1', { forwarded: 'for="[2001:db8::7]:80";host=mcp.example;proto=https' }, '2001:db8::7', 'mcp.example'],
    ['10.1.2.3', { forwarded: 'For=198.51.100.1, for=203.0.113.7' }, '203.0.113.7', 'inner'],
    ['10.1.2.3', { 'x-forwarded-for': '10.5.5.5', 'x-forwarded-host': 'mcp.example' }, '10.5.5.5', 'mcp.example'],
  ] as const)('of the trusted proxy %s with %j comes from its client', (peer, headers, address, host) => {
    expect(readFrom(peer, headers)).toEqual([address, host]);
  });

  it.each([
    ['one that is not trusted', '203.0.113.9', { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' }],
    ['a proxy that names nobody', '10.1.2.3', {}],
    ['a proxy that hides its client', '10.1.2.3', { forwarded: 'for=unknown' }],
    ['a proxy that passes on what a client made up', '10.1.2.3', { 'x-forwarded-for': 'x, <script>' }],
    [
      'a proxy that passes on the kind of header that it does not write',
      '10.1.2.3',
      {
        'x-forwarded-for': '203.0.113.7',
        forwarded: 'for=127.0.0.1;host=localhost',
        'x-forwarded-host': 'mcp.example',
      },
    ],
  ] as const)('of %s has the address of its connection', (_who, peer, headers) => {
    expect(readFrom(peer, headers)).toEqual([peer, 'inner']);
  });

  it('without any trusted proxy has the address of its connection', () => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: '203.0.113.9' });
    expect(addressOf(new IncomingMessage(socket))).toBe('203.0.113.9');
  });
});
