import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { runCli } from '../support/run-cli.js';
import { runCommand } from '../support/run-command.js';
import { serveGateway } from '../support/served-gateway.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

/** Runs `doctor --json` over one server, or over the text of a whole configuration. */
async function examine(config: object | string, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'aql-doctor-'));
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  writeFileSync(join(cwd, 'gateway.config.json'), text);
  try {
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], { cwd, env });
    if (stdout === '') throw new Error(stderr);
    return { code, report: JSON.parse(stdout) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const of = (server: object): object => ({ server: { port: 0 }, mcpServers: { sick: server } });
const script = (text: string): object => ({ command: process.execPath, args: ['-e', text] });

/** The step that failed, with its cure. */
async function failedStep(server: object) {
  const { code, report } = await examine(of(server));
  expect(code).toBe(4);
  const failed = report.upstreams[0].steps.filter(({ state }: { state: string }) => state === 'failed');
  expect(failed).toHaveLength(1);
  return { step: failed[0].step, text: `${failed[0].message} -> ${failed[0].cure}` };
}

async function listen(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('doctor', () => {
  it('goes step by step through a server that works, and calls what only reads', async () => {
    const { code, report } = await examine(of(behaviourServer()));
    expect([code, report.ok]).toEqual([0, true]);
    const steps = report.upstreams[0].steps.map(
      ({ step, state }: { step: string; state: string }) => `${step} ${state}`,
    );
    expect(steps).toEqual(['configuration ok', 'resolve ok', 'start ok', 'handshake ok', 'list ok', 'call ok']);
  });

  it('calls nothing that shows secrets, or removes things whatever its server says of it', async () => {
    const answer = () => textBlocks('all of it');
    await using server = await startToolServer([
      { name: 'get_env', description: 'Shows all environment variables', answer },
      { name: 'purge_cache', description: 'Deletes everything in the cache', answer },
      { name: 'list_boats', description: 'Lists the boats', answer },
    ]);
    const { report } = await examine(of({ url: server.url }));
    expect(report.upstreams[0].steps.at(-1)).toMatchObject({ state: 'ok', message: "'list_boats' answered" });
    expect(server.calls.map(({ name }) => name)).toEqual(['list_boats']);
  });

  it('names a program that is missing', async () => {
    const { step, text } = await failedStep({ command: 'no-such-program-here' });
    expect([step, text]).toEqual(['resolve', expect.stringContaining("install 'no-such-program-here'")]);
  });

  it('names a command that holds its arguments', async () => {
    const { step, text } = await failedStep({ command: `${process.execPath} server.mjs`, args: ['--stdio'] });
    const cure = `write "command": ${JSON.stringify(process.execPath)}, "args": ["server.mjs","--stdio"]`;
    expect([step, text]).toEqual([
      'resolve',
      expect.stringMatching(new RegExp(`-> ${cure.replace(/[[\]().]/g, '\\$&')}$`)),
    ]);
  });

  it('names a script that is not there, and no package', async () => {
    const { step, text } = await failedStep({ command: process.execPath, args: ['/nowhere/server.mjs'] });
    expect([step, text]).toEqual([
      'start',
      expect.stringContaining("-> '/nowhere/server.mjs' does not exist: correct 'args'"),
    ]);
  });

  it.each([301, 302, 303])('names the place that a server sends to (%i)', async (status) => {
    await using web = await listen(
      createServer((_request, response) =>
        response.writeHead(status, { location: 'https://login.example/in?a=1' }).end(),
      ),
    );
    const { step, text } = await failedStep({ url: `http://127.0.0.1:${web.port}/mcp` });
    expect([step, text]).toEqual([
      'handshake',
      expect.stringMatching(/redirects to https:\/\/login\.example.*-> .*a valid token/),
    ]);
  });

  it('names a package that npm does not have', async () => {
    const words = 'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/no-such-pkg - Not found';
    const server = { ...script(`console.error(${JSON.stringify(words)}); process.exit(1)`) };
    const { step, text } = await failedStep(server);
    expect([step, text]).toEqual(['start', expect.stringContaining('there is no such package or version')]);
  });

  it('names a working directory that does not exist', async () => {
    const { step, text } = await failedStep({ ...behaviourServer(), cwd: '/no/such/folder' });
    expect([step, text]).toEqual(['resolve', expect.stringContaining("mkdir -p '/no/such/folder'")]);
  });

  it('names a variable that the server wants', async () => {
    const { step, text } = await failedStep(
      script("console.error('Error: GITHUB_TOKEN environment variable is required'); process.exit(1)"),
    );
    expect([step, text]).toEqual(['start', expect.stringContaining("set GITHUB_TOKEN in its 'env'")]);
  });

  it('names a variable that the configuration refers to', async () => {
    const { step, text } = await failedStep({ ...behaviourServer(), env: { T: '${NOT_SET_FOR_DOCTOR}' } });
    expect([step, text]).toEqual(['configuration', expect.stringMatching(/-> .*set NOT_SET_FOR_DOCTOR/)]);
  });

  it('names a port of a server that is taken', async () => {
    await using taken = await listen(createServer());
    const { step, text } = await failedStep(
      script(`require('node:http').createServer().listen(${taken.port}, '127.0.0.1')`),
    );
    expect([step, text]).toEqual(['start', expect.stringContaining('a port that another program has')]);
  });

  it.each([
    ['a key that is refused', 'HTTP 401 Unauthorized', /refuses its credentials/],
    ['a database that is down', 'connection refused: db.internal:5432', /cannot reach db\.internal:5432/],
    [
      'a name that nobody knows',
      'TypeError: fetch failed: getaddrinfo ENOTFOUND api.example.com',
      /reach api\.example\.com/,
    ],
    ['a page in place of JSON', 'Unexpected token <html>', /run its command by hand/],
    ['a licence', 'Starting the proxy server failed: bad license', /run its command by hand/],
    ['a content type', 'DEBUG {"Content-Type": "application/json"}', /run its command by hand/],
    ['a daemon', 'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', /start Docker/],
  ])('gives a process that speaks of %s no cure of a URL', async (_what, words, cure) => {
    const { text } = await failedStep(script(`console.error(${JSON.stringify(words)}); process.exit(1)`));
    expect(text).toMatch(cure);
    expect(text).not.toMatch(/'url'|'headers'|'proxy'/);
  });

  it('shows what a server printed last, as it keeps no log of its own', async () => {
    const { report } = await examine(of(script("for (let n = 1; n <= 12; n += 1) console.error('line ' + n)")));
    const failed = report.upstreams[0].steps.find(({ state }: { state: string }) => state === 'failed');
    expect(failed.printed).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 3}`));
  });

  it('tells a server that is well and refuses a call from one that cannot be used, and each as soon as it is known', async () => {
    await using server = await startToolServer([
      { name: 'get_it', answer: () => ({ isError: true, ...textBlocks('Invalid API key') }) },
    ]);
    const refusing = { url: server.url };
    const hanging = { ...script('setInterval(() => {}, 1000)'), connectTimeoutMs: 1_500 };
    const cwd = mkdtempSync(join(tmpdir(), 'aql-doctor-'));
    const config = { server: { port: 0 }, mcpServers: { hanging, refusing } };
    writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify(config));
    const { code, stdout } = await runCli(['doctor'], { cwd });
    rmSync(cwd, { recursive: true, force: true });
    expect(code).toBe(4);
    expect(stdout).toMatch(/refusing: ok, but its call was refused[\s\S]*hanging: FAILED/);
    expect(stdout).toContain('1 of 2 servers cannot be used as they are. 1 answered a call with an error');
  });

  it("names the gateway's own port where another program has it", async () => {
    await using taken = await listen(createServer());
    const { code, report } = await examine({ server: { port: taken.port }, mcpServers: {} });
    const port = report.findings.find(({ what }: { what: string }) => what === 'port');
    expect([code, port.state, port.cure]).toEqual([1, 'failed', expect.stringContaining(`lsof -i :${taken.port}`)]);
  });

  it('names a token that is refused', async () => {
    await using refusing = await listen(createServer((_request, response) => response.writeHead(401).end('{}')));
    const { step, text } = await failedStep({ url: `http://127.0.0.1:${refusing.port}/mcp` });
    expect([step, text]).toEqual(['handshake', expect.stringContaining('give it a valid token')]);
  });

  it('names a certificate of an unknown authority', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aql-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-subj',
        '/CN=localhost',
        '-days',
        '2',
      ],
      { stdio: 'ignore' },
    );
    await using server = await listen(
      createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }) as unknown as Server,
    );
    rmSync(folder, { recursive: true });
    const { step, text } = await failedStep({ url: `https://localhost:${server.port}/mcp` });
    expect([step, text]).toEqual(['start', expect.stringContaining('"tls": {"ca"')]);
  });

  it('names a web page where MCP was expected', async () => {
    const page = '<!doctype html><html><body>Welcome</body></html>';
    await using web = await listen(
      createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page)),
    );
    const { step, text } = await failedStep({ url: `http://127.0.0.1:${web.port}/` });
    expect([step, text]).toEqual(['handshake', expect.stringContaining('its URL is no MCP endpoint')]);
  });

  it('names a server that says nothing', async () => {
    const { step, text } = await failedStep({ ...script('setInterval(() => {}, 1000)'), connectTimeoutMs: 1_000 });
    expect([step, text]).toEqual(['handshake', expect.stringContaining("such as 'stdio' or '--stdio'")]);
  });

  it('names a server that ends at its start', async () => {
    const { step, text } = await failedStep(script("throw new Error('something inside broke')"));
    expect([step, text]).toEqual(['start', expect.stringMatching(/something inside broke.*it ends by itself/)]);
  });

  it('names the place of a fault in the file', async () => {
    const { code, report } = await examine('{"mcpServers": {"a": }');
    const [, finding] = report.findings;
    expect([code, finding.state, finding.message]).toEqual([3, 'failed', expect.stringMatching(/line 1, column 22/)]);
  });
});

