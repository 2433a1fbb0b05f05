import type { Classification, DangerAssessment } from '../protocol/operation.js';
import { assessDanger } from './assess-danger.js';
import { type Decision, decideCategory } from './decide-category.js';
import { type ClassificationInput, gatherFacts } from './facts.js';
import { findRisks } from './find-risks.js';

const EVIDENCE_LINES = 6;

/**
 * Classifies what a tool does, from all the evidence. Pure and deterministic: equal tools get equal classifications.
 * What the operator declares is final; doubt never leads to READ, and never lowers danger.
 */
export function classifyTool(input: ClassificationInput): Classification {
  const facts = gatherFacts(input);
  const decision = applyCuration(input, decideCategory(facts));
  const danger = curateDanger(input, assessDanger(facts, decision));
  const { category, confidence } = decision;
  const risks = input.curation.risks ?? findRisks(facts, category);
  return {
    category,
    danger,
    confidence,
    evidence: [...new Set(decision.evidence)].slice(0, EVIDENCE_LINES),
    ...(risks.length > 0 && { risks }),
  };
}

function applyCuration({ curation }: ClassificationInput, decision: Decision): Decision {
  if (curation.category === undefined) return decision;
  // The operator's declaration replaces the detection of a tool that runs arbitrary input.
  const { runner: _overruled, ...rest } = decision;
  const line = `curation: category ${curation.category} declared`;
  return { ...rest, category: curation.category, confidence: 1, evidence: [line, ...decision.evidence] };
}

function curateDanger({ curation }: ClassificationInput, assessed: DangerAssessment): DangerAssessment {
  if (curation.danger === undefined) return assessed;
  return { level: curation.danger, reasons: [`curation: danger ${curation.danger} declared`] };
}
