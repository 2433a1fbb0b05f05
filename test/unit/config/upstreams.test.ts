import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, loadOnly, problemsOf } from './config-folder.js';

describe('loadConfig with pasted blocks', () => {
  it('takes a Claude Desktop block', async () => {
    const config = await loadOnly({
      mcpServers: { git: { command: 'uvx', args: ['mcp-server-git', '--repository', '.'], env: { LEVEL: 'info' } } },
    });
    expect(config.upstreams).toEqual([
      {
        name: 'git',
        slug: 'git',
        endpoint: {
          type: 'stdio',
          command: 'uvx',
          args: ['mcp-server-git', '--repository', '.'],
          env: { LEVEL: 'info' },
          cwd: config.directory,
        },
        disabled: false,
        trust: 'validated',
        timeoutMs: 60_000,
        maxCallMs: 900_000,
        connectTimeoutMs: 30_000,
        maxConcurrency: 64,
        queue: { max: 10_000 },
        restarts: { max: 0, windowSeconds: 600 },
        protocol: 'auto',
        circuit: { failures: 0, openSeconds: 30 },
        pings: { afterIdleMs: 30_000, duringCallMs: 10_000 },
        required: false,
        isolation: 'auto',
        formats: 'readable',
        instances: { max: 20, idleSeconds: 1800, spare: 0 },
        maxAnswerBytes: 52_428_800,
        strict: true,
        readOnlyStatements: true,
        rowFunctions: 'possible',
        asks: { elicitation: 'allow', sampling: 'allow', roots: 'own' },
        integrity: 'off',
        curation: [],
        apiLimits: [],
        relations: [],
      },
    ]);
  });

  it('takes a Cursor block with an address and references', async () => {
    const main = {
      mcpServers: { api: { url: 'https://api.example/mcp', headers: { Authorization: 'Bearer ${env:KEY}' } } },
    };
    const config = await loadOnly(main, { env: { KEY: 'k' } });
    expect(config.upstreams[0]?.endpoint).toEqual({
      type: 'http',
      url: 'https://api.example/mcp',
      headers: { Authorization: 'Bearer k' },
    });
  });

  it('takes a VS Code file with comments and inputs', async () => {
    const text = `{
      // servers of this workspace
      "inputs": [{ "type": "promptString", "id": "key", "description": "\${input:key}" }],
      "servers": {
        "files": { "type": "stdio", "command": "files", "cwd": "\${workspaceFolder}/sub", "envFile": ".env", "env": { "B": "env", "N": null, "P": 80 }, },
        "web": { "type": "http", "url": "https://web.example" },
      },
    }`;
    const files = { '.env': '# comment\nA=1\nexport B="file"\n' };
    const config = await loadOnly(text, { files });
    expect(config.upstreams.map(({ endpoint }) => endpoint)).toEqual([
      {
        type: 'stdio',
        command: 'files',
        args: [],
        env: { A: '1', B: 'env', P: '80' },
        cwd: join(config.directory, 'sub'),
      },
      { type: 'http', url: 'https://web.example', headers: {} },
    ]);
  });

  it('takes VS Code settings, and several blocks together', async () => {
    const main = { mcp: { inputs: [], servers: { a: { command: 'a' } } }, mcpServers: { b: { command: 'b' } } };
    expect((await loadOnly(main)).upstreams.map(({ slug }) => slug)).toEqual(['b', 'a']);
  });

  it.each([
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['streamableHttp', 'http'],
    ['sse', 'sse'],
    [undefined, 'http'],
  ])('reads the type %s as %s', async (type, expected) => {
    const config = await loadOnly({ mcpServers: { a: { type, url: 'http://a.example' } } });
    expect(config.upstreams[0]?.endpoint.type).toBe(expected);
  });

  it.each([
    [{ timeout: 60 }, 60_000],
    [{ timeout: 0.5 }, 500],
    [{ timeout: 1000 }, 1000],
    [{ timeout: 30_000 }, 30_000],
    [{ timeout: 60, timeoutMs: 5 }, 5],
    [{}, 7000],
  ])('reads the time-out of %j as %d ms', async (entry, expected) => {
    const config = await loadOnly({ defaults: { timeoutMs: 7000 }, mcpServers: { a: { command: 'a', ...entry } } });
    expect(config.upstreams[0]?.timeoutMs).toBe(expected);
  });

  it("warns of other clients' keys and uses the server", async () => {
    const entry = {
      command: 'a',
      autoApprove: ['x'],
      alwaysAllow: [],
      description: 'd',
      gallery: true,
      fromSomewhere: 1,
    };
    const { config, warnings } = await load({ mcpServers: { a: entry } });
    expect(config.upstreams).toHaveLength(1);
    expect(config.upstreams[0]?.description).toBe('d');
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toBe('gateway.config.json: mcpServers.a.autoApprove: not used by the gateway; ignored');
  });

  it('refuses a key that looks like a misspelled one of ours', async () => {
    const problems = await problemsOf({ mcpServers: { a: { command: 'a', trsut: 'untested' } } });
    expect(problems).toEqual([
      expect.objectContaining({ path: 'mcpServers.a.trsut', suggestion: "did you mean 'trust'?" }),
    ]);
  });

  it.each([
    [{}, 'mcpServers.a', "expected 'command'"],
    [{ command: 'a', url: 'http://a' }, 'mcpServers.a', "both 'command' and 'url'"],
    [{ type: 'stdio', url: 'http://a' }, 'mcpServers.a.type', "'stdio' needs 'command'"],
    [{ type: 'sse', command: 'a' }, 'mcpServers.a.type', "'sse' needs 'url'"],
    [{ url: 'localhost:3000' }, 'mcpServers.a.url', 'expected an http:// or https:// address'],
    [{ type: 'websocket', url: 'http://a' }, 'mcpServers.a.type', "expected one of 'stdio'"],
    [{ command: 'a', maxConcurrency: 0 }, 'mcpServers.a.maxConcurrency', 'expected at least 1'],
    [{ command: 'a', envFile: 'gone.env' }, 'mcpServers.a.envFile', 'cannot be read (ENOENT)'],
    [{ url: 'http://a', proxy: 'socks5://p' }, 'mcpServers.a.proxy', 'expected an http:// or https:// address'],
    [{ url: 'http://a', tls: { cert: 'c.pem' } }, 'mcpServers.a.tls', "both 'cert' and 'key'"],
    [{ url: 'http://a', headers: { X: 'a\nb' } }, 'mcpServers.a.headers.X', 'one line'],
  ])('refuses %j', async (entry, path, message) => {
    const problems = await problemsOf({ mcpServers: { a: entry } });
    expect(problems).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
  });

  it('does not check the variables of a disabled server', async () => {
    const entry = { disabled: true, url: '${ADDRESS}', headers: { A: '${TOKEN}', B_FILE: 'gone' } };
    const main = { mcpServers: { a: entry, b: { command: '${TOOL}' } } };
    const config = await loadOnly(main, { files: { 'upstreams/b.json': { disabled: true, args: ['${X}'] } } });
    expect(config.upstreams.map(({ slug, disabled }) => [slug, disabled])).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });
});

