import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startNode } from '../bench/process/children.mjs';
import { GATEWAY } from '../bench/process/programs.mjs';

/**
 * Starts the built gateway in a folder over these servers, and connects a client.
 * @param mode `semantic` or `single`
 * @param more of its configuration
 */
export async function openGateway(folder, mcpServers, mode, more = {}) {
  const config = join(folder, 'gateway.config.json');
  writeFileSync(config, JSON.stringify({ endpoint: { mode }, mcpServers, ...more }));
  const { url, ...started } = await serve(config);
  await waitForServers(url).catch(async (fault) => {
    await started.stop();
    throw fault;
  });
  const client = new Client({ name: 'trial', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    url,
    client,
    close: async () => {
      await client.close();
      await started.stop();
    },
  };
}

/** Servers that are not ready by then do not start on this machine. */
const MOST_ASKED = 600;
const ASK_EVERY_MS = 200;

/** The gateway serves as soon as one server is connected; a person's first question comes when all are. */
async function waitForServers(url) {
  const endpoint = new URL('/readyz', url);
  let waiting = [];
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    const { upstreams } = await (await fetch(endpoint)).json();
    waiting = upstreams.filter(({ state }) => state !== 'ready').map(({ name }) => name);
    if (waiting.length === 0) return;
    await setTimeout(ASK_EVERY_MS);
  }
  throw new Error(`not ready: ${waiting.join(', ')}`);
}

/** The start report is the only thing on stdout; it comes when every upstream has been tried. */
function serve(config) {
  return new Promise((resolve, reject) => {
    let report = '';
    const started = startNode([GATEWAY, 'serve', '--json', '--config', config, '--port', '0'], {
      onLine(line) {
        report += line;
        const ready = readReport(report);
        if (ready !== undefined) resolve({ ...started, url: ready.url, ready });
      },
    });
    started.child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}\n${started.log()}`)));
  });
}

function readReport(text) {
  try {
    return JSON.parse(text);
  } catch {
    // The report is not complete yet.
    return undefined;
  }
}
