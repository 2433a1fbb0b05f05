import type { JsonObject } from '../../../base/json/json.js';
import { cleanSchema, cleanValue, cutText, summarizeText, withoutBoilerplate } from '../../../base/lib/text.js';
import {
  CATEGORY_PERMISSIONS,
  dangerRank,
  GATEWAY_SOURCE,
  type Operation,
  type Parameter,
  worseDanger,
} from '../../../base/protocol/operation.js';
import { type Decision, whenRuns } from '../../../base/protocol/policy-decision.js';
import { type Absence, nameAbsence, type RawTool } from '../../../base/protocol/tools.js';
import { understandingOf } from '../../../base/protocol/understanding.js';
import { describeCombinations } from '../../../catalog/arguments/combinations.js';
import { findValidExample } from '../../../catalog/arguments/example-params.js';
import type { EndpointPlan } from '../../../catalog/endpoint/endpoint-plan.js';
import { describeFurther } from '../../../catalog/further-parameters.js';
import { visibleInputSchema } from '../../../catalog/grouped-tools/narrow-schema.js';
import { dryRunNameOf, riskInWords, toldRead, trialInWords, trialVariant } from '../../../catalog/operation.js';
import { readVariant } from '../../../catalog/proven-read.js';
import { describeDialect, type Told } from '../../../catalog/told-dialect.js';
import { EXECUTION_STATUSES } from '../../../policy/execution/execution.js';
import type { ControlSet } from '../../../results/query/result-types.js';
import { describeControls, describeQueryLanguage, exampleControls } from './describe-controls.js';
import type { Include } from './parse-query.js';
import type { Respell } from './types/own-spelling.js';
import { describeParameters, describeReturns, type ParameterInfo } from './types/parameter-info.js';
import { writeSignature } from './types/typescript.js';

/** What a description needs beside the operation: its endpoint, the decision of policy, and the controls that it takes. */
export interface OperationView {
  readonly plan: EndpointPlan;
  readonly staticDecision: StaticDecisionOf;
  readonly controlsOf: (operation: Operation) => ControlSet;
  readonly absenceOf: (upstream: string) => Absence | undefined;
  /** Writes the gateway's names into an operation's texts. */
  readonly respellingOf: (operation: Operation) => Respell;
  /** Whether lists say whose an operation is. */
  readonly hasSeveralUpstreams: boolean;
  /** The tool of an operation as its upstream sent it; undefined for the gateway's own. */
  readonly definitionOf: (operation: Operation) => RawTool | undefined;
  /** What an upstream says of itself and of its tools. */
  readonly textsOf: (upstream: string) => readonly string[];
  /** The products in whose words an upstream has answered statements. */
  readonly productsOf: (upstream: string) => readonly string[];
  /** Whether calls may go on in the background. */
  readonly hasExecutions: boolean;
}

export type StaticDecisionOf = (operation: Operation) => OperationDecision;

/** The published schema allows no further keys, so these come only when asked for. */
const EXTRAS: Readonly<Record<Include, (operation: Operation, view: OperationView) => JsonObject>> = {
  definition: (operation, view) => ({ definition: describeDefinition(view.definitionOf(operation)) }),
  danger: (operation) => ({ danger: describeDanger(operation) }),
  classification: ({ classification, upstream, tool }) => ({
    classification: {
      confidence: classification.confidence,
      understanding: understandingOf(classification),
      evidence: classification.evidence,
      upstream,
      tool,
    },
  }),
  typescript: (operation, { plan }) => ({ typescript: writeSignature(operation, plan.familyOf(operation).name) }),
  input_schema: (operation) => ({ input_schema: cleanSchema(visibleInputSchema(operation)) }),
};

