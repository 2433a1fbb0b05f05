import { expect, it } from 'vitest';
import { CHAIN_HEADER, OWN_CHAIN } from '../../../../src/base/protocol/gateway-chain.js';
import {
  configuredHeaders,
  connectionHeaders,
  readLimitHeaders,
} from '../../../../src/upstream/transport/http-headers.js';

const NOW = Date.parse('2026-01-28T12:00:00.000Z');
const IN_A_MINUTE = NOW + 60_000;

it.each<[string, number, Readonly<Record<string, string>>, object | undefined]>([
  ['nothing', 200, { 'content-type': 'application/json' }, undefined],
  ['a wait in seconds', 429, { 'retry-after': '7' }, { status: 429, retryAfterSeconds: 7 }],
  [
    'a wait until a date',
    503,
    { 'retry-after': new Date(IN_A_MINUTE).toUTCString() },
    { status: 503, retryAfterSeconds: 60 },
  ],
  ['a wait until before now', 429, { 'retry-after': new Date(0).toUTCString() }, { status: 429, retryAfterSeconds: 0 }],
  ['a wait that says nothing', 429, { 'retry-after': 'soon' }, undefined],
  ['a wait after which something was made', 201, { 'retry-after': '7' }, undefined],
  [
    'a Unix time',
    200,
    { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': String(IN_A_MINUTE / 1_000) },
    { remaining: 12, resetsAt: IN_A_MINUTE },
  ],
  [
    'a Unix time in milliseconds',
    200,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(IN_A_MINUTE) },
    { remaining: 0, resetsAt: IN_A_MINUTE },
  ],
  ['seconds', 200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' }, { remaining: 0, resetsAt: IN_A_MINUTE }],
  ['one field', 200, { ratelimit: 'limit=10, remaining=0, reset=60' }, { remaining: 0, resetsAt: IN_A_MINUTE }],
  [
    'several windows, of which the tightest counts',
    200,
    { ratelimit: '"daily";r=99;t=9000, "burst";r=0;t=60' },
    { remaining: 0, resetsAt: IN_A_MINUTE },
  ],
  ['what is left, without an end', 200, { 'x-ratelimit-remaining': '0' }, undefined],
  ['malformed', 200, { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': 'never', ratelimit: '?' }, undefined],
  [
    'both',
    429,
    { 'retry-after': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' },
    { status: 429, retryAfterSeconds: 5, remaining: 0, resetsAt: IN_A_MINUTE },
  ],
])('reads %s', (_name, status, headers, limits) => {
  expect(readLimitHeaders(status, headers, () => NOW)).toEqual(limits);
});

it('sends configured headers, but none that the protocol or the connection owns', () => {
  const owned = { Accept: 'text/html', 'Accept-Encoding': 'br', 'MCP-Session-Id': 'x', 'Content-Length': '1' };
  const facts = { sessionId: 'own', protocolVersion: undefined };
  const configured = { ...owned, 'X-Tenant': 'a', 'User-Agent': 'configured' };
  const own = configuredHeaders({ type: 'http', url: 'https://a.example', headers: configured });
  const headers = connectionHeaders(own, facts, 'gateway');
  expect(headers.toSorted()).toEqual(
    [
      CHAIN_HEADER,
      OWN_CHAIN,
      'accept-encoding',
      'identity',
      'mcp-session-id',
      'own',
      'user-agent',
      'configured',
      'x-tenant',
      'a',
    ].toSorted(),
  );
});
