import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName, quoteValues } from '../../base/lib/text.js';
import type { RawCall } from '../../base/protocol/call.js';
import type { Operation } from '../../base/protocol/operation.js';
import { NothingFound, OperationError } from '../../base/protocol/operation-error.js';
import { type CallTrace, newTraceId, readTraceId } from '../../base/protocol/trace-context.js';
import { parseObject } from '../../catalog/arguments/wrapped-params.js';
import type { EndpointPlan } from '../../catalog/endpoint/endpoint-plan.js';
import { PassthroughTool } from '../../catalog/endpoint/passthrough-tools.js';
import { callVariants, carryingVariant, operationOfCall } from '../../catalog/operation.js';
import { statementVerdict } from '../../catalog/proven-read.js';
import type { FamilyDefinition } from '../../config/gateway-config.js';
import { OWN_NAMES } from './directive-names.js';
import { correctedExample, unknownOperation } from './not-found.js';
import type { Snapshot } from './snapshot.js';
import { endpointMismatch, notProvenToRead } from './wrong-family.js';

/** A call with the id of its request. */
type IdentifiedCall = RawCall & { readonly caller: { readonly requestId: string } };

/** One MCP tool call: of one operation, or of several (specification, operations document, section 7.1). */
export type Request =
  | { readonly kind: 'single'; readonly call: IdentifiedCall }
  | { readonly kind: 'batch'; readonly call: IdentifiedCall; readonly operations: readonly unknown[] };

/**
 * Reads whose call it is, and of what. Its id is that of its trace: the client's where it sends one, else a new id of the same form. A
 * request that names an operation is a single call: `operations` beside it can only be its parameter.
 *
 * @param plan of this moment: the arguments of a tool that is passed through are its own
 * @param trace what the call carries from now on; undefined where calls are not traced
 */
export function readRequest(raw: RawCall, plan: Pick<EndpointPlan, 'reachOf'>, trace?: CallTrace): Request {
  const requestId = trace?.id ?? readTraceId(raw.traceparent) ?? newTraceId();
  const call = { ...raw, trace, caller: { ...raw.caller, requestId } };
  const reach = plan.reachOf(raw.tool);
  // A tool that is not there may take anything.
  const isOwn = reach === undefined || reach instanceof PassthroughTool;
  if (isOwn || !isBatch(raw.arguments)) return { kind: 'single', call };
  return { kind: 'batch', call, operations: raw.arguments.operations };
}

/** A request in the specification's shape: which operation, with which parameters, through which MCP tool. */
interface DecodedCall {
  readonly raw: RawCall;
  readonly reach: OperationReach;
  /** Its name, or the operation itself where the tool says which it is. */
  readonly operation: string | Operation;
  readonly params: JsonObject;
}

/** Which operations a call may name. */
type OperationReach = FamilyDefinition | 'everything';

/** Reads the request of a tool call. A call is refused here when it names no known tool or no operation, or is malformed. */
export function decode(raw: RawCall, snapshot: Snapshot): DecodedCall | Promise<never> {
  const given = raw.arguments ?? {};
  const reach = reachOf(raw, snapshot.plan);
  if (reach === undefined) return refuseWith(unknownTool(raw, snapshot));
  if (!isJsonObject(given)) throw notAnObject('arguments', given, raw, snapshot);
  if (reach instanceof PassthroughTool) return decodePassthrough(raw, reach, given);
  const { operation, params } = readEnvelope(given);
  if (typeof operation !== 'string') throw missingOperation(given, raw, snapshot);
  if (params !== undefined && !isJsonObject(params)) throw notAnObject('params', params, raw, snapshot, operation);
  return { raw, reach, operation, params: mergeParams(given, params, () => snapshot.catalog.find(operation)) };
}

