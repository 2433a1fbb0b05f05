import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { applyTarget, createHostGuard } from '../../../../src/server/http/host-guard.js';
import { createFakeGateway, type FakeGatewayOptions } from '../../../support/fake-gateway.js';

/** Whether a request passes; the tests of the HTTP server cover the answers. */
function passes(server: NonNullable<FakeGatewayOptions['server']>, headers: Record<string, string>): boolean {
  const guard = createHostGuard(createFakeGateway({ server }).config.server);
  const response = { setHeader() {}, writeHead() {}, end() {} } as unknown as ServerResponse;
  return guard({ method: 'POST', headers } as unknown as IncomingMessage, response);
}

it.each([
  [['Host', 'localhost', 'host', 'localhost'], false],
  [['Host', 'localhost', 'Authorization', 'Bearer a', 'AUTHORIZATION', 'Bearer b'], false],
  [['Host', 'localhost', 'Authorization', 'Bearer a', 'x', '1', 'x', '2'], true],
])('a request with the headers %j passes: %s', (rawHeaders, expected) => {
  const guard = createHostGuard(createFakeGateway({}).config.server);
  const response = { req: {}, setHeader() {}, writeHead() {}, end() {} } as unknown as ServerResponse;
  const request = { method: 'POST', headers: { host: 'localhost' }, rawHeaders } as unknown as IncomingMessage;
  expect(guard(request, response)).toBe(expected);
});

describe('the Host check', () => {
  const local = { host: '127.0.0.1' };

  it.each(['localhost', 'localhost:3333', '127.0.0.1:3333', '[::1]:3333', 'LOCALHOST'])('accepts %s always', (host) => {
    expect(passes(local, { host })).toBe(true);
  });

  it.each(['evil.example', '10.0.0.5', 'localhost.evil.example', '', 'a b'])(
    'refuses %j when bound to loopback',
    (host) => {
      expect(passes(local, { host })).toBe(false);
    },
  );

  it('accepts the host name that the server is bound to, and the listed ones', () => {
    expect(passes({ host: 'Gateway.internal' }, { host: 'gateway.internal:3333' })).toBe(true);
    expect(passes({ host: 'fd00::5' }, { host: '[fd00::5]:3333' })).toBe(true);
    expect(passes({ ...local, allowedHosts: ['mcp.example'] }, { host: 'mcp.example' })).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('accepts addresses but no unknown name when the server is bound to %s', (host) => {
    expect(passes({ host }, { host: '192.168.1.5:3333' })).toBe(true);
    expect(passes({ host }, { host: '[fd00::5]:3333' })).toBe(true);
    expect(passes({ host }, { host: 'evil.example' })).toBe(false);
  });
});

describe('the Origin check', () => {
  const host = 'localhost';

  it('accepts an absent, loopback or listed origin', () => {
    expect(passes({}, { host })).toBe(true);
    expect(passes({}, { host, origin: 'http://localhost:6274' })).toBe(true);
    expect(passes({ allowedOrigins: ['app.example'] }, { host, origin: 'https://app.example' })).toBe(true);
  });

  it.each(['https://evil.example', 'null', 'nonsense', 'https://localhost.evil.example'])('refuses %s', (origin) => {
    expect(passes({ host: '0.0.0.0' }, { host, origin })).toBe(false);
  });

  it('refuses an address that is not listed', () => {
    expect(passes({ host: '0.0.0.0' }, { host, origin: 'http://10.0.0.5' })).toBe(false);
  });
});

describe('the target of a request', () => {
  const applied = (url: string, host: string) => {
    const request = { url, headers: { host } } as unknown as IncomingMessage;
    applyTarget(request);
    return [request.url, request.headers.host];
  };

  it('names the host where it is in absolute form, whatever the header says', () => {
    expect(applied('http://evil.example/mcp?a=1', 'localhost')).toEqual(['/mcp?a=1', 'evil.example']);
    expect(applied('HTTPS://user@Evil.example:8443/mcp', 'localhost')).toEqual(['/mcp', 'evil.example:8443']);
  });

  it.each(['/mcp', '//evil.example/mcp', '*', 'mcp', '/http://evil.example/'])('leaves %s as it is', (url) => {
    expect(applied(url, 'localhost')).toEqual([url, 'localhost']);
  });
});
