import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { connectClient } from '../support/mcp-client.js';
import { runCommand } from '../support/run-command.js';
import { serveGateway } from '../support/served-gateway.js';

const TEXT =
  '{\n  // what we serve\n  "mcpServers": {\n    "one": {\n      "command": "npx"\n    } // the first\n  }\n}\n';

async function makeProject(text = TEXT) {
  const directory = await makeDirectory();
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, text);
  return {
    run: (...args: readonly string[]) => runCommand(args, { cwd: directory.path }),
    read: () => readFile(file, 'utf8'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('add, remove, enable and disable', () => {
  it('change the file alone, and keep its comments', async () => {
    await using project = await makeProject();
    await project.run('add', 'two', '--env', 'A=b=c', '--', 'node', 'server.js', '--flag');
    await project.run('add', 'three', 'https://three.example/mcp', '--header', 'X-Key=k');
    await project.run('disable', 'one');
    const text = await project.read();
    expect(text).toContain('// what we serve');
    expect(text).toContain('// the first');
    expect(JSON.parse(text.replaceAll(/\/\/ .*/g, ''))).toEqual({
      mcpServers: {
        one: { command: 'npx', disabled: true },
        two: { command: 'node', args: ['server.js', '--flag'], env: { A: 'b=c' } },
        three: { type: 'http', url: 'https://three.example/mcp', headers: { 'X-Key': 'k' } },
      },
    });
    await project.run('enable', 'one');
    await project.run('remove', 'two');
    await project.run('remove', 'three');
    expect(await project.read()).toBe(TEXT);
  });

  it('write nothing where the configuration would have a new problem, and say which', async () => {
    await using project = await makeProject();
    const { code, stderr } = await project.run('add', 'two', '--env', 'A=${NOT_SET_ANYWHERE}', '--', 'node');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/Not written:[\s\S]*gateway\.config\.json[\s\S]*NOT_SET_ANYWHERE/),
    ]);
    expect(await project.read()).toBe(TEXT);
  });

  it('refuse a name that is taken or unknown, and name what is meant', async () => {
    await using project = await makeProject();
    const taken = await project.run('add', 'one', '--', 'node');
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('--force replaces it')]);
    const unknown = await project.run('remove', 'onee');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("did you mean 'one'")]);
  });

  it('write a configuration where there is none, never the one that is shipped', async () => {
    await using directory = await makeDirectory();
    await runCommand(['add', 'one', '--', 'npx'], { cwd: directory.path });
    const text = await readFile(join(directory.path, 'gateway.config.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({ mcpServers: { one: { command: 'npx' } } });
  });

  it('are in force in a gateway that runs when they end', async () => {
    await using gateway = await serveGateway({ endpoint: { mode: 'single' }, mcpServers: { one: behaviourServer() } });
    const { command, args } = behaviourServer();
    const added = await runCommand(['add', 'two', '--', command, ...args], { cwd: gateway.directory });
    expect(added.stdout).toContain(`In force in the gateway at ${gateway.url}`);
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql', 'two__echo', {})).error).toBeUndefined();
    await runCommand(['disable', 'two'], { cwd: gateway.directory });
    expect((await client.call('mcp_aql', 'two__echo', {})).error?.code).toBe('NOT_FOUND_OPERATION');
  });
});

describe('restart', () => {
  it('starts servers of the gateway that runs anew, here and over its admin API, and names those that there are', async () => {
    const token = 'olga-has-a-long-token';
    await using gateway = await serveGateway({
      policy: { approvals: { operators: { olga: { token } } } },
      mcpServers: { one: behaviourServer(), two: behaviourServer(), off: { ...behaviourServer(), disabled: true } },
    });
    const run = (...args: readonly string[]) => runCommand(args, { cwd: gateway.directory });
    const restarts = async () => {
      const [running] = JSON.parse((await run('status', '--json')).stdout);
      return running.status.upstreams.map(({ restarts: count }: { readonly restarts: number }) => count);
    };
    const one = await run('restart', 'one');
    expect([one.code, one.stdout]).toEqual([0, expect.stringMatching(/started anew[\s\S]*\none\s+ready/)]);
    expect(await restarts()).toEqual([1, 0, 0]);
    const all = await run('restart', '--all', '--url', gateway.url, '--token', token);
    expect([all.code, all.stdout]).toEqual([0, expect.stringMatching(/one\s+ready[\s\S]*two\s+ready/)]);
    const unknown = await run('restart', 'onee');
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining("called 'onee'; there are: one, two")]);
    expect((await run('restart')).code).toBe(2);
  });
});
