import { isJsonObject } from '../base/json/json.js';
import { type Classification, type DangerAssessment, dangerRank } from '../base/protocol/operation.js';
import { assessDanger } from './assess-danger.js';
import type { LearnedConfidence } from './confidence.js';
import { contradictingHint, type Decision, decideCategory } from './decide-category.js';
import { findDeciding, findRunner } from './deciding.js';
import { type ClassificationInput, gatherFacts, type ToolFacts } from './facts.js';
import { findRisks } from './find-risks.js';
import { findStatement } from './find-statement.js';
import { findTrial } from './find-trial.js';
import type { KnownTool } from './known.js';
import { findHandled, findSought, onlyHandles } from './runner.js';

const EVIDENCE_LINES = 6;

/**
 * Classifies what a tool does, from all the evidence. Pure and deterministic: equal tools get equal classifications.
 * What the operator declares is final; doubt never leads to READ, and never lowers danger.
 * @param learned what the confidence is rated by, where another than the committed one is to be judged
 */
export function classifyTool(input: ClassificationInput, learned?: LearnedConfidence): Classification {
  const facts = gatherFacts(input);
  const known = decideKnown(facts);
  const found = known ?? judge(facts, learned);
  const decision = applyCuration(input, found);
  const assessed = known === undefined ? assessDanger(facts, decision) : reviewedDanger(known);
  const danger = curateDanger(input, found, assessed);
  const { category, confidence } = decision;
  const risks = input.curation.risks ?? findRisks(facts, category);
  const trial = findTrial(facts, decision);
  const statement = findStatement(facts, decision);
  const deciding = isDeclared(input) || decision.runner === undefined ? [] : findDeciding(facts);
  return {
    category,
    danger,
    confidence,
    evidence: [...new Set(decision.evidence)].slice(0, EVIDENCE_LINES),
    ...(known !== undefined && { known: known.tool.server }),
    ...(risks.length > 0 && { risks }),
    ...(trial !== undefined && { trial }),
    ...(statement !== undefined && { statement }),
    ...(deciding.length > 0 && { deciding }),
    ...(category === 'READ' && { sought: findSought(facts) }),
    ...(input.curation.risks !== undefined ? { unrun: true } : onlyHandles(facts) && { unrun: findHandled(facts) }),
  };
}

/** What the rules find. */
function judge(facts: ToolFacts, learned?: LearnedConfidence): Decision {
  const decision = noteContradiction(facts, requireInput(facts, decideCategory(facts, learned)));
  const { known } = facts.input;
  return known?.isChanged === true ? noteChange(known, decision) : decision;
}

/**
 * The decision that was reviewed, unless the operator says otherwise. What runs arbitrary input is judged by the value of each call,
 * whatever was reviewed of it.
 */
function decideKnown(facts: ToolFacts): (Decision & { readonly tool: KnownTool }) | undefined {
  const { known, curation } = facts.input;
  if (known === undefined || known.isChanged || curation.category !== undefined) return undefined;
  const runner = findRunner(facts);
  const { server, category } = known;
  if (runner !== undefined && category !== 'EXECUTE') return undefined;
  const evidence = [`known server '${server}': this definition was reviewed as ${category}`];
  return {
    category,
    confidence: REVIEWED,
    evidence,
    signals: [],
    tool: known,
    ...(runner !== undefined && { runner }),
  };
}

/** People err, too. */
const REVIEWED = 0.99;

function reviewedDanger({ tool: { server, danger } }: { readonly tool: KnownTool }): DangerAssessment {
  return { level: danger, reasons: [`known server '${server}': reviewed as ${danger}`] };
}

/** Anybody may take a server's name and its tools' names: a former review only ever raises a doubt. */
function noteChange({ server, category }: KnownTool, decision: Decision): Decision {
  const line = `known server '${server}' has another definition of this tool than the one that was reviewed as ${category}`;
  const confidence = category === decision.category ? decision.confidence : Math.min(decision.confidence, CHANGED);
  return { ...decision, confidence, evidence: [line, ...decision.evidence] };
}

/** At most, where a former review says otherwise: low enough for a review, and still understood. */
const CHANGED = 0.5;

/** Whether the operator says what the tool does, so that no value is judged. */
function isDeclared({ curation: { category, danger, risks } }: ClassificationInput): boolean {
  return category !== undefined || danger !== undefined || risks !== undefined;
}

/** An UPDATE sets something that its caller gives; what only switches over is run, not updated. */
function requireInput({ input, parameters }: ToolFacts, decision: Decision): Decision {
  const fixed = input.groupValue?.parameter;
  const schema = input.tool['inputSchema'];
  const isDescribed = isJsonObject(schema) && isJsonObject(schema['properties']);
  const takesNothing = isDescribed && parameters.every(({ name }) => name === fixed);
  if (decision.category !== 'UPDATE' || !takesNothing) return decision;
  const line = 'it takes nothing to update: EXECUTE';
  return { ...decision, category: 'EXECUTE', evidence: [line, ...decision.evidence] };
}

/** Says where the author's hint contradicts what is decided; the confidence knows it already. */
function noteContradiction(facts: ToolFacts, decision: Decision): Decision {
  const { category } = decision;
  const hint = contradictingHint(facts, category);
  if (hint === undefined) return decision;
  const line = `annotation ${hint} contradicts the other evidence, which says ${category}`;
  return { ...decision, evidence: [line, ...decision.evidence] };
}

function applyCuration({ curation }: ClassificationInput, decision: Decision): Decision {
  if (curation.category === undefined) return decision;
  // The operator's declaration replaces the detection of a tool that runs arbitrary input, unless it says the same.
  const { runner, ...rest } = decision;
  const line = `curation: category ${curation.category} declared`;
  const isKept = curation.category === 'EXECUTE' && runner !== undefined;
  return {
    ...rest,
    ...(isKept && { runner }),
    category: curation.category,
    confidence: 1,
    evidence: [line, ...decision.evidence],
  };
}

/** What the gateway found otherwise gives no evidence of what the operator says that it runs, and what is not known is destructive. */
function curateDanger(
  { curation }: ClassificationInput,
  found: Decision,
  assessed: DangerAssessment,
): DangerAssessment {
  const { category, danger } = curation;
  if (danger !== undefined) return { level: danger, reasons: [`curation: danger ${danger} declared`] };
  const isUnknown = category === 'EXECUTE' && found.category !== 'EXECUTE';
  if (!isUnknown || dangerRank(assessed.level) >= dangerRank('destructive')) return assessed;
  return { level: 'destructive', reasons: ['curation: category EXECUTE declared without a danger'] };
}
