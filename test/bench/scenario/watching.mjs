import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { makeScratchDirectory } from '../process/scratch-directory.mjs';
import { compareGateways } from './compare-gateways.mjs';

/** What a short call costs more where the gateway is watched: gateways that differ by that alone, in turn. */
export async function measureWatching(context) {
  const receiver = await startReceiver();
  const metrics = { metrics: { enabled: true, listen: '127.0.0.1:0' } };
  const traces = { tracing: { enabled: true, endpoint: receiver.url, sampler: 'ratio', ratio: 0.01 } };
  const log = { log: { level: 'warn', access: join(makeScratchDirectory(), 'access.log') } };
  const configs = {
    off: {},
    // What differs between these two is the noise of the machine.
    'off, again': {},
    metrics,
    'traces, 1 % sampled': traces,
    'access log': log,
    'all three': { ...metrics, ...traces, ...log },
  };
  const gateways = Object.entries(configs).map(([name, settings]) => [name, { settings }]);
  try {
    return await compareGateways(context, 'watching', Object.fromEntries(gateways));
  } finally {
    receiver.close();
  }
}

/** Takes spans as a collector does. */
async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1/traces`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
