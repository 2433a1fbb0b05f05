import { setTimeout as delay } from 'node:timers/promises';
import { residentKilobytes } from '../process/process-cost.mjs';
import { startHttpFloor, startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { ratios, spread } from '../statistics.mjs';

const SIZES = [1, 5000];
/** A start is over when the tokens are counted and garbage was collected once. */
const SETTLE_MS = 2_000;

/** Starts floor and gateway in turn, each alone on the machine, before few tools and before many. */
export async function measureStart(context) {
  const sizes = [];
  for (const tools of SIZES) sizes.push(await measureSize(context, tools));
  return sizes;
}

async function measureSize({ program, options, progress }, tools) {
  const upstream = await startHttpUpstream(tools);
  const rounds = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    progress(`start: ${tools} tools, round ${round} of ${options.rounds}`);
    const floor = await weigh(startHttpFloor(upstream.url));
    const gateway = await weigh(startGateway(program, { type: 'http', url: upstream.url }));
    rounds.push({ floor, gateway });
  }
  await upstream.stop();
  const readyOf = (name) => rounds.map((round) => round[name].readyMs);
  return {
    tools,
    floorMs: spread(readyOf('floor')),
    gatewayMs: spread(readyOf('gateway')),
    ratio: ratios(readyOf('gateway'), readyOf('floor')),
    floorKilobytes: spread(rounds.map(({ floor }) => floor.kilobytes)),
    gatewayKilobytes: spread(rounds.map(({ gateway }) => gateway.kilobytes)),
  };
}

/** Reads the time to ready and, once it rests, the resident memory of a process, and ends it. */
async function weigh(starting) {
  const started = await starting;
  await delay(SETTLE_MS);
  const kilobytes = residentKilobytes(started.pid);
  await started.stop();
  return { readyMs: started.readyMs, kilobytes };
}
