import type {
  Category,
  DangerLevel,
  Operation,
  Parameter,
  TrustLevel,
} from '../../../../src/base/protocol/operation.js';
import type { PolicyRule } from '../../../../src/config/policy-config.js';
import type { RuleEngine } from '../../../../src/policy/rules/policy-types.js';
import { createRuleEngine } from '../../../../src/policy/rules/rule-engine.js';
import { anOperation } from '../../../support/an-operation.js';

export const ANONYMOUS = {};

/** A rule that applies to every call, with default values for what a test does not set. */
export function aRule(changes: Partial<PolicyRule> = {}): PolicyRule {
  return { name: 'rule 1', match: {}, decision: 'deny', requires: 'token', ...changes };
}

/** A rule engine for upstreams of one trust. */
export function anEngine(rules: readonly PolicyRule[], trust: TrustLevel = 'validated', readOnly = false): RuleEngine {
  return createRuleEngine({ readOnly, rules }, () => trust);
}

export function rated(
  danger: DangerLevel,
  changes: Partial<Operation> = {},
  category: Category = 'EXECUTE',
): Operation {
  const classification = { category, danger: { level: danger, reasons: ['it says so'] }, confidence: 1, evidence: [] };
  return anOperation({ name: 'run_job', classification, ...changes });
}

export function aParameter(name: string, upstreamName = name, place: Parameter['place'] = 'params'): Parameter {
  return { name, upstreamName, place, required: false, schema: {} };
}
