import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { median, ratios } from '../statistics.mjs';
import { cpuPerCall, measureRounds, warmUp } from './measure-rounds.mjs';

const TOOLS = 10;
const CONCURRENCY = 16;

/**
 * What a short call costs at gateways that differ by their settings alone, measured in turn over HTTP. Several processes run with each of the
 * settings: what the compiler makes of the same code differs from process to process by more than what is looked for.
 * @param part its name in what is printed meanwhile
 * @param gateways by name, what the rows say: `{settings, payload?, prepare?}`; the first is what the others are compared with. `prepare` is
 *   a call that is made once before
 * @returns a row for each: its rate over the first one's, microseconds of CPU a call, and how many more, as a share; medians of the processes
 */
export async function compareGateways(bench, part, gateways) {
  const context = { ...bench, options: { ...bench.options, ...bench.options.compare } };
  const upstream = await startHttpUpstream(TOOLS);
  const processes = [];
  for (let copy = 1; copy <= context.options.copies; copy += 1) {
    for (const [name, { settings, payload, prepare }] of Object.entries(gateways)) {
      const gateway = await startGateway(context.program, { type: 'http', url: upstream.url }, [], settings);
      const target = {
        name: `${name} (${copy})`,
        transport: 'http',
        url: gateway.url,
        speaks: 'operations',
        pid: gateway.pid,
        payload,
      };
      await context.generator.open(target);
      if (prepare !== undefined) await callOnce(context, part, target.name, prepare);
      processes.push({ name, gateway, target });
    }
  }
  const targets = processes.map(({ target }) => target);
  const cell = { payload: PAYLOADS['echo 64 B'], concurrency: CONCURRENCY, targets };
  await warmUp(context, part, [cell]);
  const [slices] = await measureRounds(context, part, [cell]);
  for (const { name } of targets) await context.generator.close(name);
  await Promise.all([...processes.map(({ gateway }) => gateway.stop()), upstream.stop()]);
  const slicesOf = (name) => processes.filter((one) => one.name === name).map(({ target }) => slices.get(target.name));
  const costOf = (name) => median(slicesOf(name).map(cpuPerCall));
  const ratesOf = (name) => slicesOf(name).map((copy) => median(copy.map(({ rate }) => rate)));
  const names = Object.keys(gateways);
  return names.map((name) => ({
    name,
    rate: ratios(ratesOf(name), ratesOf(names[0])),
    cpu: costOf(name),
    more: costOf(name) / costOf(names[0]) - 1,
  }));
}

const ONCE = { concurrency: 1, leadMs: 0, durationMs: 60_000, maxCalls: 1 };

async function callOnce({ generator, faults }, part, name, payload) {
  const { faults: found } = await generator.run(name, payload, ONCE);
  faults.push(...found.map((why) => `${part}, ${name}: ${why}`));
}
