import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { BrowserCookie } from '../../../../src/console/connect/connect-pages.js';

const [MINE, PLANTED] = ['m'.repeat(43), 'p'.repeat(43)];

const read = (cookie: BrowserCookie, ...sent: readonly string[]): string | undefined => {
  const request = new IncomingMessage(new Socket());
  request.headers.cookie = sent.map((each) => each.split(';')[0]).join('; ');
  return cookie.read(request);
};

it('is each gateway’s own on a host, can be set over TLS by this host alone, and is not taken where it is there twice', () => {
  const one = new BrowserCookie({ publicUrl: 'http://127.0.0.1:3333', isSecure: false });
  const other = new BrowserCookie({ publicUrl: 'http://127.0.0.1:4444', isSecure: false });
  const secure = new BrowserCookie({ publicUrl: 'https://mcp.example', isSecure: true });
  expect([read(one, one.write(MINE), other.write(PLANTED)), read(other, one.write(MINE))]).toEqual([MINE, undefined]);
  expect(secure.write(MINE)).toMatch(
    /^__Host-aql_connect_\w+=m+; HttpOnly; SameSite=Lax; Max-Age=3600; Path=\/; Secure$/,
  );
  expect(read(secure, secure.write(MINE))).toBe(MINE);
  expect(read(one, one.write(PLANTED), one.write(MINE))).toBeUndefined();
});
