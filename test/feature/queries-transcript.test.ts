import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway, shippedConfig } from '../support/served-gateway.js';
import { createPlayer, readTranscript } from '../support/transcript.js';

describe('what docs/queries.md shows', () => {
  it('matches the answers of the shipped configuration', async () => {
    await using directory = await makeDirectory();
    const files = join(directory.path, '.mcp-aql/files');
    await mkdir(files, { recursive: true });
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.md']) await writeFile(join(files, name), name);
    await using gateway = await serveGateway(shippedConfig(), { directory: directory.path });
    await using client = await connectClient(gateway.url);
    const play = createPlayer(gateway, client);
    for (const step of readTranscript('docs/queries.md')) await play(step);
  });
});
