import { measureJson } from '../base/json/measure.js';
import { estimateTokens } from '../base/lib/token-estimate.js';
import type { GatewayFigures } from '../base/observe/metrics/figures.js';
import type { ToolSet } from '../base/protocol/tools.js';
import type { EndpointPlan } from '../catalog/endpoint/endpoint-plan.js';
import type { JournalState } from '../policy/audit/journal/writer.js';
import { canBeCalled, type GatewayStatus } from './status.js';

/** What a gateway says of itself anyway. */
interface Described {
  status(): GatewayStatus;
}

/** What clients see, and what it was made of. */
interface Shown {
  readonly plan: EndpointPlan;
  readonly toolSets: readonly ToolSet[];
}

/** The gateway at this moment, as monitoring reads it. */
export function describeFigures(
  gateway: Described,
  shown: Shown,
  journal: JournalState,
  {
    threads,
    executions,
    replicas,
  }: Pick<GatewayFigures, 'threads'> & {
    executions: GatewayFigures['executions'] | undefined;
    replicas: GatewayFigures['replicas'] | undefined;
  },
): GatewayFigures {
  const { upstreams, categories, state, reload } = gateway.status();
  const tokens = contextTokens(shown);
  return {
    upstreams: upstreams.map(({ slug, state: now, tools, restarts, required, circuit, calls, isolation }) => ({
      upstream: slug,
      state: now,
      isUp: canBeCalled(now),
      tools,
      restarts,
      isRequired: required === true,
      isCircuitOpen: circuit === 'open',
      ...calls,
      ...(isolation?.instances === undefined ? {} : { instances: isolation.instances.running }),
    })),
    operations: categories,
    tokens,
    dependencies: { audit: state.audit.state === 'ok', store: state.store.state === 'ok' },
    lostRecords: journal.lost,
    threads,
    ...(executions && { executions }),
    ...(replicas && { replicas }),
    ...(reload && {
      reload: { isInForce: reload.outcome !== 'refused', atSeconds: Date.parse(reload.at) / 1_000 },
    }),
  };
}

/** Lists of more characters fit no context, so their tokens are not counted. */
const LONGEST_COUNTED = 2_000_000;

const counted = new WeakMap<EndpointPlan, GatewayFigures['tokens']>();

/** Counted once for each catalog. */
function contextTokens({ plan, toolSets }: Shown): GatewayFigures['tokens'] {
  if (counted.has(plan)) return counted.get(plan);
  const tools = toolSets.flatMap((set) => set.tools);
  const isCountable = measureJson(tools, LONGEST_COUNTED) < LONGEST_COUNTED;
  const tokens = isCountable
    ? { upstreams: estimateTokens(JSON.stringify(tools)), gateway: estimateTokens(plan.toolsJson) }
    : undefined;
  counted.set(plan, tokens);
  return tokens;
}
