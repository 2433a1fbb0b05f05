import { checkArguments } from '../catalog/arguments/bind-arguments.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../protocol/call.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { LargeAnswer } from '../protocol/large-answer.js';
import { type MergeRule, type Operation, pathOf } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { RESOURCE_VERSION } from '../protocol/result.js';
import { WireAnswer } from '../protocol/wire-answer.js';
import { questionKey } from './call-key.js';
import {
  type Expectation,
  expectedFields,
  readExpectation,
  requireExpected,
  requireUnchanged,
} from './precondition.js';
import {
  createResourceReader,
  type ExplainFailure,
  type FindOperation,
  findField,
  findResource,
  planRead,
  versionOf,
} from './resource.js';

interface MergeInterceptorDeps {
  /** Runs an operation at its upstream, never from a cache. */
  readonly inner: OperationHandler;
  /** Runs the read of an update the same way, with policy, budgets and audit as for a call of the update's caller. */
  readonly read: OperationHandler;
  readonly explainFailure: ExplainFailure;
}

/** What a catalog says of updates that merge. */
interface MergeCatalog {
  readonly findOperation: FindOperation;
  /** Where a READ's answer holds the resource that merging updates change; undefined where none of them names the READ. */
  readonly resourcePathOf: (read: Operation) => string | undefined;
}

/** Merges updates of one catalog's operations. All handlers made here share their turns. */
type MergeInterceptor = (catalog: MergeCatalog) => OperationHandler;

/**
 * Runs UPDATEs with `merge`: reads the resource, checks what the caller expects of it, merges the caller's `input` into it,
 * reads again to check that the fields that are written back or expected are unchanged, writes, and gives the new version in
 * `_meta`. Updates of one resource run one after the other, so that none that passes this interceptor overwrites
 * another. All other operations pass unchanged.
 */
export function createMergeInterceptor({
  inner,
  read: runRead,
  explainFailure,
}: MergeInterceptorDeps): MergeInterceptor {
  const readResource = createResourceReader({ inner: runRead, explainFailure });
  const takeTurn = createTurns();

  const update = async (call: HandlerCall, read: HandlerCall, expectation: Expectation): Promise<HandlerOutcome> => {
    const { operation } = call;
    const resource = await readResource(operation, read);
    requireExpected(call, expectation, resource);
    const merged = mergeArguments(operation, call.arguments, resource);
    if (merged.writtenBack.length > 0 || expectation.kind !== 'nothing') {
      const again = await readResource(operation, read);
      const watched = [...merged.writtenBack, ...expectedFields(expectation, resource, again)];
      requireUnchanged(operation, resource, again, [...new Set(watched)]);
    }
    const { ifMatch: _checked, ...write } = call;
    const outcome = await inner({ ...write, arguments: merged.arguments });
    return isFailure(outcome) ? outcome : addVersion(outcome, await versionAfter(operation, read));
  };
  /** Undefined where it cannot be read: the update has happened, so this is not a failure. */
  const versionAfter = async (operation: Operation, read: HandlerCall): Promise<string | undefined> => {
    try {
      return versionOf(await readResource(operation, read));
    } catch {
      return undefined;
    }
  };
  const merge = async (call: HandlerCall, rule: MergeRule, find: FindOperation): Promise<HandlerOutcome> => {
    const expectation = readExpectation(call.operation, call.ifMatch);
    const read = planRead(call, rule, find);
    return takeTurn(questionKey(read), () => update(call, read, expectation));
  };
  /** A READ that merging updates name gives the version that they expect, so that it need not be learned from a conflict. */
  const pass = async (call: HandlerCall, pathOf: MergeCatalog['resourcePathOf']): Promise<HandlerOutcome> => {
    const path = call.operation.classification.category === 'READ' ? pathOf(call.operation) : undefined;
    const outcome = await inner(call);
    if (path === undefined || isFailure(outcome)) return outcome;
    const resource = findResource(outcome, path);
    return resource === undefined ? outcome : addVersion(outcome, versionOf(resource));
  };
  return ({ findOperation, resourcePathOf }) =>
    (call) => {
      const { merge: rule } = call.operation;
      return rule === undefined ? pass(call, resourcePathOf) : merge(call, rule, findOperation);
    };
}

function isFailure(outcome: HandlerOutcome): boolean {
  return 'toolResult' in outcome && outcome.toolResult.isError === true;
}

function addVersion(outcome: HandlerOutcome, version: string | undefined): HandlerOutcome {
  if (version === undefined || !('toolResult' in outcome)) return outcome;
  const { toolResult } = outcome;
  if (toolResult instanceof LargeAnswer) return outcome;
  if (toolResult instanceof WireAnswer) return { toolResult: toolResult.withMeta({ [RESOURCE_VERSION]: version }) };
  return { toolResult: { ...toolResult, _meta: { ...toolResult._meta, [RESOURCE_VERSION]: version } } };
}

/**
 * A value with a change merged into it (specification, section 4.5.1; the same as RFC 7396): members of objects one by one, null
 * removes a member, and everything else, lists included, replaces what was there.
 */
