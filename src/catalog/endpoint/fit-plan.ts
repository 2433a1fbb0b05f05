import { estimateTokens } from '../../base/lib/token-estimate.js';
import type { Catalog } from '../catalog.js';
import { buildEndpointPlan, type EndpointPlan, type PlanConfig, type PlanSource } from './endpoint-plan.js';

/** What is shown within a budget. */
interface FittedPlan {
  readonly plan: EndpointPlan;
  /** What had to be left out, and the estimate of what is left, for the operator; absent where the tools are as configured. */
  readonly cut?: string;
}

interface Attempt {
  readonly config: PlanConfig;
  readonly cut?: string;
}

/**
 * Plans tools within a budget in tokens, as they are estimated: first with fewer names in their descriptions, then as the one tool that
 * reaches everything. Where not even that is within the budget, the smallest is shown.
 */
export function fitEndpointPlan(catalog: Catalog, config: PlanConfig, { budget, ...source }: FitOptions): FittedPlan {
  let smallest: FittedPlan | undefined;
  for (const attempt of listAttempts(config)) {
    const plan = buildEndpointPlan(catalog, attempt.config, source);
    if (budget === undefined) return { plan };
    const tokens = estimateTokens(plan.toolsJson);
    const cut = attempt.cut === undefined ? undefined : `${attempt.cut}, about ${tokens} tokens`;
    const fitted = { plan, ...(cut === undefined ? {} : { cut }) };
    if (tokens <= budget) return fitted;
    smallest = { ...fitted, cut: `${cut ?? `about ${tokens} tokens`}, which is more than the budget of ${budget}` };
  }
  return smallest ?? { plan: buildEndpointPlan(catalog, config, source) };
}

interface FitOptions extends PlanSource {
  /** None where absent. */
  readonly budget?: number | undefined;
}

function listAttempts(config: PlanConfig): readonly Attempt[] {
  const single: PlanConfig = { ...config, mode: 'single', passthrough: false };
  return [
    { config },
    ...(config.mode === 'passthrough'
      ? []
      : [
          { config: { ...config, detail: 0.5 }, cut: 'descriptions with half as many names' },
          { config: { ...config, detail: 0 }, cut: 'descriptions without names' },
        ]),
    { config: single, cut: "mode 'single'" },
    { config: { ...single, detail: 0 }, cut: "mode 'single', its description without names" },
  ];
}