/** The usual danger, and the arguments that raise it. */
function describeDanger(operation: Operation): JsonObject {
  const { danger, risks = [], trial } = operation.classification;
  const raised = risks.map((risk) => ({ with: riskInWords(operation, risk), level: risk.danger, reason: risk.reason }));
  const variant = trial === undefined ? undefined : trialVariant(operation);
  const lowered =
    trial === undefined || variant === undefined
      ? []
      : [{ with: trialInWords(operation, trial), level: variant.classification.danger.level, reason: trial.reason }];
  const lowering = [...lowered, ...describeReads(operation)];
  return {
    ...danger,
    ...(raised.length > 0 && { raised_by: raised }),
    ...(lowering.length > 0 && { lowered_by: lowering }),
    ...describeConsent(operation),
  };
}

/** The rest of the specification's danger block (companion document "danger levels" 3.2), where the operator declares it. */
function describeConsent(operation: Operation): JsonObject {
  const { confirmationMessage, cooldownSeconds, requiresReauth, auditContext } = operation;
  return {
    ...(confirmationMessage !== undefined && { confirmation_message: confirmationMessage }),
    ...(cooldownSeconds !== undefined && { cooldown_seconds: cooldownSeconds }),
    ...(requiresReauth !== undefined && { requires_reauth: requiresReauth }),
    ...(auditContext !== undefined && { audit_context: auditContext }),
  };
}

/** What a statement that only reads makes of a call. */
function describeReads(operation: Operation): readonly JsonObject[] {
  const proven = readVariant(operation);
  const told = toldRead(operation);
  return [
    ...(proven === undefined ? [] : [describeLower('a statement that only reads', proven)]),
    ...(told === undefined ? [] : [describeLower(`a value of ${decidingNames(operation)} that reads`, told)]),
  ];
}

function describeLower(condition: string, variant: Operation): JsonObject {
  const { level, reasons } = variant.classification.danger;
  return { with: condition, level, reason: reasons.join('; ') };
}

/** The parameters that decide what is done, as callers name them. */
function decidingNames({ parameters, classification: { deciding = [] } }: Operation): string {
  return deciding
    .map(({ parameter }) => parameters.find(({ upstreamName }) => upstreamName === parameter)?.name ?? parameter)
    .join(', ');
}

/** One line for a list: the introspection document's `OperationInfo`. */
export function describeBriefly(operation: Operation, view: OperationView, include: readonly Include[]): JsonObject {
  return describeInList(
    operation,
    view.respellingOf(operation)(summarizeText(withoutBoilerplate(operation.description))),
    view,
    include,
  );
}

/** The signature says as much as the words beside it. */
const FEW_WORDS = 80;

/**
 * The same with the parameters, so that most calls can be made at once. They are in the description, because the
 * published schema of `OperationInfo` has no other place: `create_issue(owner, title, body?) - Create an issue`.
 */
export function describeWithSignature(
  operation: Operation,
  view: OperationView,
  include: readonly Include[],
): JsonObject {
  const words = view.respellingOf(operation)(summarizeText(withoutBoilerplate(operation.description), FEW_WORDS));
  const description = `${sketchSignature(operation)} - ${words}`;
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
    description: withUpstreamTag(withTags(description, operation, view), operation, view),
    ...extrasOf(operation, include, view),
  };
}

const LONGEST_UPSTREAM_TAG = 40;

/** The published schema has no key for the upstream: `[git] Shows the history.` */
function withUpstreamTag(description: string, { upstream }: Operation, { hasSeveralUpstreams }: OperationView): string {
  if (!hasSeveralUpstreams || upstream === GATEWAY_SOURCE) return description;
  return `[${cutText(upstream, LONGEST_UPSTREAM_TAG)}] ${description}`.trimEnd();
}

