import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { median, ratios } from '../statistics.mjs';
import { measureRounds, warmUp } from './measure-rounds.mjs';

const TOOLS = 10;
const CONCURRENCY = 16;

/**
 * What a short call costs at gateways that differ by their settings alone, measured in turn over HTTP.
 * @param part its name in what is printed meanwhile
 * @param gateways by name, what the rows say: `{settings, payload?, prepare?}`; the first is what the others are compared with. `prepare` is
 *   a call that is made once before
 * @returns a row for each: its rate over the first one's, microseconds of CPU a call, and how many more, as a share; medians of the rounds
 */
export async function compareGateways(bench, part, gateways) {
  const context = { ...bench, options: { ...bench.options, ...bench.options.compare } };
  const upstream = await startHttpUpstream(TOOLS);
  const targets = [];
  const started = [];
  for (const [name, { settings, payload, prepare }] of Object.entries(gateways)) {
    const gateway = await startGateway(context.program, { type: 'http', url: upstream.url }, [], settings);
    const target = { name, transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid, payload };
    await context.generator.open(target);
    if (prepare !== undefined) await callOnce(context, part, name, prepare);
    started.push(gateway);
    targets.push(target);
  }
  const cell = { payload: PAYLOADS['echo 64 B'], concurrency: CONCURRENCY, targets };
  await warmUp(context, part, [cell]);
  const [slices] = await measureRounds(context, part, [cell]);
  for (const { name } of targets) await context.generator.close(name);
  await Promise.all([...started.map((gateway) => gateway.stop()), upstream.stop()]);
  const [first] = targets;
  const rates = (name) => slices.get(name).map(({ rate }) => rate);
  const costs = (name) => slices.get(name).map(({ cpu, calls }) => cpu / calls);
  return targets.map(({ name }) => ({
    name,
    rate: ratios(rates(name), rates(first.name)),
    cpu: median(costs(name)),
    more: ratios(costs(name), costs(first.name)).median - 1,
  }));
}

const ONCE = { concurrency: 1, leadMs: 0, durationMs: 60_000, maxCalls: 1 };

async function callOnce({ generator, faults }, part, name, payload) {
  const { faults: found } = await generator.run(name, payload, ONCE);
  faults.push(...found.map((why) => `${part}, ${name}: ${why}`));
}
