import type { ToolReach } from '../endpoint/endpoint-plan.js';
import { echoName } from '../lib/text.js';
import type { RawCall } from '../protocol/call.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { CONTROLS } from '../results/result-types.js';
import { CONFIRMATION, QUOTA_CONTINUE } from './directives.js';
import { correctedExample, endpointMismatch, unknownOperation } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/** A request in the specification's shape: which operation, with which parameters, through which MCP tool. */
export interface DecodedCall {
  readonly raw: RawCall;
  readonly reach: Exclude<ToolReach, undefined>;
  readonly operationName: string;
  readonly params: JsonObject;
}

/** Keys of a request that belong to the protocol and are never parameters (specification, section 4.6.1). */
const PROTOCOL_FIELDS: ReadonlySet<string> = new Set(['operation', 'params']);

/**
 * Names that look like metadata but are parameters that the gateway defines. A caller who writes parameters at the top level
 * writes these there too; ignoring them would silently drop a filter or a confirmation.
 */
const OWN_NAMES: ReadonlySet<string> = new Set([
  CONFIRMATION,
  QUOTA_CONTINUE,
  ...CONTROLS.map((control) => `_${control}`),
]);

/** Reads the request of a tool call. A call is refused here when it names no known tool or no operation, or is malformed. */
export async function decode(raw: RawCall, snapshot: Snapshot): Promise<DecodedCall> {
  const given = raw.arguments ?? {};
  const reach = snapshot.plan.reachOf(raw.tool);
  if (reach === undefined) throw await unknownTool(raw, snapshot);
  if (!isJsonObject(given)) throw notAnObject('arguments', given, raw, snapshot);
  const { operation, params } = given;
  if (typeof operation !== 'string' || operation === '') throw missingOperation(given, raw, snapshot);
  if (params !== undefined && params !== null && !isJsonObject(params)) {
    throw notAnObject('params', params, raw, snapshot, operation);
  }
  const isGiven = params ? sameIn(params, snapshot.catalog.find(operation)) : undefined;
  return { raw, reach, operationName: operation, params: mergeParams(given, params ?? undefined, isGiven) };
}

/** Whether a name stands for a parameter that is in `params` already, in this spelling or the upstream's. */
function sameIn(params: JsonObject, operation: Operation | undefined): ((key: string) => boolean) | undefined {
  if (operation === undefined) return undefined;
  const { byName } = operation.scope;
  return (key) => {
    const parameter = byName.get(key);
    if (parameter === undefined) return false;
    return Object.hasOwn(params, parameter.name) || Object.hasOwn(params, parameter.upstreamName);
  };
}

/**
 * Top-level parameters beside `params`; `params` wins (specification, section 4.2).
 *
 * @param isGiven whether `params` has a parameter under another spelling
 */
export function mergeParams(
  given: JsonObject,
  params: JsonObject | undefined,
  isGiven: (key: string) => boolean = () => false,
): JsonObject {
  let merged = params;
  for (const key of Object.keys(given)) {
    if (PROTOCOL_FIELDS.has(key) || (key.startsWith('_') && !OWN_NAMES.has(key))) continue;
    if (merged === undefined || merged === params) merged = { ...params };
    if (!Object.hasOwn(merged, key) && !isGiven(key)) merged[key] = given[key];
  }
  return merged ?? {};
}

/** The client called an upstream's tool directly, or a tool of another mode. */
async function unknownTool(raw: RawCall, snapshot: Snapshot): Promise<OperationError> {
  const given = isJsonObject(raw.arguments) ? raw.arguments : {};
  if (typeof given['operation'] === 'string') return wrongTool(raw.tool, given['operation'], given, snapshot);
  const error = await unknownOperation(raw.tool, given, snapshot);
  return new OperationError(
    error.code,
    `There is no MCP tool '${echoName(raw.tool)}'. Upstream tools are operations here: ${error.message}`,
    { ...error.details, tools: snapshot.plan.tools.map((tool) => tool.name) },
  );
}

async function wrongTool(tool: string, name: string, given: JsonObject, snapshot: Snapshot): Promise<OperationError> {
  const operation = snapshot.catalog.find(name);
  if (operation === undefined) return unknownOperation(name, given, snapshot);
  return endpointMismatch(operation, tool, isJsonObject(given['params']) ? given['params'] : {}, snapshot);
}

function missingOperation(given: JsonObject, raw: RawCall, snapshot: Snapshot): OperationError {
  if (given['operations'] !== undefined) return notABatch(given['operations'], raw);
  const operation = given['operation'];
  const what = 'the name of the operation, for example "introspect"';
  const example = introspectExample(snapshot);
  if (operation === undefined || operation === null || operation === '') {
    return new OperationError(
      'VALIDATION_MISSING_PARAM',
      `Missing required parameter 'operation'. Expected: string (${what})`,
      { param_name: 'operation', operation: raw.tool, example },
    );
  }
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter 'operation' expected 'string', got '${typeName(operation)}' (${what})`,
    { param_name: 'operation', expected_type: 'string', actual_type: typeName(operation), example },
  );
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
  const parsed = typeof value === 'string' ? parseObject(value) : undefined;
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

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON: the answer names only the expected type.
    return undefined;
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