/** A request of MCP itself, or a call that a handler makes, names its operation and no tool of the list. */
function reachOf({ native, within, tool }: RawCall, plan: EndpointPlan): ReturnType<EndpointPlan['reachOf']> {
  if (native !== undefined) return 'everything';
  if (within === undefined || within.names === 'of the tool') return plan.reachOf(tool);
  const { family } = within;
  return family === undefined ? 'everything' : plan.families.find(({ name }) => name === family);
}

/** A call of an upstream's tool under its own name: its arguments are the tool's, and tokens travel beside them. */
function decodePassthrough(raw: RawCall, tool: PassthroughTool, params: JsonObject): DecodedCall {
  const operation = tool.operationFor(params);
  if (operation !== undefined) return { raw, reach: 'everything', operation, params };
  const { parameter, values } = tool.choice;
  const expected = quoteValues(values.map(String));
  const isGiven = Object.hasOwn(params, parameter);
  const message = isGiven
    ? `Parameter '${parameter}' of '${tool.name}' has a value which is not offered. Expected: one of ${expected}`
    : `Missing required parameter '${parameter}'. Expected: one of ${expected}`;
  throw new OperationError(isGiven ? 'VALIDATION_INVALID_VALUE' : 'VALIDATION_MISSING_PARAM', message, {
    tool: tool.name,
    param_name: parameter,
    expected: values,
  });
}

/** Only a refusal takes time: it names what may have been meant. */
async function refuseWith(error: Promise<OperationError>): Promise<never> {
  throw await error;
}

/** Whether a name stands for a parameter that is in `params` already, in this spelling or the upstream's. */
function isGiven(key: string, params: JsonObject | undefined, operation: Operation | undefined): boolean {
  const parameter = params === undefined ? undefined : operation?.scope.byName.get(key);
  if (params === undefined || parameter === undefined) return false;
  return Object.hasOwn(params, parameter.name) || Object.hasOwn(params, parameter.upstreamName);
}

/**
 * Top-level parameters beside `params`; `params` wins (specification, section 4.2).
 *
 * @param find the operation whose parameters they are; known under no other spelling where it is undefined
 */
function mergeParams(
  given: JsonObject,
  params: JsonObject | undefined,
  find: () => Operation | undefined = () => undefined,
): JsonObject {
  let merged = params;
  for (const key of Object.keys(given)) {
    if (key === 'operation' || key === 'params' || isSilentMember(given, key)) continue;
    if (key.startsWith('_') && !OWN_NAMES.has(key)) continue;
    if (merged === undefined || merged === params) merged = { ...params };
    if (!Object.hasOwn(merged, key) && !isGiven(key, params, find())) merged[key] = given[key];
  }
  return merged ?? {};
}

/** All parameters of a request: those in `params` and those beside it. Undefined where it has neither. */
export function paramsOf(request: JsonObject): JsonObject | undefined {
  const params = isJsonObject(request['params']) ? request['params'] : undefined;
  const merged = mergeParams(request, params);
  return params !== undefined || Object.keys(merged).length > 0 ? merged : undefined;
}

/** The client called an upstream's tool directly, or a tool of another mode. */
async function unknownTool(raw: RawCall, snapshot: Snapshot): Promise<OperationError> {
  const given = isJsonObject(raw.arguments) ? raw.arguments : {};
  if (typeof given['operation'] === 'string') return wrongTool(raw.tool, given['operation'], given, snapshot);
  const error = await unknownOperation(raw.tool, given, snapshot);
  // Its server is not here now, or shows it to those alone who have connected an account.
  if (error.code !== 'NOT_FOUND_OPERATION') return error;
  if (snapshot.plan.mode === 'passthrough') return unknownPassthroughTool(echoName(raw.tool), error, snapshot.plan);
  const Refusal = error instanceof NothingFound ? NothingFound : OperationError;
  return new Refusal(
    error.code,
    `There is no MCP tool '${echoName(raw.tool)}'. Upstream tools are operations here: ${error.message}`,
    { ...error.details, tools: snapshot.plan.tools.map((tool) => tool.name) },
  );
}

