import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { ratios } from '../statistics.mjs';
import { cpuPerCall, measureRounds, warmUp } from './measure-rounds.mjs';

const TOOLS = 10;
const CONCURRENCY = 16;
const OFF = 'disabled';

/** No agent runs: what is measured is what every call pays, not what a report costs. */
const CONFIGS = {
  [OFF]: {},
  'disabled, measured again: the noise': {},
  logging: { mode: 'logging' },
  monitoring: { mode: 'monitoring' },
  'enforcing, a READ that passes freely': { mode: 'enforcing' },
  'enforcing, a call that needs a report': { mode: 'enforcing', freeReads: false },
};

/** What a short call costs more where the safety loop is on: gateways that differ by that alone, in turn. */
export async function measureSafety(context) {
  const upstream = await startHttpUpstream(TOOLS);
  const targets = [];
  const gateways = [];
  for (const [name, safetyLoop] of Object.entries(CONFIGS)) {
    const gateway = await startGateway(context.program, { type: 'http', url: upstream.url }, [], { safetyLoop });
    const target = { name, transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid };
    await context.generator.open(target);
    gateways.push(gateway);
    targets.push(target);
  }
  const cell = { payload: PAYLOADS['echo 64 B'], concurrency: CONCURRENCY, targets };
  await warmUp(context, 'safety', [cell]);
  const [slices] = await measureRounds(context, 'safety', [cell]);
  for (const { name } of targets) await context.generator.close(name);
  await Promise.all([...gateways.map((gateway) => gateway.stop()), upstream.stop()]);
  const rates = (name) => slices.get(name).map(({ rate }) => rate);
  return targets.map(({ name }) => ({
    name,
    rate: ratios(rates(name), rates(OFF)),
    cpu: cpuPerCall(slices.get(name)),
    more: cpuPerCall(slices.get(name)) / cpuPerCall(slices.get(OFF)) - 1,
  }));
}
