import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HttpEndpoint, UpstreamConfig } from '../../../src/config/gateway-config.js';
import { createBehaviours, OFF_SPEC_TOOLS } from '../../fixtures/servers/behaviours.mjs';
import { serveLegacyHttp, serveModernHttp } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, behaviourServer, entered, node, openPool, SERVERS, textOf } from './opened-pool.js';

const ALL_TOOLS = createBehaviours().list();

async function problemOf(config: UpstreamConfig): Promise<string | undefined> {
  await using opened = openPool(config);
  await opened.settled;
  expect(opened.pool.statuses()[0]?.state).toBe('waiting');
  expect(opened.observations.some(entered('waiting'))).toBe(true);
  return opened.pool.statuses()[0]?.problem;
}

/** An HTTP server that gives every request the same answer. */
async function answering(
  status: number,
  headers: Record<string, string>,
  body: string,
): Promise<AsyncDisposable & HttpEndpoint> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    type: 'http',
    url,
    headers: {},
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Where a proxied request goes. */
function forward(
  port: number,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
): NodeJS.WritableStream {
  return send({ host: '127.0.0.1', port, method: method!, path: url!, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
}

describe('connecting', () => {
  it('reads every page of the list', async () => {
    await using opened = openPool(anUpstream(behaviourServer('--page-size', '3')));
    await opened.settled;
    expect(opened.lists.get('one')).toEqual([ALL_TOOLS]);
  });

  it('hands over entries that are off the specification as they are', async () => {
    await using opened = openPool(anUpstream(behaviourServer('--off-spec')));
    await opened.settled;
    expect(opened.lists.get('one')?.[0]).toEqual([...ALL_TOOLS, ...OFF_SPEC_TOOLS]);
  });

  it('takes lines on stdout that are not JSON-RPC for noise', async () => {
    await using opened = openPool(anUpstream(behaviourServer('--noise')));
    expect(textOf(await opened.call('counter'))).toBe('1');
    const noise = opened.observations.flatMap((seen) => (seen.kind === 'upstream-noise' ? [seen.line] : []));
    expect(noise).toContain('Welcome to the noisy server!');
    expect(noise).toContain('{"level":"info","msg":"structured log"}');
    expect(noise).toContain('handling tools/call');
  });

  it('asks a server again that exits when it is probed', async () => {
    await using opened = openPool(anUpstream(behaviourServer('--exit-on-probe')));
    await opened.settled;
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', era: 'legacy', restarts: 0 });
    await opened.call('crash').catch(() => {});
    expect(textOf(await opened.call('counter'))).toBe('1');
  });

  it('gives a child little of the environment', async () => {
    process.env['UPSTREAM_TEST_SECRET'] = 'secret';
    const endpoint = { ...behaviourServer(), env: { CONFIGURED: 'yes' } };
    await using opened = openPool(anUpstream(endpoint));
    const names = JSON.parse(textOf(await opened.call('environment'))) as string[];
    delete process.env['UPSTREAM_TEST_SECRET'];
    expect(names).toContain('PATH');
    expect(names).toContain('CONFIGURED');
    expect(names).not.toContain('UPSTREAM_TEST_SECRET');
  });

  it('leaves a disabled server alone', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { disabled: true }));
    await opened.settled;
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'disabled', tools: 0 });
    await expect(opened.call('echo')).rejects.toMatchObject({ details: { reason: 'unavailable' } });
  });

  it('sends configured headers, but lets none of them break the protocol', async () => {
    const server = await serveLegacyHttp(createBehaviours());
    const headers = { Authorization: 'Bearer t', 'Content-Type': 'text/plain', 'Mcp-Session-Id': 'mine' };
    await using opened = openPool(anUpstream({ type: 'http', url: server.url, headers }));
    await opened.call('echo');
    expect(server.requests.every((request) => request.headers.authorization === 'Bearer t')).toBe(true);
    expect(server.requests.some((request) => request.headers['mcp-session-id'] === 'mine')).toBe(false);
    await opened.pool.close();
    await server.close();
  });

  it('is not delayed or harmed by others that fail, hang or talk rubbish', async () => {
    await using opened = openPool(
      anUpstream(behaviourServer('--exit-at-once', '1'), { slug: 'exits' }),
      anUpstream(behaviourServer('--hang', 'initialize'), { slug: 'hangs' }),
      anUpstream(node('-e', 'setInterval(() => console.log("rubbish"), 5)'), { slug: 'malformed' }),
      anUpstream({ ...behaviourServer(), command: 'no-such-command' }, { slug: 'missing' }),
      anUpstream(behaviourServer()),
    );
    expect(textOf(await opened.call('counter'))).toBe('1');
    const states = opened.pool.statuses().map(({ slug, state }) => [slug, state]);
    expect(states).toContainEqual(['hangs', 'starting']);
    expect(states).toContainEqual(['one', 'ready']);
  });
});

