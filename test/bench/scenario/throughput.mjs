import { PAYLOADS } from '../load/payload.mjs';
import { startHttpFloor, startHttpUpstream, startStdioFloor, stdioUpstreamArgs } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { ratios, spread } from '../statistics.mjs';
import { cpuPerCall, measureRounds, warmUp } from './measure-rounds.mjs';

const TOOLS = 10;
const DEPTHS = [1, 16, 64];
const LOADS = [
  ...['echo 64 B', 'echo 64 kB', '1,000 objects'].flatMap((payload) =>
    DEPTHS.map((concurrency) => ({ payload, concurrency })),
  ),
  { payload: '1,000 objects, structured', concurrency: 16 },
];
/** The stateless client differs from the one with a session by headers alone, so one payload tells. */
const MODERN_PAYLOAD = 'echo 64 B';

const BIG_LOADS = LOADS.filter(({ payload }) => payload !== 'echo 64 B');

/** Both paths with big answers alone. */
export async function measureBig(context) {
  return [...(await measureHttp(context, BIG_LOADS)), ...(await measureStdio(context, BIG_LOADS))];
}

/** HTTP -> HTTP. */
export async function measureHttp(context, loads = LOADS) {
  const upstream = await startHttpUpstream(TOOLS);
  const [floor, gateway] = await Promise.all([
    startHttpFloor(upstream.url),
    startGateway(context.program, { type: 'http', url: upstream.url }),
  ]);
  const direct = { name: 'direct', transport: 'http', url: upstream.url, speaks: 'tools' };
  const rows = await measurePath(context, 'HTTP -> HTTP', loads, direct, floor, gateway);
  await Promise.all([floor.stop(), gateway.stop(), upstream.stop()]);
  return rows;
}

/** HTTP -> stdio. */
export async function measureStdio(context, loads = LOADS) {
  const args = stdioUpstreamArgs(TOOLS);
  const [floor, gateway] = await Promise.all([
    startStdioFloor(args),
    startGateway(context.program, { command: process.execPath, args }),
  ]);
  const direct = { name: 'direct', transport: 'stdio', args, speaks: 'tools' };
  const rows = await measurePath(context, 'HTTP -> stdio', loads, direct, floor, gateway);
  await Promise.all([floor.stop(), gateway.stop()]);
  return rows;
}

async function measurePath(context, path, loads, direct, floor, gateway) {
  const targets = [
    direct,
    { name: 'floor', transport: 'http', url: floor.url, speaks: 'tools', pid: floor.pid },
    { name: 'gateway', transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid },
    { name: 'modern', transport: 'http', url: gateway.url, speaks: 'operations', era: 'modern', pid: gateway.pid },
  ];
  for (const target of targets) await context.generator.open(target);
  const cells = loads.map(({ payload, concurrency }) => ({
    payload: PAYLOADS[payload],
    concurrency,
    targets: targets.filter(({ era }) => era !== 'modern' || payload === MODERN_PAYLOAD),
  }));
  await warmUp(
    context,
    path,
    cells.filter(({ concurrency }) => concurrency === 16),
  );
  const slices = await measureRounds(context, path, cells);
  for (const { name } of targets) await context.generator.close(name);
  return loads.map((load, index) => ({ path, ...load, ...compare(slices[index]) }));
}

/** One row: every target over the floor, round by round, and what a call costs each process. */
function compare(slicesOf) {
  const floor = slicesOf.get('floor');
  const over = (name, key) => {
    const slices = slicesOf.get(name);
    return (
      slices &&
      ratios(
        slices.map((slice) => slice[key]),
        floor.map((slice) => slice[key]),
      )
    );
  };
  return {
    floorRate: spread(floor.map(({ rate }) => rate)),
    floorP50: spread(floor.map(({ p50 }) => p50)),
    rate: { direct: over('direct', 'rate'), gateway: over('gateway', 'rate'), modern: over('modern', 'rate') },
    p50: over('gateway', 'p50'),
    p99: over('gateway', 'p99'),
    cpu: { floor: cpuPerCall(floor), gateway: cpuPerCall(slicesOf.get('gateway')) },
  };
}