describe('the connections of an isolated server', () => {
  it('are bounded by its own settings, else by the defaults, key by key', async () => {
    const main = {
      defaults: { isolation: 'client', instances: { max: 5 } },
      mcpServers: { a: { command: 'a' }, b: { command: 'b', isolation: 'session', instances: { spare: 2 } } },
    };
    expect((await loadOnly(main)).upstreams).toMatchObject([
      { isolation: 'client', instances: { max: 5, idleSeconds: 1800, spare: 0 } },
      { isolation: 'session', instances: { max: 5, idleSeconds: 1800, spare: 2 } },
    ]);
  });

  it('are said to have no bounds that count where all callers share one', async () => {
    const main = { mcpServers: { a: { command: 'a', isolation: 'shared', instances: { max: 2 } } } };
    expect((await load(main)).warnings).toEqual([expect.stringContaining('mcpServers.a.instances: has no effect')]);
  });

  it.each([
    [{ isolation: 'sesion' }, 'mcpServers.a.isolation'],
    [{ instances: { max: 0 } }, 'mcpServers.a.instances.max'],
    [{ instances: { idle: 5 } }, 'mcpServers.a.instances.idle'],
  ])('are refused where they cannot be understood: %j', async (entry, path) => {
    const problems = await problemsOf({ mcpServers: { a: { command: 'a', ...entry } } });
    expect(problems).toEqual([expect.objectContaining({ path })]);
  });
});

