import { digest } from '../../base/json/canonical-json.js';
import { isLost } from '../../base/json/changed-numbers.js';
import { parseExact, unmarkedWithin } from '../../base/json/exact-numbers.js';
import { exactTextOf } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../base/protocol/call.js';
import { LARGE_BYTES, LargeAnswer } from '../../base/protocol/large-answer.js';
import type { MergeRule, Operation, Parameter } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ToolCallResult } from '../../base/protocol/result.js';
import { readToolResult } from '../../base/protocol/wire-answer.js';
import { checkArguments } from '../../catalog/arguments/bind-arguments.js';

/** Finds an upstream's operation by any of its names. */
export type FindOperation = (upstream: string, name: string) => Operation | undefined;

/** A tool's own failure (`isError`) as an error in the upstream's words. */
export type ExplainFailure = (operation: Operation, args: JsonObject, result: ToolCallResult) => OperationError;

/** Names the state of a resource: equal for equal states. */
export function versionOf(resource: JsonObject): string {
  return `v_${digest(unmarkedWithin(resource))}`;
}

export function isVersion(text: string): boolean {
  return /^v_[A-Za-z0-9_-]{43}$/.test(text);
}

/** A dotted path, with indexes of lists: `items.0.settings`. */
function parsePath(text: string): JsonPath {
  if (text === '') return [];
  return text.split('.').map((step) => (/^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

/** The field that a parameter changes: of the same name in either spelling, or of an equivalent one. */
export function findField(resource: JsonObject, { name, upstreamName }: Parameter): string | undefined {
  const exact = [upstreamName, name].find((spelling) => Object.hasOwn(resource, spelling));
  return exact ?? Object.keys(resource).find((field) => toSnakeCase(field) === name);
}

/** The value of a field or dotted path as it is shown; null where there is none, because null is how a field is removed. */
export function fieldOf(resource: JsonObject, field: string): unknown {
  const value = Object.hasOwn(resource, field) ? resource[field] : valueAt(resource, parsePath(field));
  return unmarkedWithin(value ?? null);
}

/** Fields with their values, as details of an error show them. */
export function pickFields(resource: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(resource, field)]));
}

/** The fields whose values are not the same in both. */
export function changedFields(before: JsonObject, after: JsonObject, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => digest(fieldOf(before, field)) !== digest(fieldOf(after, field)));
}

/** A parameter of the read, and the parameter of the update that fills it. */
interface Pair {
  readonly read: Parameter;
  readonly update: Parameter | undefined;
}

/**
 * The call that reads what an update is about to change.
 * @throws OperationError when the curation names no such read, or the caller's identifiers do not fit it
 */
export function planRead(call: HandlerCall, merge: MergeRule, find: FindOperation): HandlerCall {
  const { operation } = call;
  const read = find(operation.upstream, merge.read);
  if (read?.classification.category !== 'READ') {
    throw brokenCuration(operation, 'merge.read', 'names no READ operation of it');
  }
  const args = { ...collectIdentifiers(call, pairParameters(operation, read, merge)), ...read.fixedArguments };
  const [fault, ...others] = checkArguments(read, args);
  if (fault !== undefined) {
    const faults = [fault, ...others].map(({ message }) => message).join('. ');
    throw new OperationError(
      fault.code,
      `The update was not attempted: '${read.name}', which reads the resource, does not take these identifiers. ${faults}`,
      { operation: operation.name, read_operation: read.name, param_name: fault.param },
    );
  }
  const { ifMatch: _checked, agreedChanges: _kept, onProgress: _ofUpdate, onTask: _itself, ...rest } = call;
  return { ...rest, operation: read, arguments: args };
}

/** A faulty configuration, in the words that the operator needs to correct it. */
function brokenCuration(operation: Operation, key: string, problem: string): OperationError {
  const { name, tool, upstream } = operation;
  return new OperationError(
    'INTERNAL_ERROR',
    `Internal error: '${name} was not attempted: ${key} of its curation ${problem}. An operator must correct it for ${tool} of upstream ${upstream}'`,
    { operation: name, upstream, setting: key, retryable: false, outcome: 'not_run' },
  );
}

