import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { startReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';
import { BINARY } from '../support/served-gateway.js';

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
    if (line.startsWith('Ready')) break;
  }
  const ended = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  await ended;
  const { semantic, discrete } = counted;
  expect(shown.join('\n')).toContain(`holds ${semantic.tokens} tokens instead of ${discrete.tokens} (`);
});