/** Everything that a caller needs: the introspection document's `OperationDetails`. */
export function describeInFull(operation: Operation, view: OperationView, include: readonly Include[]): JsonObject {
  const { category } = operation.classification;
  const controls = view.controlsOf(operation);
  const respell = view.respellingOf(operation);
  return {
    name: operation.name,
    semantic_category: category,
    endpoint: view.plan.familyOf(operation).name,
    mcpTool: view.plan.toolFor(operation),
    description: withTags(describeAtLength(operation, respell, toldBy(operation.upstream, view)), operation, view),
    permissions: CATEGORY_PERMISSIONS[category],
    parameters: [
      ...describeParameters(operation, respell),
      ...(operation.merge === undefined ? [] : [IF_MATCH]),
      ...describeControls(operation, controls),
      ...(isConfirmable(operation, view) ? [CONFIRMATION_TOKEN] : []),
      ...describeDryRun(operation),
    ],
    returns: describeReturns(operation, controls.kind !== 'none'),
    examples: examplesOf(operation, controls),
    ...describeQueryLanguage(controls),
    ...describeRelationships(operation),
    ...describeLifecycle(operation, view),
    ...extrasOf(operation, include, view),
  };
}

/** The published `relationship_capabilities` (companion document "relationship queries", section 6). */
function describeRelationships({ relationships }: Operation): JsonObject {
  if (relationships === undefined) return {};
  const { directions, types, maxDepth } = relationships;
  return {
    relationship_capabilities: {
      supported: true,
      directions,
      ...(types.length > 0 && { relationship_types: types }),
      max_depth: maxDepth,
    },
  };
}

/** The published `lifecycle` (specification, section 8.4.5): each call of an EXECUTE may be an execution. */
function describeLifecycle({ upstream, classification, retryable }: Operation, view: OperationView): JsonObject {
  if (!view.hasExecutions || upstream === GATEWAY_SOURCE || classification.category !== 'EXECUTE') return {};
  return {
    lifecycle: {
      states: EXECUTION_STATUSES,
      supports_cancel: true,
      supports_retry: retryable,
      progress_reporting: true,
    },
  };
}

function toldBy(upstream: string, { textsOf, productsOf }: OperationView): Told {
  return { texts: textsOf(upstream), products: productsOf(upstream) };
}

/** Also which combinations of parameters it demands, and what an UPDATE makes of what its caller leaves out. */
function describeAtLength(operation: Operation, respell: Respell, told: Told): string {
  const { classification } = operation;
  const description = respell(withoutBoilerplate(operation.description));
  const merge = classification.category === 'UPDATE' && mayLeaveOut(operation) ? describeMerge(operation) : '';
  const all = [describeDialect(operation, told), describeCombinations(operation), describeFurther(operation), merge];
  const rest = all.filter((part) => part !== '');
  const ended =
    rest.length === 0 || description === '' || /[.!?:]$/.test(description) ? description : `${description}.`;
  return [ended, ...rest].join(' ').trimStart();
}

/** Whether a call can leave something out: a field of `input`, or a member of one. */
function mayLeaveOut({ merge, parameters }: Operation): boolean {
  if (merge !== undefined) return true;
  return parameters.some(
    ({ place, required, schema }) => place === 'input' && (!required || schema['type'] === 'object'),
  );
}

/** What the gateway adds to UPDATEs that merge. */
const IF_MATCH: ParameterInfo = {
  name: 'if_match',
  type: 'IfMatch',
  required: false,
  description: 'Field values that must be unchanged, or the version text of an earlier answer; else nothing is written',
};

/** What the gate takes from calls that it asks to be confirmed. */
const CONFIRMATION_TOKEN: ParameterInfo = {
  name: 'confirmation_token',
  type: 'string',
  required: false,
  description: 'After CONFIRMATION_REQUIRED: its details.confirmation_token',
};

/** How a call of what changes something asks what it would do. Its other name is a directive, which no parameter may look like. */
function describeDryRun(operation: Operation): readonly ParameterInfo[] {
  const name = dryRunNameOf(operation);
  return name === 'dry_run'
    ? [{ name, type: 'boolean', required: false, description: 'Preview without executing' }]
    : [];
}

