import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const LONG = 'x'.repeat(5_000);

/** What servers answer to `initialize`, and how that is shown; ID stands for the id of the request. */
const ANSWERS: Readonly<Record<string, readonly [answer: string, shown: string]>> = {
  'an id of its own': ['{"jsonrpc":"2.0","id":"req-1","result":{}}', '{"jsonrpc":"2.0","id":"req-1","result":{}}'],
  'an envelope of its own': ['{"status":"ok","data":{"a":1}}', '{"status":"ok","data":{"a":1}}'],
  'something endless with what nobody sees': [`{"x":"\\u202e${LONG}"}`, '\\u202exxxx'],
  'the token that it was given': ['{"token":"a-token-of-the-server"}', '{"token":"[credential]"}'],
};
/** Over stdio, where each line is a message. */
const LINES: Readonly<Record<string, readonly [answer: string, shown: string]>> = {
  ...ANSWERS,
  'words for people': ['Welcome to the shop! Type help.', 'Welcome to the shop! Type help.'],
  'no version of JSON-RPC': ['{"id":1,"result":{"tools":[]}}', '{"id":1,"result":{"tools":[]}}'],
};
const SCRIPT = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.includes('initialize')) process.stdout.write(process.env.ANSWER + '\\n');
})`;

describe('the state of a server quotes, shortened and without secrets, what it sends instead of an answer:', () => {
  let live: LiveGateway;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://a');
    const [answer = ''] = ANSWERS[decodeURIComponent(pathname.slice(1))] ?? [];
    const isPost = request.method === 'POST';
    request.resume().on('end', () => {
      response.writeHead(isPost ? 200 : 405, { 'content-type': 'application/json' }).end(isPost ? answer : '');
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const more = { protocol: '2025-11-25', connectTimeoutMs: 8_000 };
    const overHttp = Object.keys(ANSWERS).map((what, at) => [
      `h${at}`,
      {
        ...more,
        url: `http://127.0.0.1:${port}/${encodeURIComponent(what)}`,
        headers: { authorization: 'a-token-of-the-server' },
      },
    ]);
    const overStdio = Object.values(LINES).map(([ANSWER], at) => [
      `s${at}`,
      { ...more, command: process.execPath, args: ['-e', SCRIPT], env: { ANSWER, TOKEN: 'a-token-of-the-server' } },
    ]);
    live = await openLiveGateway({ mcpServers: Object.fromEntries([...overHttp, ...overStdio]) });
  });

  afterAll(async () => {
    server.close();
    await live[Symbol.asyncDispose]();
  });

  const problemOf = (slug: string): string =>
    live.gateway.status().upstreams.find(({ name }) => name === slug)?.problem ?? '';

  const cases = [
    ...Object.keys(ANSWERS).map((what, at) => [`${what} over HTTP`, `h${at}`, ANSWERS[what]?.[1] ?? ''] as const),
    ...Object.keys(LINES).map((what, at) => [`${what} over stdio`, `s${at}`, LINES[what]?.[1] ?? ''] as const),
  ];
  it.each(cases)('%s', (_what, slug, shown) => {
    const problem = problemOf(slug);
    expect(problem).toContain(shown);
    expect(problem).toMatch(/^[ -~…]{20,600}$/);
    expect(problem).not.toContain('a-token-of-the-server');
  });
});