function pairParameters(update: Operation, read: Operation, { identifiers = {} }: MergeRule): readonly Pair[] {
  const { byName } = update.scope;
  const names = new Map(Object.entries(identifiers));
  const pairs = read.parameters.map((parameter): Pair => {
    const declared = names.get(parameter.name) ?? names.get(parameter.upstreamName);
    if (declared !== undefined) return { read: parameter, update: byName.get(declared) };
    const namesake = byName.get(parameter.name) ?? byName.get(parameter.upstreamName);
    return { read: parameter, update: namesake?.place === 'params' ? namesake : undefined };
  });
  const unfilled = pairs
    .filter((pair) => pair.read.required && pair.update === undefined)
    .map((pair) => pair.read.name);
  if (unfilled.length === 0) return pairs;
  throw brokenCuration(update, 'merge.identifiers', `does not fill ${unfilled.join(', ')} of ${read.name}`);
}

function collectIdentifiers({ arguments: args }: HandlerCall, pairs: readonly Pair[]): JsonObject {
  return Object.fromEntries(
    pairs.flatMap(({ read, update }): readonly [string, unknown][] => {
      if (update === undefined || !Object.hasOwn(args, update.upstreamName)) return [];
      const value = args[update.upstreamName];
      // A read that takes a list of ids is given a list of one.
      const isOneOfMany = read.schema['type'] === 'array' && !Array.isArray(value);
      return [[read.upstreamName, isOneOfMany ? [value] : value]];
    }),
  );
}

interface ResourceReaderDeps {
  readonly inner: OperationHandler;
  readonly explainFailure: ExplainFailure;
}

/** Reads the object that an update is about to change. Rejects with an `OperationError` that says that nothing was written. */
type ReadResource = (update: Operation, read: HandlerCall) => Promise<JsonObject>;

export function createResourceReader({ inner, explainFailure }: ResourceReaderDeps): ReadResource {
  const runRead = async (update: Operation, read: HandlerCall): Promise<HandlerOutcome> => {
    try {
      const outcome = await inner(read);
      if ('toolResult' in outcome && outcome.toolResult instanceof LargeAnswer) throw tooLargeToMerge(read.operation);
      if ('toolResult' in outcome && outcome.toolResult.isError === true) {
        throw explainFailure(read.operation, read.arguments, readToolResult(outcome.toolResult));
      }
      return outcome;
    } catch (error) {
      throw error instanceof OperationError ? notAttempted(update, read.operation, error) : error;
    }
  };
  return async (update, read) => {
    const path = update.merge?.path ?? '';
    const resource = findResource(await runRead(update, read), path);
    if (resource !== undefined) return resource;
    const place = path === '' ? 'the answer' : `${path} in the answer`;
    throw brokenCuration(
      update,
      'merge.path',
      `does not lead to an object: ${place} of ${read.operation.name} is not one`,
    );
  };
}

/** The object at a path of an answer; undefined where there is none. */
export function findResource(outcome: HandlerOutcome, path: string): JsonObject | undefined {
  const resource = valueAt(readAnswer(outcome), parsePath(path));
  return isJsonObject(resource) ? resource : undefined;
}

/** A resource of that size would hold up other calls while it is merged. */
function tooLargeToMerge({ name, upstream }: Operation): OperationError {
  return new OperationError(
    'VALIDATION_PAYLOAD_TOO_LARGE',
    `Payload exceeds merge_size limit of ${LARGE_BYTES}: the resource of '${name}' is longer, or holds too many values. Use one for a part of it`,
    { upstream, limit_type: 'merge_size', limit_value: LARGE_BYTES, unit: 'bytes' },
  );
}

function notAttempted(update: Operation, read: Operation, error: OperationError): OperationError {
  return new OperationError(
    error.code,
    `The update was not attempted, because '${read.name}' could not read the resource. ${error.message}`,
    { ...error.details, operation: update.name, read_operation: read.name, outcome: 'not_run' },
    { cause: error },
  );
}

/** The JSON of an answer: its structured content, else its only text parsed. Numbers that cannot be written back as values are marked. */
function readAnswer(outcome: HandlerOutcome): unknown {
  if ('data' in outcome) return outcome.data;
  if ('dataText' in outcome) return parseJson(outcome.dataText);
  if ('native' in outcome || outcome.toolResult instanceof LargeAnswer) return undefined;
  const result = readToolResult(outcome.toolResult);
  const { structuredContent, content } = result;
  if (structuredContent !== undefined) {
    const exact = exactTextOf(result, 'structuredContent');
    return exact === undefined ? structuredContent : parseJson(exact);
  }
  const texts = Array.isArray(content) ? content.filter(({ type }) => type === 'text') : [];
  return texts.length === 1 ? parseJson(texts[0]?.['text']) : undefined;
}

function parseJson(text: unknown): unknown {
  try {
    return parseExact(String(text), isLost);
  } catch {
    // Text that is not JSON is not an object, which the caller reports.
    return undefined;
  }
}
