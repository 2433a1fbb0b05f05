import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { inlineServer } from '../support/inline-server.js';
import { startReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';
import { BINARY, serveGateway } from '../support/served-gateway.js';

const aTool = (index: number) => ({
  name: `get_item_${index}`,
  description: `Get the item of the kind ${index}, with its parts, its history and everything that belongs to it.`,
  inputSchema: { type: 'object', properties: { id: { type: 'string', description: 'Which item' } } },
});

it('shows the same token counts at the start as the command that counts them, also of tools for clients that can be asked', async () => {
  await using upstream = await startReplayServer(
    new Map([['items', Array.from({ length: 40 }, (_, each) => aTool(each))]]),
  );
  await using directory = await makeDirectory();
  const config = {
    server: { port: 0 },
    mcpServers: {
      items: { url: upstream.urlOf('items') },
      // Offers more tools to clients that can be asked.
      everything: { command: 'mcp-server-everything' },
    },
  };
  await writeFile(join(directory.path, 'gateway.config.json'), JSON.stringify(config));

  const counted = JSON.parse((await runCli(['tokens', '--json'], { cwd: directory.path })).stdout);
  const gateway = spawn(process.execPath, [BINARY, 'serve'], {
    cwd: directory.path,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const shown: string[] = [];
  for await (const line of createInterface({ input: gateway.stdout })) {
    shown.push(line);
    if (line.includes(' holds ')) break;
  }
  const ended = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  await ended;
  const { semantic, discrete } = counted;
  expect(shown.join('\n')).toContain(`holds ${semantic.tokens} tokens instead of ${discrete.tokens} (`);
});

it('tells in the log that it stops, what it waits for, and that it has stopped, in lines with one level each', async () => {
  await using directory = await makeDirectory();
  const gateway = await serveGateway({ mcpServers: {} }, { env: { MCP_AQL_DATA_DIR: directory.path } });
  const ended = once(gateway.process, 'close');
  gateway.process.kill('SIGTERM');
  await ended;
  const lines = gateway
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const messages = lines.map((line) => JSON.parse(line)['msg']);
  expect(messages.slice(-2)).toEqual([expect.stringMatching(/^stopping: 0 calls in flight, at most \d/), 'stopped']);
  for (const line of lines) expect(line.match(/"level":/g)).toHaveLength(1);
});

it('names the gateway of the same data directory that has its port already, before it starts a server', async () => {
  const note = "process.getBuiltinModule('node:fs').appendFileSync('started', 'x')";
  await using gateway = await serveGateway({ mcpServers: { noted: inlineServer(`(${note}, {})`) } });
  const { port } = new URL(gateway.url);
  const second = await runCli(['serve', '--port', port], { cwd: gateway.directory });
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`serves ${gateway.url} already (process`)]);
  expect(await readFile(join(gateway.directory, 'started'), 'utf8')).toBe('x');
});
