import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { startReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';
import { runCommand } from '../support/run-command.js';

const OK_SERVER = { command: 'node' };

async function validate(
  config: unknown,
  files: Readonly<Record<string, unknown>> = {},
  env: Record<string, string> = {},
  run: typeof runCommand = runCommand,
) {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  await mkdir(join(directory.path, 'upstreams'));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory.path, 'upstreams', name), JSON.stringify(content));
  }
  return await run(['validate', '--config', file], { cwd: directory.path, env });
}

describe('a configuration with problems ends with code 3 and says what to do', () => {
  it.each([
    ['an unknown key', { mcpServer: {} }, ['mcpServer', "did you mean 'mcpServers'"]],
    ['a wrong type', { server: { port: 'no' }, mcpServers: {} }, ['server.port', 'integer']],
    [
      'a missing variable',
      { mcpServers: { a: { url: 'http://x/${NOT_SET_ANYWHERE}' } } },
      ['NOT_SET_ANYWHERE', 'mcpServers.a.url'],
    ],
    ['two upstreams of one name', { mcpServers: { 'my-api': OK_SERVER, my_api: OK_SERVER } }, ['my-api', 'my_api']],
    ['a limit out of its range', { limits: { maxNestingDepth: 1000 } }, ['limits.maxNestingDepth', '64']],
    ['neither command nor url', { mcpServers: { a: { args: ['x'] } } }, ['mcpServers.a', 'command', 'url']],
    ['an unknown profile', { endpoint: { profile: 'crud' } }, ['endpoint.profile', 'crude']],
    ['an unknown mode', { endpoint: { mode: 'singel' } }, ['endpoint.mode', 'single']],
    ['broken JSON', '{"mcpServers": {', ['line 1']],
  ])('reports %s', async (_what, config, words) => {
    const { code, stdout, stderr } = await validate(config);
    expect(stderr).toEqual(expect.stringContaining('gateway.config.json'));
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  });

  it('is reported by the shipped binary in the same words', async () => {
    const config = { mcpServer: {} };
    const { code, stdout, stderr } = await validate(config, {}, {}, runCli);
    const inProcess = await validate(config);
    expect({ code, stdout }).toEqual({ code: inProcess.code, stdout: inProcess.stdout });
    expect(stderr).toBe(inProcess.stderr);
  });

  it('reports all problems of all files at once', async () => {
    const { code, stderr } = await validate(
      { log: { level: 'loud' }, mcpServers: { a: { command: '${MISSING_ONE}' } } },
      { 'b.json': { url: '${MISSING_TWO}', operations: { x: { category: 'WRITE' } } } },
    );
    for (const word of ['log.level', 'MISSING_ONE', 'MISSING_TWO', 'category']) expect(stderr).toContain(word);
    expect(code).toBe(3);
  });

  it('names the environment variable that holds the fault', async () => {
    const { code, stderr } = await validate({ mcpServers: {} }, {}, { MCP_AQL_PORT: 'http' });
    expect(stderr).toContain('MCP_AQL_PORT');
    expect(code).toBe(3);
  });

  it('stops serve with the same message', async () => {
    await using directory = await makeDirectory();
    const file = join(directory.path, 'gateway.config.json');
    await writeFile(file, JSON.stringify({ endpoint: { mode: 'five' } }));
    for (const command of ['serve', 'stdio']) {
      const { code, stdout, stderr } = await runCli([command, '--config', file]);
      expect(stderr).toContain('endpoint.mode');
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    }
  });

  it('names the missing file', async () => {
    const { code, stderr } = await runCli(['serve', '--config', 'nowhere.json']);
    expect(stderr).toContain('nowhere.json');
    expect(code).toBe(3);
  });
});

describe('a configuration in which one server is misconfigured', () => {
  const TOOL = { name: 'readMail', description: 'Read a mail.', inputSchema: { type: 'object', properties: {} } };

  it.each([
    [['lock'], 4, 'Wrote '],
    [['classify'], 0, 'read_mail'],
    [['tools', 'list'], 0, 'read_mail'],
    [['tools', 'call', 'read_mail'], 0, 'success'],
    [['tools', 'call', 'hub__get_x'], 5, "'hub' is misconfigured and not started"],
    [['tokens'], 0, 'semantic mode'],
    [['policy', 'explain', 'read_mail'], 0, 'allow'],
    [['list'], 0, 'misconfigured'],
  ] as const)("is used without that server by '%s', and refused with --strict", async (command, code, shown) => {
    await using upstream = await startReplayServer(new Map([['mail', [TOOL]]]));
    await using directory = await makeDirectory();
    const mcpServers = { mail: { url: upstream.urlOf('mail') }, hub: { command: 'hub', env: { T: '${NOT_SET}' } } };
    await writeFile(join(directory.path, 'gateway.config.json'), JSON.stringify({ mcpServers }));
    const tolerant = await runCommand(command, { cwd: directory.path });
    expect(tolerant.stdout).toContain(shown);
    expect(tolerant).toMatchObject({ code, stderr: expect.stringContaining("'hub' is misconfigured") });
    const strict = await runCommand([...command, '--strict'], { cwd: directory.path });
    expect(strict).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('NOT_SET') });
  });
});
