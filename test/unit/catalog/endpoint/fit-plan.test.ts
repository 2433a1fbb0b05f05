import { expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/base/lib/token-estimate.js';
import { fitEndpointPlan } from '../../../../src/catalog/endpoint/fit-plan.js';
import { ToolRecords } from '../../../../src/catalog/integrity/tool-record.js';
import { aTool, buildTestCatalog } from '../../../support/build-test-catalog.js';
import { FAKE_CRUDE } from './fake-catalog.js';

const catalog = buildTestCatalog({
  store: Array.from({ length: 40 }, (_, index) => aTool(`get_n${index}`)),
});
const config = { mode: 'semantic', toolPrefix: 'mcp_aql_', profile: FAKE_CRUDE, passthrough: false } as const;
const planWithin = (budget?: number) =>
  fitEndpointPlan(catalog, config, {
    budget,
    servers: ['store'],
    toolSets: [],
    records: new ToolRecords(),
    isRefused: () => false,
  });
const tokensOf = (budget?: number): number => estimateTokens(planWithin(budget).plan.toolsJson);

it('shows what is configured where it costs no more than the budget', () => {
  expect(planWithin().cut).toBeUndefined();
  expect(planWithin(tokensOf())).toMatchObject({ plan: { toolsJson: planWithin().plan.toolsJson } });
  expect(planWithin(tokensOf()).cut).toBeUndefined();
});

it('names fewer operations, then none, then shows one tool', () => {
  const budgets = [tokensOf() - 1];
  const cuts: string[] = [];
  for (;;) {
    const budget = budgets.at(-1) ?? 0;
    const { plan, cut = '' } = planWithin(budget);
    const tokens = estimateTokens(plan.toolsJson);
    if (tokens > budget) break;
    cuts.push(cut.replace(/, about.*/, ''));
    budgets.push(tokens - 1);
  }
  expect(cuts).toEqual([
    'descriptions with half as many names',
    'descriptions without names',
    "mode 'single'",
    "mode 'single', its description without names",
  ]);
  const { plan, cut } = planWithin(100);
  expect(plan.mode).toBe('single');
  expect(cut).toMatch(/more than the budget of 100$/);
});
