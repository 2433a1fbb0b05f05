import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCommand } from '../support/run-command.js';

/** One file of each client as its documentation shows it, on Linux. */
const FILES: Readonly<Record<string, { readonly path: string; readonly text: string; readonly server: object }>> = {
  'claude-desktop': {
    path: '.config/Claude/claude_desktop_config.json',
    text: '{\n  "globalShortcut": "Alt+Space",\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "files"] }\n  }\n}\n',
    server: { command: 'npx', args: ['-y', 'files'] },
  },
  'claude-code': {
    path: '.claude.json',
    text: '{"numStartups": 3, "mcpServers": {"files": {"type": "http", "url": "https://files.example/mcp"}}}',
    server: { type: 'http', url: 'https://files.example/mcp' },
  },
  cursor: {
    path: '.cursor/mcp.json',
    text: '{\n\t"mcpServers": {\n\t\t"files": {\n\t\t\t"command": "npx",\n\t\t\t"env": { "A": "b" }\n\t\t}\n\t}\n}\n',
    server: { command: 'npx', env: { A: 'b' } },
  },
  vscode: {
    path: '.config/Code/User/mcp.json',
    text: '{\n  // mine\n  "inputs": [],\n  "servers": {\n    "files": { "type": "stdio", "command": "npx", "dev": {} },\n  },\n}\n',
    server: { type: 'stdio', command: 'npx' },
  },
  windsurf: {
    path: '.codeium/windsurf/mcp_config.json',
    text: '{"mcpServers": {"files": {"serverUrl": "https://files.example/mcp", "headers": {"X-Key": "k"}}}}\n',
    server: { url: 'https://files.example/mcp', headers: { 'X-Key': 'k' } },
  },
  'gemini-cli': {
    path: '.gemini/settings.json',
    text: '{\n  "theme": "Dark",\n  "mcpServers": { "files": { "httpUrl": "https://files.example/mcp", "trust": true } }\n}\n',
    server: { type: 'http', url: 'https://files.example/mcp' },
  },
  codex: {
    path: '.codex/config.toml',
    text: [
      'model = "o4"  # the model',
      'notes = """',
      '[mcp_servers.quoted]',
      '"""',
      '',
      '[mcp_servers.files]',
      'command = "npx"',
      'args = [',
      '  "-y", # yes',
      "  'files',",
      ']',
      '',
      'env_vars = ["TOKEN_OF_THIS_TEST", { name = "PATH", source = "local" }]',
      'startup_timeout_sec = 20.5',
      'tool_timeout_sec = 90',
      '',
      '[mcp_servers.files.env]',
      'A = "b"',
      '',
      '# the rest',
      '[tui]',
      'theme = "dark"',
      '',
    ].join('\n'),
    server: {
      command: 'npx',
      args: ['-y', 'files'],
      env: { TOKEN_OF_THIS_TEST: '${TOKEN_OF_THIS_TEST}', PATH: '${PATH}', A: 'b' },
      connectTimeoutMs: 20_500,
      timeoutMs: 90_000,
    },
  },
  zed: {
    path: '.config/zed/settings.json',
    text: '// Zed settings\n{\n  "vim_mode": true,\n  "context_servers": {\n    "files": { "source": "custom", "command": { "path": "npx", "args": ["-y"], "env": null } },\n    "of-extension": { "settings": {} }\n  }\n}\n',
    server: { command: 'npx', args: ['-y'] },
  },
};

interface Home extends AsyncDisposable {
  readonly cwd: string;
  readonly file: (path: string) => string;
  readonly run: (...args: readonly string[]) => ReturnType<typeof runCommand>;
}