/** An operation's own parameter of that name is its own. */
function isConfirmable(operation: Operation, { staticDecision }: OperationView): boolean {
  const { effect, conditional } = staticDecision(operation);
  const isOwn = ({ name, upstreamName }: Parameter): boolean => [name, upstreamName].includes(CONFIRMATION_TOKEN.name);
  return (whenRuns(effect) === 'when agreed' || conditional) && !operation.parameters.some(isOwn);
}

/** Of a collection also one that combines controls (companion document "collection querying", section 6). */
function examplesOf(operation: Operation, controls: ControlSet): readonly JsonObject[] {
  const { name } = operation;
  const params = findValidExample(operation);
  const examples = operation.examples ?? (params === undefined ? [] : [{ request: { operation: name, params } }]);
  if (params === undefined || controls.kind !== 'collection' || operation.upstream === GATEWAY_SOURCE) return examples;
  return [...examples, { request: { operation: name, params: { ...params, ...exampleControls(controls) } } }];
}

/** Marks dangerous and unavailable operations in every description, because a model may read only one of them. */
function withTags(description: string, operation: Operation, { staticDecision, absenceOf }: OperationView): string {
  const tags = [
    dangerTag(operation, staticDecision),
    riskTag(operation),
    deprecationTag(operation),
    absenceTag(absenceOf(operation.upstream)),
  ];
  return [description, ...tags].filter((text) => text !== '').join(' ');
}

/** `[deprecated: use 'list_notes'; removal on 2026-12-01]` (introspection document, 8.2.4) */
function deprecationTag({ deprecated }: Operation): string {
  if (deprecated === undefined) return '';
  const { replacement, removalDate } = deprecated;
  const facts = [
    ...(replacement === undefined ? [] : [`use '${replacement}'`]),
    ...(removalDate === undefined ? [] : [`removal on ${removalDate}`]),
  ];
  return facts.length === 0 ? '[deprecated]' : `[deprecated: ${facts.join('; ')}]`;
}

/** `[unavailable: next try in 12 s]` */
export function absenceTag(absence: Absence | undefined): string {
  if (absence === undefined) return '';
  const why = nameAbsence(absence);
  return absence.refusal?.details['reason'] === 'credentials_required' ? `[${why}]` : `[unavailable: ${why}]`;
}

function extrasOf(operation: Operation, include: readonly Include[], view: OperationView): JsonObject {
  return Object.assign({}, ...include.map((extra) => EXTRAS[extra](operation, view)));
}

/** What details say in other words, or `input_schema` whole. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['description', 'inputSchema']);

/** The members of a tool's definition that are shown nowhere else, without invisible characters. */
function describeDefinition(tool: RawTool = {}): JsonObject {
  const rest = Object.entries(tool).filter(([name]) => !SHOWN_ELSEWHERE.has(name));
  return Object.fromEntries(rest.map(([name, value]) => [name, cleanValue(value, LONGEST_VALUE)]));
}

/** Icons are often data URLs. */
const LONGEST_VALUE = 4_000;

/** Required and optional parameters that take more characters together are left to the details. */
const LONGEST_REQUIRED = 300;
const LONGEST_SIGNATURE = 100;

/**
 * An operation as a signature: `create_issue(owner, repo, title, body?)`. Required parameters come first,
 * optional ones have a question mark, as many as fit a line; `…` stands for the others, `...others` for such that it does not name. What an UPDATE takes inside
 * `input` is in braces.
 */
export function sketchSignature({ name, parameters, classification, strict }: Operation): string {
  const sketch = sketchParameters(parameters.filter(({ place }) => place === 'params'));
  const input = sketchParameters(parameters.filter(({ place }) => place === 'input'));
  const others = strict ? [] : ['...others'];
  const isUpdate = classification.category === 'UPDATE';
  const parts = isUpdate ? [...sketch, `input: {${[...input, ...others].join(', ')}}`] : [...sketch, ...others];
  return `${name}(${parts.join(', ')})`;
}