/** Where there are only upstreams' tools: the operations that an unknown name could mean, as tools. */
function unknownPassthroughTool(name: string, { details }: OperationError, plan: Snapshot['plan']): OperationError {
  const candidates = Array.isArray(details['candidates']) ? details['candidates'] : [];
  // Operations of the gateway's own are no tools there.
  const named = candidates.map((candidate) => String((candidate as JsonObject)['tool']));
  const tools = [...new Set(named)].filter((tool) => plan.reachOf(tool) !== undefined);
  const next = tools.length === 0 ? 'List the tools with tools/list' : `Did you mean ${quoteValues(tools)}?`;
  return new NothingFound('NOT_FOUND_OPERATION', `There is no tool '${name}'. ${next}`, { tool: name, tools });
}

async function wrongTool(tool: string, name: string, given: JsonObject, snapshot: Snapshot): Promise<OperationError> {
  const operation = snapshot.catalog.find(name);
  if (operation === undefined) return unknownOperation(name, given, snapshot);
  return endpointMismatch(operation, tool, isJsonObject(given['params']) ? given['params'] : {}, snapshot);
}

function missingOperation(given: JsonObject, raw: RawCall, snapshot: Snapshot): OperationError {
  const { operation, operations } = readEnvelope(given);
  if (operations !== undefined) return notABatch(operations, raw);
  const meant = operationElsewhere(
    isJsonObject(operation) ? { ...given, operation: undefined, ...operation } : given,
    snapshot,
  );
  const what = meant?.what ?? 'the name of the operation, for example "introspect"';
  const example = meant?.example ?? introspectExample(snapshot);
  if (operation === undefined) {
    return new OperationError(
      'VALIDATION_MISSING_PARAM',
      `Missing required parameter 'operation'. Expected: string (${what}), or several operations in 'operations'`,
      { param_name: 'operation', operation: raw.tool, example },
    );
  }
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter 'operation' expected 'string', got '${typeName(operation)}' (${what})`,
    { param_name: 'operation', expected_type: 'string', actual_type: typeName(operation), example },
  );
}

/** Other protocols call it `name` or `tool`: the operation that another member names, and the call that was meant. */
function operationElsewhere(given: JsonObject, snapshot: Snapshot): { what: string; example: unknown } | undefined {
  for (const [key, value] of Object.entries(given)) {
    const operation = typeof value === 'string' ? snapshot.catalog.find(value) : undefined;
    if (operation === undefined || !snapshot.isCallable(operation)) continue;
    const { [key]: _name, operation: _none, ...params } = given;
    const example = correctedExample(snapshot, operation, params);
    return { what: `'${operation.name}' belongs in 'operation'`, example };
  }
  return undefined;
}

/** `operations` is not a list: an object, or a string that contains JSON. */
function notABatch(value: unknown, raw: RawCall): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter 'operations' expected 'array', got '${typeName(value)}': a list of {"operation": "...", "params": {...}}`,
    { param_name: 'operations', operation: raw.tool, expected_type: 'array', actual_type: typeName(value) },
  );
}