export function deepMerge(current: unknown, change: unknown): unknown {
  if (!isJsonObject(change)) return change;
  const base = isJsonObject(current) ? current : {};
  const names = new Set([...Object.keys(base), ...Object.keys(change)]);
  const members = [...names].flatMap((name): readonly [string, unknown][] => {
    const present = Object.hasOwn(base, name) ? base[name] : undefined;
    if (!Object.hasOwn(change, name)) return [[name, present]];
    return change[name] === null ? [] : [[name, deepMerge(present, change[name])]];
  });
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(members);
}

/** Runs the tasks of one key one after the other, in the order in which they came; other keys do not wait. */
type TakeTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

function createTurns(): TakeTurn {
  const lastOf = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const turn = (lastOf.get(key) ?? Promise.resolve()).then(task);
    const over = turn.catch(() => undefined);
    lastOf.set(key, over);
    try {
      return await turn;
    } finally {
      if (lastOf.get(key) === over) lastOf.delete(key);
    }
  };
}

interface MergedArguments {
  readonly arguments: JsonObject;
  /** The resource's fields whose values are written back: they must not change before that. */
  readonly writtenBack: readonly string[];
}

/**
 * An update's arguments merged with the resource: objects are merged and all other values are the caller's. A field that the
 * caller left out is sent with its present value where the upstream requires it, or replaces the whole resource; else not at
 * all. Where the whole is replaced, null removes a field by leaving it out.
 * @throws OperationError when the whole does not fit the tool's schema, or cannot be written back as it was
 */
function mergeArguments(operation: Operation, args: JsonObject, resource: JsonObject): MergedArguments {
  const merged = new Map(Object.entries(args));
  const writtenBack: string[] = [];
  for (const parameter of operation.parameters.filter(({ place }) => place === 'input')) {
    const { upstreamName } = parameter;
    const field = findField(resource, parameter);
    const present = field === undefined ? undefined : resource[field];
    const given = merged.get(upstreamName);
    const isNeeded = isRequired(operation, upstreamName);
    if (given === null && writesWhole(operation) && !isNeeded) {
      merged.delete(upstreamName);
      continue;
    }
    const isSent = isNeeded || (writesWhole(operation) && present !== null);
    const isFilled = field !== undefined && !merged.has(upstreamName) && isSent;
    if (isFilled) merged.set(upstreamName, present);
    if (isJsonObject(given)) merged.set(upstreamName, deepMerge(present, given));
    if (field === undefined || !(isFilled || (isJsonObject(given) && isJsonObject(present)))) continue;
    requireExact(operation, field, present, given);
    writtenBack.push(field);
  }
  const all = Object.fromEntries(merged);
  requireFit(operation, all);
  return { arguments: all, writtenBack };
}

function writesWhole({ merge }: Operation): boolean {
  return merge?.writes === 'whole';
}

function isRequired({ inputSchema }: Operation, upstreamName: string): boolean {
  const { required } = inputSchema;
  return Array.isArray(required) && required.includes(upstreamName);
}

function requireExact(operation: Operation, field: string, present: unknown, given: unknown): void {
  const place = findInexactNumber(present, given, field);
  if (place === undefined) return;
  const message = `Internal error: 'the update was not attempted: ${place} holds a number of more digits than can be written back'`;
  throw new OperationError('INTERNAL_ERROR', message, { operation: operation.name, field: place, outcome: 'not_run' });
}

function requireFit(operation: Operation, args: JsonObject): void {
  const faults = checkArguments(operation, args);
  const [fault] = faults;
  if (fault === undefined) return;
  const kept = operation.parameters.filter(({ upstreamName }) => args[upstreamName] === null).map(pathOf);
  const unremovable = faults.filter(({ param }) => kept.includes(param)).map(({ param }) => param);
  if (unremovable.length > 0) throw cannotRemove(operation, unremovable);
  throw new OperationError(
    fault.code,
    `The update was not attempted: merged with the present values, it does not fit the tool's schema. ${faults.map(({ message }) => message).join('. ')}`,
    {
      operation: operation.name,
      param_name: fault.param,
      ...(faults.length > 1 ? { faults } : {}),
      outcome: 'not_run',
    },
  );
}

function cannotRemove(operation: Operation, params: readonly string[]): OperationError {
  const names = params.map((param) => `'${param}'`).join(', ');
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `The update was not attempted: ${names} cannot be removed, because the tool takes no null for it. Give it another value`,
    { operation: operation.name, param_name: params[0], actual_type: 'null', outcome: 'not_run' },
  );
}

/** The end of 64-bit integers; a larger number is taken for a measurement, where rounding does no harm. */
const MAX_ID = 2 ** 64;

/**
 * Where a value holds an integer that was rounded when it was read (an id of 64 bits), outside of what a change replaces:
 * written back it would be another number. Undefined where there is none.
 */
function findInexactNumber(value: unknown, change: unknown, path: string): string | undefined {
  if (typeof value === 'number') return isRounded(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const isChanged = isJsonObject(change) && Object.hasOwn(change, name);
    const next = isChanged ? change[name] : undefined;
    if (isChanged && !isJsonObject(next)) continue;
    const found = findInexactNumber(member, next, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < MAX_ID;
}