describe('status', () => {
  it('says how the gateway that runs does, by its data directory and over the admin API', async () => {
    const approvals = { operators: { olga: { token: 'olga-has-a-long-token' } } };
    await using gateway = await serveGateway({ policy: { approvals }, mcpServers: { one: behaviourServer() } });
    const read = await runCli(['status', '--json'], { cwd: gateway.directory });
    expect([read.code, JSON.parse(read.stdout)[0].status.upstreams[0]]).toMatchObject([
      0,
      { name: 'one', state: 'ready' },
    ]);
    const origin = new URL(gateway.url).origin;
    const asked = await runCli(['status', '--url', origin, '--token', 'olga-has-a-long-token']);
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('one\tready')]);
    const refused = await runCli(['status', '--url', origin, '--token', 'a-wrong-token-of-some-length']);
    expect(refused.code).toBe(5);
  });

  it('says which configuration a gateway has refused, though that cannot be read', async () => {
    await using gateway = await serveGateway({ mcpServers: { one: behaviourServer() } });
    writeFileSync(join(gateway.directory, 'gateway.config.json'), '{ "mcpServers": {');
    gateway.process.kill('SIGHUP');
    const ask = () => runCli(['status'], { cwd: gateway.directory });
    await expect.poll(async () => (await ask()).stdout).toContain('configuration refused');
    const { code, stdout, stderr } = await ask();
    expect([code, stdout]).toEqual([3, expect.stringContaining('one\tready')]);
    expect(stderr).toContain('The configuration has a problem');
  });

  it('has an exit code of its own where none runs', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'aql-status-'));
    const { code, stdout } = await runCli(['status'], { cwd });
    rmSync(cwd, { recursive: true });
    expect([code, stdout]).toEqual([4, 'No gateway runs with this data directory.\n']);
  });
});
