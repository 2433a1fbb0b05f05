import { summarizeText } from '../catalog/clean-text.js';
import { exampleParams } from '../catalog/example-params.js';
import { describeParameters, describeReturns } from '../catalog/parameter-info.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import { CATEGORY_PERMISSIONS } from '../protocol/category.js';
import { dangerRank } from '../protocol/danger.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { Include } from './parse-query.js';

/** The published schema allows no further keys, so these come only when asked for. */
const EXTRAS: Readonly<Record<Include, (operation: Operation) => JsonObject>> = {
  danger: ({ classification }) => ({ danger: classification.danger }),
  classification: ({ classification: { confidence, evidence }, upstream, tool }) => ({
    classification: { confidence, evidence, upstream, tool },
  }),
  input_schema: ({ inputSchema }) => ({ input_schema: inputSchema }),
};

/** One line for a list: the introspection document's `OperationInfo`. */
export function describeBriefly(operation: Operation, plan: EndpointPlan, include: readonly Include[]): JsonObject {
  return {
    name: operation.name,
    semantic_category: operation.classification.category,
    endpoint: plan.familyOf(operation).name,
    description: withDangerTag(summarizeText(operation.description), operation),
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
