import { cleanSchema, summarizeText } from '../catalog/clean-text.js';
import { describeMerge } from '../catalog/describe-merge.js';
import { exampleParams } from '../catalog/example-params.js';
import { shownInputSchema } from '../catalog/grouped-tools/shown-input-schema.js';
import { describeParameters, describeReturns, type ParameterInfo } from '../catalog/parameter-info.js';
import type { ControlSet } from '../collection/result-desk.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import { CATEGORY_PERMISSIONS } from '../protocol/category.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { dangerTag, type OutlookOf } from './danger-tag.js';
import { describeControls, describeQueryLanguage, exampleControls } from './describe-controls.js';
import type { Include } from './parse-query.js';
import { sketchSignature } from './sketch-signature.js';

/** What an operation is described by beside itself: where it stands, what policy says of it, what its answers can be asked. */
export interface OperationView {
  readonly plan: EndpointPlan;
  readonly outlook: OutlookOf;
  readonly controlsOf: (operation: Operation) => ControlSet;
}

/** The published schema allows no further keys, so these come only when asked for. */
const EXTRAS: Readonly<Record<Include, (operation: Operation) => JsonObject>> = {
  danger: ({ classification }) => ({ danger: classification.danger }),
  classification: ({ classification: { confidence, evidence }, upstream, tool }) => ({
    classification: { confidence, evidence, upstream, tool },
  }),
  input_schema: (operation) => ({ input_schema: cleanSchema(shownInputSchema(operation)) }),
};

/** One line for a list: the introspection document's `OperationInfo`. */
export function describeBriefly(operation: Operation, view: OperationView, include: readonly Include[]): JsonObject {
  return describeInList(operation, summarizeText(operation.description), view, include);
}

/**
 * The same with the parameters, so that most calls can be made at once. They stand in the description, because the
 * published schema of `OperationInfo` has no other place: `create_issue(owner, title, body?) - Create an issue`.
 */
export function describeWithSignature(
  operation: Operation,
  view: OperationView,
  include: readonly Include[],
): JsonObject {
  const description = `${sketchSignature(operation)} - ${summarizeText(operation.description)}`;
  return describeInList(operation, description.replace(/ - $/, ''), view, include);
}

function describeInList(
  operation: Operation,
  description: string,
  view: OperationView,
  include: readonly Include[],
): JsonObject {
  return {
    name: operation.name,
    semantic_category: operation.classification.category,
    endpoint: view.plan.familyOf(operation).name,
    description: withDangerTag(description, operation, view),
    ...extrasOf(operation, include),
  };
}

/** Everything that a caller needs: the introspection document's `OperationDetails`. */
export function describeInFull(operation: Operation, view: OperationView, include: readonly Include[]): JsonObject {
  const { category } = operation.classification;
  const controls = view.controlsOf(operation);
  return {
    name: operation.name,
    semantic_category: category,
    endpoint: view.plan.familyOf(operation).name,
    mcpTool: view.plan.toolFor(operation),
    description: withDangerTag(describeAtLength(operation), operation, view),
    permissions: CATEGORY_PERMISSIONS[category],
    parameters: [
      ...describeParameters(operation),
      ...(operation.merge === undefined ? [] : [IF_MATCH]),
      ...describeControls(operation, controls),
    ],
    returns: describeReturns(operation),
    examples: examplesOf(operation, controls),
    ...describeQueryLanguage(controls),
    ...extrasOf(operation, include),
  };
}

/** An UPDATE tells what it makes of what its caller leaves out. */
function describeAtLength(operation: Operation): string {
  const { description, classification } = operation;
  return classification.category === 'UPDATE' ? `${description} ${describeMerge(operation)}`.trimStart() : description;
}

/** What the gateway adds to UPDATEs that merge. */
const IF_MATCH: ParameterInfo = {
  name: 'if_match',
  type: 'object',
  required: false,
  description: 'Field values that must still be so, or the version text of an earlier answer; else nothing is written',
};

/** Of a collection also one that combines controls (companion document "collection querying", section 6). */
function examplesOf(operation: Operation, controls: ControlSet): readonly JsonObject[] {
  const { name } = operation;
  const params = exampleParams(operation);
  const examples = operation.examples ?? [{ request: { operation: name, params } }];
  if (controls.kind !== 'collection') return examples;
  return [...examples, { request: { operation: name, params: { ...params, ...exampleControls(controls) } } }];
}

/** A model should see what it must not do lightly, wherever it reads of an operation. */
function withDangerTag(description: string, operation: Operation, { outlook }: OperationView): string {
  const tag = dangerTag(operation, outlook(operation));
  return tag === '' ? description : `${description} ${tag}`.trimStart();
}

function extrasOf(operation: Operation, include: readonly Include[]): JsonObject {
  return Object.assign({}, ...include.map((extra) => EXTRAS[extra](operation)));
}