describe('secret files', () => {
  it('set the variable or header of their key', async () => {
    const files = { token: 'secret\n', 'sub/key': ' k ' };
    const main = {
      mcpServers: {
        a: { command: 'a', env: { API_TOKEN_FILE: '${configDir}/token', SET: 'x', SET_FILE: 'gone' } },
        b: { url: 'http://b.example', headers: { 'X-Key_FILE': 'sub/key' } },
      },
    };
    const [a, b] = (await loadOnly(main, { files })).upstreams.map(({ endpoint }) => endpoint);
    expect(a).toMatchObject({ env: { API_TOKEN: 'secret', SET: 'x' } });
    expect(b).toMatchObject({ headers: { 'X-Key': 'k' } });
    expect(b).not.toHaveProperty(['headers', 'X-Key_FILE']);
  });

  it('are an error when they are missing, unless the name is that of another kind of file', async () => {
    const entry = (key: string): unknown => ({ mcpServers: { a: { command: 'a', env: { [key]: 'gone' } } } });
    expect(await problemsOf(entry('DB_PASSWORD_FILE'))).toEqual([
      expect.objectContaining({
        path: 'mcpServers.a.env.DB_PASSWORD_FILE',
        message: expect.stringContaining('ENOENT'),
      }),
    ]);
    const { config, warnings } = await load(entry('LOG_FILE'));
    expect(config.upstreams[0]?.endpoint).toMatchObject({ env: { LOG_FILE: 'gone' } });
    expect(warnings).toEqual([expect.stringContaining("'LOG' is not set")]);
  });

  it('are not used when they are larger than a secret can be', async () => {
    const main = { mcpServers: { a: { command: 'a', env: { LOG_FILE: 'log' } } } };
    const { config } = await load(main, { files: { log: 'x'.repeat(100_000) } });
    expect(config.upstreams[0]?.endpoint).toMatchObject({ env: { LOG_FILE: 'log' } });
    expect(config.upstreams[0]?.endpoint).not.toHaveProperty('env.LOG');
  });
});

describe('upstream files', () => {
  it('define an upstream by the file name, or by its own', async () => {
    const files = {
      'upstreams/b.json': { command: 'b' },
      'upstreams/a.json': { name: 'Real Name', url: 'http://a.example', trust: 'certified', strict: false },
      'upstreams/notes.txt': 'no JSON',
    };
    const { upstreams } = await loadOnly({}, { files });
    expect(upstreams.map(({ name, slug, trust, strict }) => [name, slug, trust, strict])).toEqual([
      ['Real Name', 'real_name', 'certified', false],
      ['b', 'b', 'validated', true],
    ]);
  });

  it('add curation to a server of the main file, under any spelling of its name', async () => {
    const main = {
      mcpServers: { 'My Server': { command: 'x', trust: 'generated', operations: { 'get-*': { category: 'READ' } } } },
    };
    const files = {
      'upstreams/my-server.json': {
        trust: 'certified',
        operations: { 'get-env': { hide: true }, run: { rename: 'run_it', danger: 'dangerous', identifiers: ['id'] } },
      },
    };
    const { config, warnings } = await load(main, { files });
    expect(config.upstreams).toHaveLength(1);
    expect(config.upstreams[0]).toMatchObject({ name: 'My Server', slug: 'my_server', trust: 'certified' });
    expect(config.upstreams[0]?.curation).toEqual([
      { pattern: 'get-*', category: 'READ' },
      { pattern: 'get-env', hide: true },
      { pattern: 'run', rename: 'run_it', danger: 'dangerous', identifiers: ['id'] },
    ]);
    expect(warnings).toEqual([]);
  });

  it('may say how a server is reached that the main file only curates', async () => {
    const main = { mcpServers: { a: { operations: { x: { hide: true } } } } };
    const { upstreams } = await loadOnly(main, { files: { 'upstreams/a.json': { command: 'a' } } });
    expect(upstreams).toEqual([expect.objectContaining({ slug: 'a', curation: [{ pattern: 'x', hide: true }] })]);
  });

  it('get a warning when they curate no server', async () => {
    const { config, warnings } = await load({}, { files: { 'upstreams/ghost.json': { operations: {} } } });
    expect(config.upstreams).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("upstreams/ghost.json: (whole file): curates 'ghost'")]);
  });

  it('may not define a server again; both places are named', async () => {
    const files = { 'upstreams/a.json': { command: 'y' }, 'upstreams/z.json': { name: 'A', command: 'z' } };
    const problems = await problemsOf({ mcpServers: { a: { command: 'x' } } }, { files });
    expect(problems.map(({ file, message }) => [file, message])).toEqual([
      ['upstreams/a.json', "'a' is defined by mcpServers.a in gateway.config.json too"],
      ['upstreams/z.json', "'A' and 'a' (mcpServers.a in gateway.config.json) are both 'a' in snake_case"],
    ]);
  });

  it('refuse unknown keys, and name the known ones', async () => {
    const files = { 'upstreams/a.json': { command: 'a', operation: {}, wholly: 1, autoApprove: [] } };
    const problems = await problemsOf({}, { files });
    expect(problems.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['operation', "did you mean 'operations'?"],
      ['wholly', expect.stringMatching(/^known keys: \$schema, name, type, command(?!.*autoApprove)/)],
    ]);
  });
});

