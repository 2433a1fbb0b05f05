import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import type { JsonObject } from '../../base/json/json.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../base/protocol/call.js';
import { LargeAnswer } from '../../base/protocol/large-answer.js';
import type { MergeRule, Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { RESOURCE_VERSION } from '../../base/protocol/result.js';
import type { UpdatePreview } from '../../base/protocol/update-preview.js';
import { WireAnswer } from '../../base/protocol/wire-answer.js';
import { questionKey } from './call-key.js';
import { mergeArguments } from './merge-arguments.js';
import {
  type Expectation,
  expectedFields,
  listChanges,
  readExpectation,
  requireAgreed,
  requireExpected,
  requireUnchanged,
} from './precondition.js';
import {
  createResourceReader,
  type ExplainFailure,
  type FindOperation,
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

/** Merges updates of one catalog's operations. */
interface MergingUpdates {
  readonly handle: OperationHandler;
  /** Undefined for an operation that does not merge. */
  readonly previewOf: (operation: Operation) => PreviewUpdate | undefined;
}

/**
 * Reads what an update would change, as its caller, and writes nothing. Rejects with an `OperationError` where the call would be
 * refused whoever agrees to it; that the resource cannot be read is no such reason.
 */
export type PreviewUpdate = (call: HandlerCall) => Promise<UpdatePreview>;

/** All that is made here shares the turns of updates. */
type MergeInterceptor = (catalog: MergeCatalog) => MergingUpdates;

/**
 * Runs UPDATEs with `merge`: reads the resource, checks what the caller expects of it, merges the caller's `input` into it,
 * reads again to check that the fields that are written back, expected or agreed upon are unchanged, writes, and gives the new version in
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
    const agreed = requireAgreed(call, resource, merged.after);
    if (merged.writtenBack.length > 0 || expectation.kind !== 'nothing' || agreed.length > 0) {
      const again = await readResource(operation, read);
      const watched = [...merged.writtenBack, ...agreed, ...expectedFields(expectation, resource, again)];
      requireUnchanged(operation, resource, again, [...new Set(watched)]);
    }
    const { ifMatch: _checked, agreedChanges: _kept, ...write } = call;
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
  const preview = async (call: HandlerCall, rule: MergeRule, find: FindOperation): Promise<UpdatePreview> => {
    const { operation } = call;
    const expectation = readExpectation(operation, call.ifMatch);
    const read = planRead(call, rule, find);
    let before: JsonObject;
    try {
      before = await readResource(operation, read);
    } catch (problem) {
      if (!(problem instanceof OperationError)) throw problem;
      const { message } = problem.cause instanceof OperationError ? problem.cause : problem;
      return { known: false, why: message };
    }
    requireExpected(call, expectation, before);
    const { after } = mergeArguments(operation, call.arguments, before);
    const shown = { before: unmarkedWithin(before), after: unmarkedWithin(after) };
    return { known: true, read: read.operation.name, ...shown, ...listChanges(before, after) };
  };
  /** A READ that merging updates name gives the version that they expect, so that it need not be learned from a conflict. */
  const pass = async (call: HandlerCall, pathOf: MergeCatalog['resourcePathOf']): Promise<HandlerOutcome> => {
    const path = call.operation.classification.category === 'READ' ? pathOf(call.operation) : undefined;
    const outcome = await inner(call);
    if (path === undefined || isFailure(outcome)) return outcome;
    const resource = findResource(outcome, path);
    return resource === undefined ? outcome : addVersion(outcome, versionOf(resource));
  };
  return ({ findOperation, resourcePathOf }) => ({
    handle(call) {
      const { merge: rule } = call.operation;
      return rule === undefined ? pass(call, resourcePathOf) : merge(call, rule, findOperation);
    },
    previewOf: ({ merge: rule }) => (rule === undefined ? undefined : (call) => preview(call, rule, findOperation)),
  });
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
