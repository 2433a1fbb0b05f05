import { cleanSchema, summarizeText } from '../catalog/clean-text.js';
import { exampleParams } from '../catalog/example-params.js';
import { shownInputSchema } from '../catalog/grouped-tools/shown-input-schema.js';
import { describeParameters, describeReturns } from '../catalog/parameter-info.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import { CATEGORY_PERMISSIONS } from '../protocol/category.js';
import { dangerRank } from '../protocol/danger.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { Include } from './parse-query.js';
import { sketchSignature } from './sketch-signature.js';

/** The published schema allows no further keys, so these come only when asked for. */
const EXTRAS: Readonly<Record<Include, (operation: Operation) => JsonObject>> = {
  danger: ({ classification }) => ({ danger: classification.danger }),
  classification: ({ classification: { confidence, evidence }, upstream, tool }) => ({
    classification: { confidence, evidence, upstream, tool },
  }),
  input_schema: (operation) => ({ input_schema: cleanSchema(shownInputSchema(operation)) }),
};

/** One line for a list: the introspection document's `OperationInfo`. */
export function describeBriefly(operation: Operation, plan: EndpointPlan, include: readonly Include[]): JsonObject {
  return describeInList(operation, summarizeText(operation.description), plan, include);
}

/**
 * The same with the parameters, so that most calls can be made at once. They stand in the description, because the
 * published schema of `OperationInfo` has no other place: `create_issue(owner, title, body?) - Create an issue`.
 */
export function describeWithSignature(
  operation: Operation,
  plan: EndpointPlan,
  include: readonly Include[],
): JsonObject {
  const description = `${sketchSignature(operation)} - ${summarizeText(operation.description)}`;
  return describeInList(operation, description.replace(/ - $/, ''), plan, include);
}

function describeInList(
  operation: Operation,
  description: string,
  plan: EndpointPlan,
  include: readonly Include[],
): JsonObject {
  return {
    name: operation.name,
    semantic_category: operation.classification.category,
    endpoint: plan.familyOf(operation).name,
    description: withDangerTag(description, operation),
    ...extrasOf(operation, include),
  };
}

/** Everything that a caller needs: the introspection document's `OperationDetails`. */
export function describeInFull(operation: Operation, plan: EndpointPlan, include: readonly Include[]): JsonObject {
  const { category } = operation.classification;
  return {
    name: operation.name,
    semantic_category: category,
    endpoint: plan.familyOf(operation).name,
    mcpTool: plan.toolFor(operation),
    description: withDangerTag(operation.description, operation),
    permissions: CATEGORY_PERMISSIONS[category],
    parameters: describeParameters(operation),
    returns: describeReturns(operation),
    examples: operation.examples ?? [{ request: { operation: operation.name, params: exampleParams(operation) } }],
    ...extrasOf(operation, include),
  };
}

/** A model should see what it must not do lightly, wherever it reads of an operation. */
function withDangerTag(description: string, { classification: { danger } }: Operation): string {
  return dangerRank(danger.level) > dangerRank('reversible')
    ? `${description} [${danger.level}]`.trimStart()
    : description;
}

function extrasOf(operation: Operation, include: readonly Include[]): JsonObject {
  return Object.assign({}, ...include.map((extra) => EXTRAS[extra](operation)));
}
