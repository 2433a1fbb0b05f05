import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { makeScratchDirectory } from '../process/scratch-directory.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { ratios } from '../statistics.mjs';
import { cpuPerCall, measureRounds, warmUp } from './measure-rounds.mjs';

const TOOLS = 10;
const CONCURRENCY = 16;
const OFF = 'off';

/** What a short call costs more where the gateway is watched: gateways that differ by that alone, in turn. */
export async function measureWatching(context) {
  const [upstream, receiver] = [await startHttpUpstream(TOOLS), await startReceiver()];
  const metrics = { metrics: { enabled: true, listen: '127.0.0.1:0' } };
  const traces = { tracing: { enabled: true, endpoint: receiver.url, sampler: 'ratio', ratio: 0.01 } };
  const log = { log: { level: 'warn', access: join(makeScratchDirectory(), 'access.log') } };
  const configs = {
    [OFF]: {},
    metrics,
    'traces, 1 % sampled': traces,
    'access log': log,
    'all three': { ...metrics, ...traces, ...log },
  };
  const targets = [];
  const gateways = [];
  for (const [name, more] of Object.entries(configs)) {
    const gateway = await startGateway(context.program, { type: 'http', url: upstream.url }, [], more);
    const target = { name, transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid };
    await context.generator.open(target);
    gateways.push(gateway);
    targets.push(target);
  }
  const cell = { payload: PAYLOADS['echo 64 B'], concurrency: CONCURRENCY, targets };
  await warmUp(context, 'watching', [cell]);
  const [slices] = await measureRounds(context, 'watching', [cell]);
  for (const { name } of targets) await context.generator.close(name);
  await Promise.all([...gateways.map((gateway) => gateway.stop()), upstream.stop()]);
  receiver.close();
  const rates = (name) => slices.get(name).map(({ rate }) => rate);
  return targets.map(({ name }) => ({
    name,
    rate: ratios(rates(name), rates(OFF)),
    cpu: cpuPerCall(slices.get(name)),
    more: cpuPerCall(slices.get(name)) / cpuPerCall(slices.get(OFF)) - 1,
  }));
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
