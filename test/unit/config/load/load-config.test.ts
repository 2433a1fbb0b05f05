import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { ConfigError } from '../../../../src/config/load/diagnostics.js';
import { loadConfig, locateConfig } from '../../../../src/config/load/load-config.js';
import { load, loadOnly, makeFolder, problemsOf } from '../config-folder.js';

describe('loadConfig: the main file', () => {
  const named = (port: number): unknown => ({ server: { port } });

  it('prefers the requested file, then the variable, then the working directory', async () => {
    const cwd = makeFolder({ 'gateway.config.json': named(1), 'env/a.json': named(2), 'flag/b.json': named(3) });
    const env = { MCP_AQL_CONFIG: 'env/a.json' };
    const load3 = await loadConfig({ file: 'flag/b.json', env, cwd });
    const load2 = await loadConfig({ env, cwd });
    const load1 = await loadConfig({ env: {}, cwd });
    expect([load3, load2, load1].map(({ config }) => config.server.port)).toEqual([3, 2, 1]);
    expect(load2.config).toMatchObject({
      file: join(cwd, 'env/a.json'),
      directory: join(cwd, 'env'),
      dataDir: join(cwd, 'env/.mcp-aql'),
    });
  });

  it('falls back to the packaged default, and keeps its data out of the package', async () => {
    const cwd = makeFolder({});
    const { config, warnings } = await loadConfig({ env: {}, cwd });
    expect(config.dataDir).toBe(join(cwd, '.mcp-aql'));
    expect(config.upstreams.map(({ slug, endpoint }) => [slug, endpoint])).toEqual([
      ['everything', expect.objectContaining({ command: 'mcp-server-everything' })],
      ['filesystem', expect.objectContaining({ args: ['.'], cwd: join(cwd, '.mcp-aql/files') })],
      ['memory', expect.objectContaining({ env: { MEMORY_FILE_PATH: join(cwd, '.mcp-aql/memory.json') } })],
    ]);
    expect(warnings).toEqual([]);
  });

  it('works without a file where the package has none', () => {
    const cwd = makeFolder({});
    const location = locateConfig({ env: {}, cwd, packagedFile: join(cwd, 'absent.json') });
    expect(location).toEqual({ file: null, directory: cwd, dataRoot: cwd });
  });

  it('reports that the requested file is missing', async () => {
    await expect(loadConfig({ file: 'nope.json', env: {}, cwd: makeFolder({}) })).rejects.toThrow(
      'nope.json\n  (whole file): there is no such file\n    -> write one with',
    );
  });
});