describe('the problem of a server that cannot be connected', () => {
  it('is an absent command', async () => {
    const endpoint = { ...behaviourServer(), command: 'no-such-command' };
    expect(await problemOf(anUpstream(endpoint))).toBe(
      "command 'no-such-command' was not found in PATH or node_modules/.bin",
    );
  });

  it('is an absent working directory', async () => {
    const endpoint = { ...behaviourServer(), cwd: `${SERVERS}nowhere` };
    expect(await problemOf(anUpstream(endpoint))).toBe(`its working directory '${SERVERS}nowhere' does not exist`);
  });

  it('is an exit, with the last words', async () => {
    const problem = await problemOf(anUpstream(behaviourServer('--exit-at-once', '3')));
    expect(problem).toBe('exited with code 3; its last words: Error: API_KEY is not set');
  });

  it('is an exit, with the lines that tell why rather than the end of a stack trace', async () => {
    const lines = [
      'starting',
      'Error: Could not locate the bindings file. Tried:',
      ...Array.from({ length: 50 }, (_, at) => `    at frame${at} (index.js:${at})`),
      '}',
      'Node.js v20.20.2',
    ];
    const script = `process.stderr.write(${JSON.stringify(`${lines.join('\n')}\n`)}, () => process.exit(1))`;
    expect(await problemOf(anUpstream(node('-e', script)))).toBe(
      'exited with code 1; its last words: Error: Could not locate the bindings file. Tried: | Node.js v20.20.2',
    );
  });

  it('is an exit, with a last line that has no end', async () => {
    const script = "process.stderr.write('licence: 3 days over', () => process.exit(1))";
    expect(await problemOf(anUpstream(node('-e', script)))).toBe(
      'exited with code 1; its last words: licence: 3 days over',
    );
  });

  it('is an exit, with the line that speaks of trouble, and where none does with all of a few', async () => {
    const print = (...lines: readonly string[]): UpstreamConfig =>
      anUpstream(node('-e', `process.stderr.write(${JSON.stringify(lines.join('\n'))}, () => process.exit(1))`));
    expect(
      await problemOf(print('pulling', 'Cannot connect to the daemon', 'layer 1', "Run 'docker run --help'")),
    ).toBe("exited with code 1; its last words: Cannot connect to the daemon | Run 'docker run --help'");
    expect(await problemOf(print('no licence today', 'bye', 'see the manual'))).toBe(
      'exited with code 1; its last words: no licence today | bye | see the manual',
    );
    expect(await problemOf(print('no licence today', 'one', 'two', 'see the manual'))).toBe(
      'exited with code 1; its last words: no licence today | see the manual',
    );
  });

  it('is silence, with what the server says on stderr meanwhile', async () => {
    const script = "process.stderr.write('TypeError: fetch failed\\n'); setInterval(() => {}, 1000)";
    expect(await problemOf(anUpstream(node('-e', script), { connectTimeoutMs: 1_000 }))).toBe(
      "no answer to 'server/discover' within 1 s ('connectTimeoutMs'); its last words: TypeError: fetch failed",
    );
  });

  it('is a refusal, with what the server says on stderr', async () => {
    const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line);
      console.error('no key: set API_KEY');
      console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } }));
    })`;
    expect(await problemOf(anUpstream(node('-e', script)))).toBe(
      'it refused to connect: Internal error; its last words: no key: set API_KEY (-32603)',
    );
  });

  it('is silence', async () => {
    const config = anUpstream(behaviourServer('--hang', 'initialize'), { connectTimeoutMs: 1_500 });
    expect(await problemOf(config)).toBe("no answer to 'initialize' within 1.5 s ('connectTimeoutMs')");
  });

  it('is silence when probed, after which it is asked the old way', async () => {
    let probes = 0;
    const server = createServer((request, response) => {
      if (request.headers['mcp-method'] === undefined) response.writeHead(503).end();
      else probes += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    await using opened = openPool(anUpstream({ type: 'http', url, headers: {} }, { connectTimeoutMs: 300 }));
    await opened.settled;
    expect(opened.pool.statuses()[0]?.problem).toBe("no answer to 'server/discover' within 0.3 s ('connectTimeoutMs')");
    await opened.until(() => opened.pool.statuses()[0]?.problem === 'HTTP 503');
    expect(probes).toBe(1);
    await opened.pool.close();
    server.close();
    server.closeAllConnections();
  });

  it('is silence about the tools', async () => {
    const config = anUpstream(behaviourServer('--hang', 'tools/list'), { connectTimeoutMs: 1_500 });
    expect(await problemOf(config)).toBe("no answer to 'tools/list' within 1.5 s ('connectTimeoutMs')");
  });

  it('is a refused connection', async () => {
    const { url } = await answering(200, {}, '').then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    expect(await problemOf(anUpstream({ type: 'http', url, headers: {} }))).toBe(`connection refused at ${url}`);
    expect(await problemOf(anUpstream({ type: 'sse', url, headers: {} }))).toBe(`connection refused at ${url}`);
  });

  it.each([
    [401, 'HTTP 401: needs credentials'],
    [403, 'HTTP 403: access denied'],
    [404, expect.stringMatching(/^HTTP 404: this URL is no MCP endpoint; .*"type": "sse"$/)],
    [500, 'HTTP 500'],
  ])('is HTTP status %i', async (status, problem) => {
    await using server = await answering(status, { 'content-type': 'text/plain' }, 'no');
    expect(await problemOf(anUpstream({ type: 'http', url: server.url, headers: {} }))).toEqual(problem);
    expect(await problemOf(anUpstream({ type: 'sse', url: server.url, headers: {} }))).toEqual(problem);
  });

  it('is an answer that is no MCP', async () => {
    await using html = await answering(200, { 'content-type': 'text/html' }, '<html>');
    expect(await problemOf(anUpstream(html))).toContain("the answer is 'text/html' instead of JSON or events");
    await using broken = await answering(200, { 'content-type': 'application/json' }, '{"jsonrpc"');
    expect(await problemOf(anUpstream(broken))).toContain('unusable reply');
  });

  it('is a redirect to another origin, which would take the credentials along', async () => {
    await using server = await answering(308, { location: 'https://elsewhere.example/mcp' }, '');
    expect(await problemOf(anUpstream(server))).toContain(
      'it redirects to https://elsewhere.example/mcp: configure that URL',
    );
  });

  it('is a redirect to where it already is', async () => {
    await using server = await answering(307, { location: '/mcp' }, '');
    expect(await problemOf(anUpstream(server))).toContain('it redirects in a circle, last to http://127.0.0.1:');
  });

  it('is a secret URL without its secrets', async () => {
    await using server = await answering(200, {}, '');
    await server[Symbol.asyncDispose]();
    const url = server.url.replace('http://', 'http://user:pass@').concat('?key=secret');
    expect(await problemOf(anUpstream({ type: 'http', url, headers: {} }))).toBe(`connection refused at ${server.url}`);
  });
});

describe('a redirect within the origin', () => {
  it('is followed, and remembered', async () => {
    const server = await serveModernHttp(createBehaviours());
    const gatewayServer = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/old') response.writeHead(307, { location: '/new' }).end();
      else request.pipe(forward(server.port, request, response));
    });
    const asked: string[] = [];
    await new Promise<void>((resolve) => gatewayServer.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(gatewayServer.address() as AddressInfo).port}/old`;
    await using opened = openPool(anUpstream({ type: 'http', url, headers: {} }, { protocol: '2026-07-28' }));
    expect(textOf(await opened.call('counter'))).toBe('1');
    expect(asked.filter((path) => path === '/old')).toHaveLength(1);
    await opened.pool.close();
    gatewayServer.close();
    gatewayServer.closeAllConnections();
    await server.close();
  });
});

it.each([
  ['two answers on one line', 'JSON.stringify(answer) + JSON.stringify(answer)', /on a line of its own/],
  ['NUL bytes', 'JSON.stringify(answer) + String.fromCharCode(0)', /NUL bytes/],
])('a call that a server on stdio answers with %s fails at once, with the cause', async (_name, line, why) => {
  const script = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
      const { id, method, params } = JSON.parse(text);
      const tools = [{ name: 'spoil', inputSchema: { type: 'object' } }];
      const initialize = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
      const result = { initialize, 'tools/list': { tools }, 'tools/call': { content: [] } }[method];
      if (id === undefined) return;
      const answer = { jsonrpc: '2.0', id, ...(result === undefined ? { error: { code: -32601, message: 'no' } } : { result }) };
      process.stdout.write((method === 'tools/call' ? ${line} : JSON.stringify(answer)) + String.fromCharCode(10));
    });`;
  await using opened = openPool(anUpstream(node('-e', script), { timeoutMs: 600_000 }));
  await opened.settled;
  await expect(opened.call('spoil')).rejects.toMatchObject({
    message: expect.stringMatching(why),
    details: { reason: 'invalid_answer', outcome: 'unknown' },
  });
});
