import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startNode } from './children.mjs';
import { makeScratchDirectory } from './scratch-directory.mjs';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 4;

/**
 * Starts the shipped gateway in front of one upstream and waits until `/readyz` says yes.
 * @param program the gateway's entry point
 * @param upstream the upstream's entry in `mcpServers`
 * @param nodeArgs options for node itself
 * @param more settings in place of the harness's own
 * @returns url, pid, `readyMs` from spawn to ready, `stop()` and `log()`
 */
export async function startGateway(program, upstream, nodeArgs = [], more = {}) {
  const config = join(makeScratchDirectory(), 'gateway.config.json');
  const port = await findFreePort();
  writeFileSync(config, JSON.stringify({ ...configFor(upstream, port), ...more }));
  const spawned = performance.now();
  const started = startNode([...nodeArgs, program, 'serve', '--config', config]);
  try {
    await waitUntilReady(started, port);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return { ...started, readyMs: performance.now() - spawned, url: `http://127.0.0.1:${port}/mcp` };
}

/** The defaults, but for what the harness itself needs: a port, silence, room for the idle sessions, and answers that come whole. */
function configFor(upstream, port) {
  return {
    server: { host: '127.0.0.1', port, maxSessions: 100_000, maxSessionsPerClient: 100_000 },
    log: { level: 'warn' },
    results: { maxTokens: 0 },
    mcpServers: { bench: upstream },
  };
}

async function waitUntilReady({ child, log }, port) {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the gateway exited with ${child.exitCode}\n${log()}`);
    if ((await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200) return;
    await delay(POLL_MS);
  }
  throw new Error(`the gateway was not ready after ${READY_TIMEOUT_MS} ms\n${log()}`);
}

function statusOf(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    // Nobody listens yet.
    request.on('error', () => resolve(undefined));
  });
}

function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