function sketchParameters(parameters: readonly Parameter[]): readonly string[] {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const optional = parameters.filter((parameter) => !parameter.required).map(({ name }) => `${name}?`);
  const fitting = takeFitting(required, LONGEST_REQUIRED);
  const all = [...fitting, ...takeFitting(optional, LONGEST_SIGNATURE - fitting.join(', ').length)];
  return all.length < parameters.length ? [...all, '…'] : all;
}

function takeFitting(names: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const tooMuch = names.findIndex((name) => {
    left -= name.length + 2;
    return left < 0;
  });
  return tooMuch < 0 ? names : names.slice(0, tooMuch);
}

/** What happens to values that an UPDATE's `input` leaves out, in one sentence for a model. */
export function describeMerge({ merge }: Operation): string {
  if (merge === undefined)
    return "The upstream decides what happens to fields and members that 'input' leaves out; null is sent where a field's type allows it.";
  const leftOut =
    merge.writes === 'whole'
      ? "fields that 'input' leaves out are written back as they are, members stay"
      : "fields that 'input' leaves out are not sent, so that the upstream leaves them, members stay";
  return `The gateway merges: ${leftOut}, null removes what can be removed, lists replace; 'if_match' (expected field values, or a version) refuses the update where the resource differs. Updates of one resource run one after the other.`;
}

/** What policy says of an operation before there is a call; see `policy/admission`. */
interface OperationDecision {
  readonly effect: Decision;
  readonly requires: 'token' | 'human';
  /** Whether parameters or the client may change the decision. */
  readonly conditional: boolean;
}

/** The level from which an operation is marked even where policy allows it. */
const MARKED_FROM = dangerRank('destructive');

/** Danger and what policy requires, `[destructive: needs confirmation]`; empty for most operations. */
function dangerTag(operation: Operation, staticDecision: StaticDecisionOf): string {
  const { danger, trial } = operation.classification;
  const gate = describeGate(staticDecision(operation));
  const variant = trialVariant(operation);
  const open = variant !== undefined && whenRuns(staticDecision(variant).effect) === 'freely';
  const exception =
    open && trial !== undefined
      ? `, but not with ${trialInWords(operation, trial)}`
      : readException(operation, staticDecision);
  if (gate !== undefined) return `[${danger.level}: ${gate}${exception}]`;
  return dangerRank(danger.level) >= MARKED_FROM ? `[${danger.level}]` : '';
}

/** `read-only statements run as READ`, where policy lets them run unasked. */
function readException(operation: Operation, staticDecision: StaticDecisionOf): string {
  const isAllowed = (variant: Operation | undefined): boolean =>
    variant !== undefined && whenRuns(staticDecision(variant).effect) === 'freely';
  if (isAllowed(readVariant(operation))) return ', but read-only statements run as READ';
  return isAllowed(toldRead(operation)) ? `, but not where ${decidingNames(operation)} reads` : '';
}

/** A list of all would be longer than the description; `include: ["danger"]` shows it. */
const MOST_TAGGED = 3;

/** `[destructive with force=true, delete=true]`: the arguments that raise the danger; empty where none does. */
function riskTag(operation: Operation): string {
  const { danger, risks = [] } = operation.classification;
  const raising = risks.filter((risk) => dangerRank(risk.danger) > dangerRank(danger.level));
  const worst = raising.reduce((level, risk) => worseDanger(level, risk.danger), danger.level);
  const words = [
    ...new Set(raising.filter((risk) => risk.danger === worst).map((risk) => riskInWords(operation, risk))),
  ];
  if (words.length === 0) return '';
  const more = words.length > MOST_TAGGED ? ` and ${words.length - MOST_TAGGED} more` : '';
  return `[${worst} with ${words.slice(0, MOST_TAGGED).join(', ')}${more}]`;
}

function describeGate({ effect, requires, conditional }: OperationDecision): string | undefined {
  const runs = whenRuns(effect);
  if (runs === 'never') return 'denied';
  if (runs === 'when agreed') return requires === 'human' ? "needs a person's approval" : 'needs confirmation';
  return conditional ? 'may need confirmation' : undefined;
}
