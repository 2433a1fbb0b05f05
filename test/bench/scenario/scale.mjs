import { setTimeout as delay } from 'node:timers/promises';
import { PAYLOADS, textPayload } from '../load/payload.mjs';
import { residentKilobytes } from '../process/process-cost.mjs';
import { startHttpFloor, startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { readerNames } from '../server/catalogue.mjs';
import { ratios, spread } from '../statistics.mjs';
import { cpuPerCall, measureRounds, warmUp } from './measure-rounds.mjs';

/** As many operations are called at every size, so that only the size differs. */
const CALLED_FILLERS = 2;
const LIST_SIZE = 1000;
const SETTLE_MS = 500;
const MEMORY_CALLS = { concurrency: 16, leadMs: 0, durationMs: 20_000, maxCalls: 1000 };

/** Ready time, memory, cost of a call and `tools/list`, with few and with many upstream tools. */
export async function measureScale(context) {
  const sizes = [];
  for (const tools of context.options.sizes) sizes.push(await openSize(context, tools));
  const cost = await measureCost(context, sizes);
  const list = await measureList(
    context,
    sizes.find(({ tools }) => tools === LIST_SIZE),
  );
  for (const { name, floor, gateway, upstream } of sizes) {
    await Promise.all([context.generator.close(name), floor.stop(), gateway.stop(), upstream.stop()]);
  }
  return { sizes: sizes.map(({ tools, ready, memory }, index) => ({ tools, ready, memory, cost: cost[index] })), list };
}

/** Starts floor and gateway in turn before an upstream of this size; the last ones stay open. */
async function openSize({ generator, program, progress, options, faults }, tools) {
  const upstream = await startHttpUpstream(tools);
  const starts = [];
  for (let round = 1; round <= options.starts; round += 1) {
    progress(`scale: ${tools} tools, start ${round}`);
    await Promise.all([starts.at(-1)?.floor.stop(), starts.at(-1)?.gateway.stop()]);
    const floor = await startHttpFloor(upstream.url);
    const gateway = await startGateway(program, { type: 'http', url: upstream.url });
    starts.push({ floor, gateway });
  }
  const { floor, gateway } = starts.at(-1);
  await delay(SETTLE_MS);
  const atStart = residentKilobytes(gateway.pid);
  const target = { name: `${tools} tools`, transport: 'http', url: gateway.url, speaks: 'operations' };
  await generator.open(target);
  const run = await generator.run(target.name, PAYLOADS['echo 64 B'], MEMORY_CALLS);
  faults.push(...run.faults.map((why) => `${target.name}: ${why}`));
  return {
    tools,
    name: target.name,
    upstream,
    floor,
    gateway,
    ready: {
      floorMs: spread(starts.map((start) => start.floor.readyMs)),
      gatewayMs: spread(starts.map((start) => start.gateway.readyMs)),
      ratio: ratios(
        starts.map((start) => start.gateway.readyMs),
        starts.map((start) => start.floor.readyMs),
      ),
    },
    memory: { atStart, afterCalls: residentKilobytes(gateway.pid) },
  };
}

/** The rate at each size over that at the smallest. */
async function measureCost(context, sizes) {
  const targets = sizes.map(({ name, tools, gateway }) => ({
    name,
    pid: gateway.pid,
    payload: textPayload(64, ['get_text', ...readerNames(tools, CALLED_FILLERS)]),
  }));
  const cells = [{ concurrency: 16, targets }];
  await warmUp(context, 'call cost', cells);
  const [slicesOf] = await measureRounds(context, 'call cost', cells);
  const ratesOf = (name) => slicesOf.get(name).map(({ rate }) => rate);
  return sizes.map(({ name }) => ({
    rate: ratios(ratesOf(name), ratesOf(sizes[0].name)),
    cpu: cpuPerCall(slicesOf.get(name)),
  }));
}

/** `tools/list` through both: the floor forwards the upstream's list, the gateway answers with its families. */
async function measureList(context, { floor, gateway }) {
  const { generator } = context;
  const targets = [
    { name: 'floor list', transport: 'http', url: floor.url, speaks: 'tools' },
    { name: 'gateway list', transport: 'http', url: gateway.url, speaks: 'operations' },
  ];
  for (const target of targets) await generator.open(target);
  const cells = [{ payload: PAYLOADS['tools/list'], concurrency: 16, targets }];
  await warmUp(context, 'tools/list', cells);
  const [slicesOf] = await measureRounds(context, 'tools/list', cells);
  for (const { name } of targets) await generator.close(name);
  const ratesOf = (name) => spread(slicesOf.get(name).map(({ rate }) => rate));
  return { tools: LIST_SIZE, floor: ratesOf('floor list'), gateway: ratesOf('gateway list') };
}