describe('loadConfig: the result', () => {
  it('fills an empty file with the defaults', async () => {
    const config = await loadOnly({});
    expect(config).toMatchObject({
      server: { host: '127.0.0.1', port: 3333, allowedHosts: [], allowedOrigins: [] },
      endpoint: { mode: 'semantic', toolPrefix: 'mcp_aql_', profile: { name: 'crude' } },
      limits: { maxRequestSize: 1_048_576, maxNestingDepth: 32 },
      log: { level: 'info', format: 'auto' },
      pins: {},
      upstreams: [],
    });
  });

  it('freezes the configuration deeply', async () => {
    const config = await loadOnly({
      mcpServers: { a: { command: 'x', args: ['1'], operations: { t: { hide: true } } } },
    });
    const open: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(path);
      for (const [key, member] of Object.entries(value)) visit(member, `${path}.${key}`);
    };
    visit(config, 'config');
    expect(open).toEqual([]);
  });

  it('lets flags beat the environment, and the environment the file', async () => {
    const file = {
      server: { host: 'file', port: 1 },
      endpoint: { mode: 'all', profile: 'intent' },
      log: { level: 'warn' },
    };
    const env = { MCP_AQL_HOST: 'env', MCP_AQL_PORT: '2', MCP_AQL_ENDPOINT_MODE: 'single' };
    const config = await loadOnly(file, { env, flags: { port: '3', prefix: 'x_' } });
    expect(config.server).toMatchObject({ host: 'env', port: 3 });
    expect(config.endpoint).toMatchObject({ mode: 'single', toolPrefix: 'x_', profile: { name: 'intent' } });
    expect(config.log.level).toBe('warn');
  });

  it('reads every variable', async () => {
    const config = await loadOnly('{}', {
      files: { 'port.txt': '4444\n' },
      env: {
        MCP_AQL_HOST: '',
        MCP_AQL_PORT_FILE: 'port.txt',
        MCP_AQL_ENDPOINT_MODE: 'crude',
        MCP_AQL_ENDPOINT_PROFILE: 'device',
        MCP_AQL_TOOL_PREFIX: 'd_',
        MCP_AQL_LOG_LEVEL: 'debug',
        MCP_AQL_LOG_FORMAT: 'json',
        MCP_AQL_DATA_DIR: '/var/lib/gateway',
        MCP_AQL_READ_ONLY: '1',
        MCP_AQL_STORE: 'redis',
        MCP_AQL_REDIS_URL: 'redis://redis.example',
        MCP_AQL_CLIENT_TOKEN: 'a-client-s-own-token',
        MCP_AQL_ADMIN_TOKEN: 'an-operator-s-own-token',
        MCP_AQL_ALLOWED_HOSTS: 'A.example:8080, b.example',
        MCP_AQL_ALLOWED_ORIGINS: 'https://App.example:444',
      },
    });
    expect(config).toMatchObject({
      server: {
        host: '127.0.0.1',
        port: 4444,
        allowedHosts: ['a.example', 'b.example'],
        allowedOrigins: ['app.example'],
      },
      endpoint: { mode: 'semantic', toolPrefix: 'd_', profile: { name: 'device' } },
      log: { level: 'debug', format: 'json' },
      dataDir: '/var/lib/gateway',
      policy: {
        readOnly: true,
        approvals: { operators: [{ name: 'admin', keys: [{ hash: hashToken('an-operator-s-own-token') }] }] },
      },
      store: { type: 'redis', url: 'redis://redis.example' },
      clients: [{ name: 'default', keys: [{ hash: hashToken('a-client-s-own-token') }], groups: [] }],
    });
  });

  it('resolves references in settings, with the data directory first', async () => {
    const main = {
      dataDir: '${DATA:-data}',
      upstreamsDir: '${dataDir}/servers',
      server: { host: '${HOST}' },
      mcpServers: { a: { command: 'x', cwd: '${dataDir}/a', args: ['${workspaceFolder}'] } },
    };
    const files = { 'data/servers/b.json': { url: 'http://b.example' } };
    const config = await loadOnly(main, { files, env: { HOST: '0.0.0.0' } });
    expect(config.server.host).toBe('0.0.0.0');
    expect(config.upstreams.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(config.upstreams[0]?.endpoint).toMatchObject({
      cwd: join(config.directory, 'data/a'),
      args: [config.directory],
    });
  });

  it('assigns pins to upstreams by any spelling of their names', async () => {
    const main = { mcpServers: { 'My-Server': { command: 'x' } }, pins: { search: 'my_server', find: 'My-Server' } };
    expect((await loadOnly(main)).pins).toEqual({ search: 'my_server', find: 'my_server' });
  });
});