/** `params` (or the whole request) is a JSON string, an array or a number. */
function notAnObject(
  name: 'arguments' | 'params',
  value: unknown,
  raw: RawCall,
  snapshot: Snapshot,
  operationName?: string,
): OperationError {
  const parsed = parseObject(value);
  const operation = operationName === undefined ? undefined : snapshot.catalog.find(operationName);
  const hint = parsed === undefined ? '' : '. Send the object itself, not a string containing JSON';
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter '${name}' expected 'object', got '${typeName(value)}'${hint}`,
    {
      param_name: name,
      operation: echoName(operationName ?? raw.tool),
      expected_type: 'object',
      actual_type: typeName(value),
      example:
        operation === undefined ? introspectExample(snapshot) : correctedExample(snapshot, operation, parsed ?? {}),
    },
  );
}

function introspectExample(snapshot: Snapshot): unknown {
  const introspect = snapshot.catalog.find('introspect');
  return introspect === undefined ? undefined : correctedExample(snapshot, introspect, { query: 'operations' });
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A request whose operation exists and was called through an MCP tool that can reach it. */
export interface RoutedCall {
  readonly raw: RawCall;
  readonly operation: Operation;
  readonly params: JsonObject;
  readonly reach: DecodedCall['reach'];
}

/** Finds the operation. A call is refused here when no operation has that name, or when it belongs to another family. */
export function route(call: DecodedCall, snapshot: Snapshot): RoutedCall | Promise<never> {
  const { raw, reach, params } = call;
  const named = call.operation;
  const operation = typeof named === 'string' ? snapshot.catalog.find(named) : named;
  if (operation === undefined) return refuseWith(unknownOperation(String(named), params, snapshot));
  if (!mayReach(reach, operation, snapshot.plan)) throw endpointMismatch(operation, raw.tool, params, snapshot);
  return { raw, operation, params, reach };
}

/** Whether a tool of this reach takes calls of the operation at all. A READ that may write is also called as EXECUTE. */
export function mayReach(reach: DecodedCall['reach'], operation: Operation, plan: EndpointPlan): boolean {
  if (reach === 'everything' || reach === plan.familyOf(operation)) return true;
  const carrying = carryingVariant(operation);
  if (carrying !== undefined && plan.familyOf(carrying) === reach) return true;
  return callVariants(operation).some((variant) => plan.familyOf(variant) === reach);
}

/**
 * The operation as the call's arguments use it. A call is refused here when that belongs to another family than the tool's:
 * a READ whose arguments write is called as EXECUTE, and without such arguments as READ. A runner whose statement only reads is
 * called as what it is named for all its statements.
 */
export function settleOperation(call: RoutedCall, args: JsonObject, snapshot: Snapshot): Operation {
  const { operation, raw, params, reach } = call;
  const { statement, deciding } = operation.classification;
  const verdict = statement?.only === true ? statementVerdict(operation, args) : undefined;
  if (verdict?.read === false) throw notProvenToRead(operation, verdict.why, params, snapshot);
  const used = operationOfCall(operation, args);
  if (reach === 'everything' || reach === snapshot.plan.familyOf(used)) return used;
  const isToldWhatToDo = statement !== undefined || deciding !== undefined;
  if (isToldWhatToDo && reach === snapshot.plan.familyOf(operation)) return used;
  throw endpointMismatch(
    used,
    raw.tool,
    params,
    snapshot,
    used === operation ? [] : used.classification.danger.reasons,
  );
}

/** The members of a request that belong to the protocol (specification, sections 4.1 and 4.6.1; operations document, section 7.1). */
const MEMBERS = ['operation', 'params', 'operations'] as const;

interface Envelope {
  readonly operation?: unknown;
  readonly params?: unknown;
  readonly operations?: unknown;
}

/**
 * What a request says in its own members. Callers that must fill every optional member of a tool's schema, be it with null or with an
 * empty value of its type, do not say anything with that.
 */
export function readEnvelope(request: unknown): Envelope {
  if (!isJsonObject(request)) return {};
  const { operation, params, operations } = request;
  return {
    operation: isEmpty(operation) ? undefined : operation,
    params: isEmpty(params) ? undefined : params,
    operations: isEmpty(operations) ? undefined : operations,
  };
}

/** Whether a member of a request is one of the envelope's that says nothing. */
export function isSilentMember(request: JsonObject, key: string): boolean {
  return MEMBERS.some((member) => member === key) && isEmpty(request[key]);
}

/** Whether a request lists operations and names none itself. */
export function isBatch(request: unknown): request is JsonObject & { readonly operations: readonly unknown[] } {
  if (!isJsonObject(request) || !Array.isArray(request['operations'])) return false;
  const { operation, operations } = readEnvelope(request);
  return operation === undefined && operations !== undefined;
}

/** Whether a member of the envelope says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