describe('loadConfig with names and curation', () => {
  it.each([['Gateway', 'what the gateway calls itself']])('refuses the name %s', async (name, message) => {
    const problems = await problemsOf({ mcpServers: { [name]: { command: 'x' } } });
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
  });

  it('refuses two names with one slug', async () => {
    const [problem] = await problemsOf({ mcpServers: { 'my-api': { command: 'x' }, my_api: { command: 'y' } } });
    expect(problem).toMatchObject({ path: 'mcpServers.my_api', message: expect.stringContaining("both 'my_api'") });
  });

  it.each([
    [{ 'get_*': { rename: 'x' } }, '["get_*"].rename', 'a pattern may match many'],
    [{ a: { rename: 'x__y' } }, '.a.rename', "'__' stands between"],
    [{ a: { rename: 'introspect' } }, '.a.rename', 'a name that the protocol reserves'],
    [{ a: { rename: 'x' }, b: { rename: 'x' } }, '.b.rename', "'a' is renamed to 'x' too"],
    [{ a: { rename: 'Not-Snake' } }, '.a.rename', 'expected text that matches'],
    [{ a: { family: 'raed' } }, '.a.family', "no profile has a family 'raed'"],
    [{ a: { category: 'read' } }, '.a.category', "expected one of 'CREATE'"],
    [{ a: { hidden: true } }, '.a.hidden', "unknown key 'hidden'"],
  ])('refuses the operations %j', async (operations, path, message) => {
    const problems = await problemsOf({ mcpServers: { s: { command: 'x', operations } } });
    expect(problems).toEqual([
      expect.objectContaining({ path: `mcpServers.s.operations${path}`, message: expect.stringContaining(message) }),
    ]);
  });

  it('only warns of a family that the chosen profile lacks but another profile has', async () => {
    const main = { mcpServers: { s: { command: 'x', operations: { a: { family: 'publish' } } } } };
    const { warnings } = await load(main);
    expect(warnings).toEqual([expect.stringContaining("the profile 'crude' has no family 'publish'")]);
    expect((await load(main, { flags: { profile: 'content' } })).warnings).toEqual([]);
  });
});

describe('the way to servers over HTTP', () => {
  it('is that of the defaults unless a server has its own, with the paths of its files', async () => {
    const config = await loadOnly({
      defaults: { proxy: 'http://proxy.example:3128', tls: { ca: 'ca.pem' } },
      mcpServers: {
        all: { url: 'https://a.example' },
        own: { url: 'https://b.example', proxy: 'none', tls: { cert: 'c.pem', key: 'k.pem', serverName: 'b' } },
      },
    });
    const [all, own] = config.upstreams.map(({ endpoint }) => endpoint);
    const inFolder = (file: string): string => `${config.directory}/${file}`;
    expect(all).toMatchObject({ proxy: 'http://proxy.example:3128', tls: { ca: inFolder('ca.pem') } });
    expect(own).toMatchObject({ tls: { cert: inFolder('c.pem'), key: inFolder('k.pem'), serverName: 'b' } });
    expect(own).not.toHaveProperty('proxy');
    expect(own).not.toHaveProperty('tls.ca');
  });
});