describe('loadConfig: faults', () => {
  it('reports every problem of every source at once, with its path and a suggestion', async () => {
    const main = {
      mcpServer: {},
      server: { port: 'x', hots: 'y' },
      limits: { maxNestingDepth: 65, maxRequestSize: 1 },
      endpoint: { profile: 'crud' },
      mcpServers: { a: { comand: 'x' }, b: { command: 'x', env: { T: '${MISSING_TOKEN}' } } },
      pins: { search: 'c' },
    };
    const files = { 'upstreams/broken.json': '{ "url": }', 'upstreams/d.json': { url: 'ftp://d', trust: 'full' } };
    const env = { MCP_AQL_LOG_LEVEL: 'loud' };
    const problems = await problemsOf(main, { files, env, flags: { mode: 'semantc', prefix: 'Bad' } });
    const lines = problems.map(({ file, path, message, suggestion }) => [file, path, message, suggestion]);
    expect(lines.sort()).toEqual(
      [
        [
          'command line',
          '--mode',
          "expected one of 'semantic', 'crude', 'single', 'all', 'passthrough'",
          "did you mean 'semantic'?",
        ],
        ['command line', '--prefix', 'expected text that matches ^[a-z0-9_]*_$', undefined],
        ['environment', 'MCP_AQL_LOG_LEVEL', expect.stringContaining("expected one of 'trace'"), undefined],
        ['gateway.config.json', 'endpoint.profile', "there is no profile 'crud'", "did you mean 'crude'?"],
        ['gateway.config.json', 'limits.maxNestingDepth', 'expected at least 8 and at most 64, got 65', undefined],
        [
          'gateway.config.json',
          'limits.maxRequestSize',
          'expected at least 65536 and at most 10485760, got 1',
          undefined,
        ],
        ['gateway.config.json', 'mcpServer', "unknown key 'mcpServer'", "did you mean 'mcpServers'?"],
        ['gateway.config.json', 'mcpServers.a', "expected 'command' (stdio) or 'url' (HTTP)", undefined],
        ['gateway.config.json', 'mcpServers.a.comand', "unknown key 'comand'", "did you mean 'command'?"],
        ['gateway.config.json', 'mcpServers.b.env.T', "the variable 'MISSING_TOKEN' is not set", expect.any(String)],
        ['gateway.config.json', 'pins.search', "there is no upstream 'c'", undefined],
        ['gateway.config.json', 'server.hots', "unknown key 'hots'", "did you mean 'host'?"],
        ['gateway.config.json', 'server.port', 'expected an integer, got a string', undefined],
        ['upstreams/broken.json', 'line 1, column 10', "expected a value, found '}'", undefined],
        ['upstreams/d.json', 'trust', expect.stringContaining("'untested', 'generated'"), undefined],
        ['upstreams/d.json', 'url', 'expected an http:// or https:// address', undefined],
      ].sort(),
    );
  });

  it('says where a key belongs that stands one level too high', async () => {
    const problems = await problemsOf({ port: 3000, level: 'debug', enabled: true });
    expect(problems.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['port', "did you mean 'server.port'?"],
      ['level', expect.stringContaining("'log.level'")],
      ['enabled', expect.stringMatching(/^did you mean '.*' or '.*'\?$/)],
    ]);
  });

  it('says where a key belongs that stands one level too low, or in another section', async () => {
    const problems = await problemsOf({ server: { dataDir: 'x', profile: 'intent', audit: {}, nothing: 1 } });
    expect(problems.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['server.dataDir', "did you mean 'dataDir', outside of 'server'?"],
      ['server.profile', "did you mean 'endpoint.profile'?"],
      ['server.audit', "did you mean 'audit', outside of 'server'?"],
      ['server.nothing', expect.stringMatching(/^known keys: host, port/)],
    ]);
  });

  it('takes null in a pasted server for what is left out, and says so', async () => {
    const pasted = { command: 'x', args: null, env: null, cwd: null, disabled: null };
    for (const block of [{ mcpServers: { a: pasted } }, { mcp: { servers: { a: pasted } } }]) {
      const { config, warnings } = await load(block);
      expect(config.upstreams[0]?.endpoint).toMatchObject({ command: 'x', args: [], env: {} });
      expect(warnings).toHaveLength(4);
      for (const warning of warnings)
        expect(warning).toMatch(/a\.(?:args|env|cwd|disabled): null; as if it were left out$/);
    }
    expect(await problemsOf({ policy: { readOnly: null } })).toHaveLength(1);
  });

  it('says how a file is written that is no UTF-8', async () => {
    const cwd = makeFolder({ 'gateway.config.json': '' });
    writeFileSync(join(cwd, 'gateway.config.json'), Buffer.from('\ufeff{"mcpServers": {}}', 'utf16le'));
    const cause: unknown = await loadConfig({ env: {}, cwd }).catch((reason: unknown) => reason);
    expect((cause as Error).message).toMatch(/the file is UTF-16.*\n.*save it as UTF-8/s);
  });

  it('writes all problems as readable text', async () => {
    const cwd = makeFolder({ 'gateway.config.json': '{ "server": { "port": -1 }, "logs": {} }' });
    const cause: unknown = await loadConfig({ env: {}, cwd }).catch((reason: unknown) => reason);
    expect(cause).toBeInstanceOf(ConfigError);
    expect((cause as Error).message).toBe(
      [
        'The configuration has 2 problems:',
        '',
        'gateway.config.json',
        "  logs: unknown key 'logs'",
        "    -> did you mean 'log'?",
        '  server.port: expected at least 0 and at most 65535, got -1',
      ].join('\n'),
    );
  });

  it.each([
    ['[]', '(whole file)', 'expected an object, got an array'],
    ['{"server": 1}', 'server', 'expected an object, got a number'],
    ['{"mcpServers": {"a": "npx"}}', 'mcpServers.a', 'expected an object, got a string'],
    ['{"mcpServers": {"a": {"command": 5}}}', 'mcpServers.a.command', 'expected a string, got a number'],
    ['{"mcpServers": {"a": {"command": "x", "args": "y"}}}', 'mcpServers.a.args', 'expected an array, got a string'],
    [
      '{"mcpServers": {"a": {"command": "x", "args": [true, "y"]}}}',
      'mcpServers.a.args[0]',
      'expected a string or a number, got a boolean',
    ],
    [
      '{"mcpServers": {"a": {"url": "http://x", "headers": {"A": {}}}}}',
      'mcpServers.a.headers.A',
      'expected a string or a number or a boolean or null, got an object',
    ],
    ['{"upstreamsDir": "nowhere"}', 'upstreamsDir', 'there is no such folder'],
    [
      '{"server": {"allowedHosts": ["*.example.org"]}}',
      'server.allowedHosts',
      'expected host names without wildcards; number 1 is not one',
    ],
    [
      '{"pins": {"Bad-Name": "a"}, "mcpServers": {"a": {"command": "x"}}}',
      'pins.Bad-Name',
      'expected text that matches ^[a-z][a-z0-9_]*$',
    ],
    ['{"dataDir": "${NOWHERE}"}', 'dataDir', "the variable 'NOWHERE' is not set"],
    [
      '{"endpoint": {"mode": "single", "toolPrefix": "__"}}',
      'endpoint.toolPrefix',
      'leaves no name for the tool that reaches everything',
    ],
    ['{"dataDir": ""}', 'dataDir', 'expected text, got an empty string'],
  ])('refuses %s with that one problem', async (text, path, message) => {
    expect(await problemsOf(text)).toEqual([expect.objectContaining({ path, message })]);
  });

  it('refuses two servers of one name, which JSON.parse would accept', async () => {
    const [problem] = await problemsOf('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}');
    expect(problem).toMatchObject({ path: 'mcpServers.a', message: 'the key is given twice; only one can count' });
  });

  it('never shows a value that may be a secret', async () => {
    const env = { SECRET: 'hunter2' };
    const main = {
      endpoint: { mode: '${SECRET}' },
      mcpServers: { a: { url: '${SECRET}', trust: '${SECRET}', headers: { 'bad name': '${SECRET}' } } },
    };
    const problems = await problemsOf(main, { env });
    expect(problems).toHaveLength(4);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('names the variable whose secret file cannot be read', async () => {
    const [problem] = await problemsOf({}, { env: { MCP_AQL_PORT_FILE: 'gone' } });
    expect(problem).toMatchObject({ file: 'environment', path: 'MCP_AQL_PORT_FILE' });
  });

  it('warns of a variable that looks misspelled, and of no other', async () => {
    const env = { MCP_AQL_PROT: '1', MCP_AQL_GITHUB_CREDENTIALS: 'x', OTHER: 'y' };
    const { warnings } = await load({}, { env });
    expect(warnings).toEqual(["environment: MCP_AQL_PROT: unknown variable; did you mean 'MCP_AQL_PORT'?"]);
  });
});