/** A home with these files, and a project with a configuration of its own. */
async function makeHome(files: Readonly<Record<string, string>>, config: string): Promise<Home> {
  const home = await makeDirectory();
  const cwd = join(home.path, 'project');
  for (const [path, text] of Object.entries({ ...files, 'project/gateway.config.json': config })) {
    await mkdir(dirname(join(home.path, path)), { recursive: true });
    await writeFile(join(home.path, path), text);
  }
  const env = {
    HOME: home.path,
    XDG_CONFIG_HOME: '',
    CODEX_HOME: '',
    MCP_AQL_CONFIG: '',
    GH: '',
    TOKEN_OF_THIS_TEST: 'ann-has-a-long-token',
  };
  for (const name of ['XDG_CONFIG_HOME', 'CODEX_HOME']) delete process.env[name];
  const { XDG_CONFIG_HOME: _x, CODEX_HOME: _c, GH: _g, ...own } = env;
  return {
    cwd,
    file: (path) => join(home.path, path),
    run: (...args) => runCommand(args, { cwd, env: own }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const CONFIG = '{\n  // the port that we agreed on\n  "server": { "port": 4111 },\n  "mcpServers": {}\n}\n';

describe.skipIf(process.platform !== 'linux')('the files of MCP clients', () => {
  it('import reads variables as Gemini CLI writes them, and calls a file that is named by its name', async () => {
    const headers = { Authorization: 'Bearer $TOKEN', 'X-Two': '${TWO}' };
    const text = JSON.stringify({ mcpServers: { files: { httpUrl: 'https://files.example/mcp', headers } } });
    await using home = await makeHome({ '.gemini/settings.json': text, 'old.json': text }, CONFIG);
    const dry = await home.run('import', '--from', home.file('old.json'), '--dry-run');
    expect(dry.stdout).toMatch(/files\told\.json\t/);
    await home.run('import', '--from', 'gemini-cli');
    const written = await readFile(home.file('project/gateway.config.json'), 'utf8');
    expect(JSON.parse(written.replace(/\/\/.*\n/, '\n')).mcpServers.files.headers).toEqual({
      Authorization: 'Bearer ${TOKEN}',
      'X-Two': '${TWO}',
    });
  });

  it.each(Object.entries(FILES))('import reads the file of %s, and keeps the comments of ours', async (id, each) => {
    await using home = await makeHome({ [each.path]: each.text }, CONFIG);
    const dry = await home.run('import', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(new RegExp(`files\\t${id}\\t.*added`))]);
    expect(await readFile(home.file('project/gateway.config.json'), 'utf8')).toBe(CONFIG);
    const { stdout } = await home.run('import', '--from', id);
    expect(stdout).toContain('Added 1 to');
    expect(stdout.includes('are in it now')).toBe('env' in each.server || 'headers' in each.server);
    const written = await readFile(home.file('project/gateway.config.json'), 'utf8');
    expect(written).toContain('// the port that we agreed on');
    expect(JSON.parse(written.replace(/\/\/.*/, ''))).toEqual({
      server: { port: 4111 },
      mcpServers: { files: each.server },
    });
    expect((await home.run('import')).stdout).toContain('is there already');
  });

  it.each(Object.entries(FILES))('connect gives %s the gateway once, undo puts the file back', async (id, each) => {
    await using home = await makeHome({ [each.path]: each.text }, CONFIG);
    const file = home.file(each.path);
    const dry = await home.run('connect', id, '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/4111\/mcp|main\.js/)]);
    expect((await home.run('connect', id)).stdout).toContain("has the gateway as 'aql'");
    const connected = await readFile(file, 'utf8');
    expect(connected).toBe(dry.stdout);
    expect((await home.run('connect', id)).stdout).toContain('nothing was changed');
    // What was there stays as it was written.
    for (const line of each.text.split('\n').filter((line) => /\/\/ |#|theme|vim/.test(line))) {
      expect(connected).toContain(line.slice(0, 12));
    }
    expect((await home.run('import', '--dry-run')).stdout).toMatch(/files.*added/);
    expect((await home.run('connect', id, '--undo')).stdout).toContain('is again what it was');
    expect(await readFile(file, 'utf8')).toBe(each.text);
  });

  it.each(Object.entries(FILES))('disconnect takes the gateway out of the file of %s alone', async (id, each) => {
    await using home = await makeHome({ [each.path]: each.text }, CONFIG);
    await home.run('connect', id);
    const { stdout } = await home.run('disconnect', id);
    expect(stdout).toContain('has the gateway no more');
    const left = await readFile(home.file(each.path), 'utf8');
    expect(left).not.toContain('aql');
    expect((await home.run('import', '--dry-run')).stdout).toMatch(/files.*added/);
    expect((await home.run('disconnect', id)).stdout).toContain('nothing was changed');
  });

  it('connect writes the file of a client that has none yet, and undo removes it', async () => {
    await using home = await makeHome({}, CONFIG);
    expect((await home.run('connect', 'codex')).code).toBe(0);
    expect(await readFile(home.file('.codex/config.toml'), 'utf8')).toBe(
      '[mcp_servers.aql]\nurl = "http://127.0.0.1:4111/mcp"\n',
    );
    expect((await home.run('connect', 'codex', '--undo')).code).toBe(0);
    await expect(readFile(home.file('.codex/config.toml'))).rejects.toThrow('ENOENT');
  });

  it('undo refuses to lose what was changed since', async () => {
    await using home = await makeHome({ [FILES['cursor']!.path]: FILES['cursor']!.text }, CONFIG);
    await home.run('connect', 'cursor');
    await writeFile(home.file('.cursor/mcp.json'), '{"mcpServers": {}}');
    const { code, stderr } = await home.run('connect', 'cursor', '--undo');
    expect([code, stderr]).toEqual([1, expect.stringContaining("has changed since; 'disconnect' takes")]);
    await rm(home.file('.cursor/mcp.json'));
  });

  it('a client of a gateway with tokens gets the token that a variable holds', async () => {
    const clients = '{"clients": {"ann": {"token": "ann-has-a-long-token"}}}';
    await using home = await makeHome({}, clients);
    const refused = await home.run('connect', 'cursor');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('name that with --token-env')]);
    await home.run('connect', 'cursor', '--token-env', 'TOKEN_OF_THIS_TEST');
    const { mcpServers } = JSON.parse(await readFile(home.file('.cursor/mcp.json'), 'utf8'));
    expect(mcpServers.aql.headers).toEqual({ Authorization: 'Bearer ann-has-a-long-token' });
  });

  it('import prints no secret, and says when others can read the file that holds them now', async () => {
    const told = ['ghp_aB3dE5fG7hJ9kL1mN3pQ5r', 'hX9f2kQ7zL4mN8pR', 'tide-and-time'];
    const servers = {
      flag: { command: 'node', args: ['x.js', '--token', told[2]] },
      form: { command: 'node', args: ['x.js', told[0]] },
      query: { url: `https://files.example/mcp?api_key=${told[1]}` },
    };
    await using home = await makeHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) }, '{}');
    const config = home.file('project/gateway.config.json');
    await chmod(config, 0o644);
    for (const flags of [['--dry-run'], ['--dry-run', '--json']]) {
      const { stdout, stderr } = await home.run('import', ...flags);
      expect(stdout).toContain('***');
      for (const secret of told) expect(stdout + stderr).not.toContain(secret);
    }
    expect((await home.run('import')).stderr).toContain('others on this machine can read it: chmod 600');
    expect(await readFile(config, 'utf8')).toContain(told[0]);
  });

  it('connect shows no secret of the file, and says when others can read the token in it', async () => {
    const env = { GITHUB_TOKEN: 'ghp_aB3dE5fG7hJ9kL1mN3pQ5r', DATABASE_URL: 'postgres://app:tide-and-time@db/shop' };
    const own = JSON.stringify({ mcpServers: { gh: { command: 'npx', args: ['x', '--token', 'moon-and-sun'], env } } });
    const clients = '{"clients": {"ann": {"token": "ann-has-a-long-token"}}}';
    await using home = await makeHome({ '.cursor/mcp.json': own }, clients);
    await chmod(home.file('.cursor/mcp.json'), 0o644);
    const connect = (...flags: string[]) =>
      home.run('connect', 'cursor', '--token-env', 'TOKEN_OF_THIS_TEST', ...flags);
    const { stdout } = await connect('--dry-run');
    expect(Object.keys(JSON.parse(stdout).mcpServers)).toEqual(['gh', 'aql']);
    expect(stdout).not.toMatch(/ghp_|ann-has|tide-and|moon-and/);
    expect((await connect()).stderr).toContain('others on this machine can read it: chmod 600');
    await chmod(home.file('.cursor/mcp.json'), 0o600);
    expect((await connect('--name', 'again')).stderr).not.toContain('chmod');
  });

  it('import adds a server disabled whose variables are not set, and reports a file that cannot be read', async () => {
    const cursor =
      '{"mcpServers": {"gh": {"command": "npx", "env": {"T": "${UNSET_OF_THIS_TEST}"}}, "ok": {"command": "npx"}}}';
    await using home = await makeHome({ '.cursor/mcp.json': cursor, '.claude.json': '{"mcpServers": ' }, '{}');
    const { stdout, stderr } = await home.run('import');
    expect(stdout).toContain('Added 2 to');
    expect(stderr).toMatch(/'gh' is disabled: .*UNSET_OF_THIS_TEST/);
    expect(stderr).toMatch(/\.claude\.json cannot be read/);
    const { mcpServers } = JSON.parse(await readFile(home.file('project/gateway.config.json'), 'utf8'));
    expect([mcpServers.gh.disabled, mcpServers.ok.disabled]).toEqual([true, undefined]);
  });

  it('import adds what can be configured, and says of each other server what is wrong with it', async () => {
    const mcpServers = {
      files: { command: 'npx' },
      files2: { command: 'npx', args: 'not-a-list' },
      'my server': { command: 7 },
      headers: { url: 'https://example.org/mcp', headers: ['a'] },
      nothing: {},
      gh: { command: 'npx', env: { T: '${UNSET_OF_THIS_TEST}' } },
    };
    await using home = await makeHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers }) }, CONFIG);
    const dry = await home.run('import', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Not written: 2 would be added')]);
    const { code, stdout, stderr } = await home.run('import');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Added 2 to')]);
    expect(stdout).toMatch(/files2\tcursor\t.*left out/);
    for (const [name, member] of [
      ['files2', 'args'],
      ['headers', 'headers'],
    ])
      expect(stderr).toMatch(new RegExp(`'${name}' is left out: .*${member}`));
    for (const name of ['my server', 'nothing'])
      expect(stderr).toMatch(new RegExp(`'${name}' in .* has neither a command nor a URL that is a text`));
    const written = await readFile(home.file('project/gateway.config.json'), 'utf8');
    expect(JSON.parse(written.replace(/\/\/.*/, '')).mcpServers).toEqual({
      files: mcpServers.files,
      gh: { ...mcpServers.gh, disabled: true },
    });
    const report = JSON.parse((await home.run('import', '--json')).stdout);
    expect(Object.keys(report.refused)).toEqual(['files2', 'headers']);
  });

  it.each([
    ['null', 'its content is not an object'],
    ['{"mcpServers": []}', "'mcpServers' is not an object"],
    ['{"mcpServers": {}, "mcpServers": {"b": {}}}', "'mcpServers' is in it twice"],
    ['{"mcpServers": {"aql": {}, "aql": {}}}', "'mcpServers.aql' is in it twice"],
    [Buffer.from('{"theme": "\xff", "mcpServers": {}}', 'latin1'), 'it is not written in UTF-8'],
  ])('connect leaves a file alone that it cannot change without loss (%s)', async (content, why) => {
    await using home = await makeHome({ '.cursor/mcp.json': '' }, CONFIG);
    await writeFile(home.file('.cursor/mcp.json'), content);
    const { code, stderr } = await home.run('connect', 'cursor');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`mcp.json: ${why}`)]);
    expect(await readFile(home.file('.cursor/mcp.json'))).toEqual(Buffer.from(content));
  });

  it('what stands in the place of a file is neither waited for nor replaced, and import names it', async () => {
    await using home = await makeHome({}, CONFIG);
    await mkdir(home.file('.cursor/mcp.json'), { recursive: true });
    await symlink(home.file('nowhere.json'), home.file('.claude.json'));
    await mkdir(home.file('.gemini'));
    execFileSync('mkfifo', [home.file('.gemini/settings.json')]);
    const { stderr } = await home.run('import');
    expect(stderr).toMatch(/mcp\.json cannot be read: it is a directory, a pipe or a device/);
    expect(stderr).toMatch(/settings\.json cannot be read: it is a directory, a pipe or a device/);
    expect(stderr).toMatch(/\.claude\.json cannot be read: it is a link to a file that is not there/);
    const named = await home.run('import', '--from', home.file('.cursor/mcp.json'));
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('mcp.json: it is a directory')]);
    for (const client of ['cursor', 'claude-code', 'gemini-cli']) {
      expect((await home.run('connect', client)).stderr).toContain('Not written: ');
    }
    expect((await lstat(home.file('.claude.json'))).isSymbolicLink()).toBe(true);
  });
});
