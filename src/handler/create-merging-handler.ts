import type { HandlerCall, HandlerOutcome, OperationHandler } from '../protocol/handler.js';
import type { MergeRule, Operation } from '../protocol/operation.js';
import { createTurns } from './create-turns.js';
import { type Expectation, expectedFields, readExpectation } from './expectation.js';
import { mergeArguments } from './merge-arguments.js';
import { type FindOperation, planRead } from './plan-read.js';
import { questionKey } from './question-key.js';
import { createResourceReader, type ExplainFailure } from './read-resource.js';
import { requireExpected, requireUnchanged } from './require-state.js';
import { versionOf } from './resource.js';

export interface MergingHandlerDeps {
  /** Runs an operation at its upstream, never from a cache. */
  readonly inner: OperationHandler;
  /** Looks in the catalog of the moment. */
  readonly findOperation: FindOperation;
  readonly explainFailure: ExplainFailure;
}

/**
 * Runs UPDATEs with `merge`: reads the resource, checks what the caller expects of it, lays the caller's `input` over it, looks
 * once more whether what is written back or expected is still so, writes, and tells the new version in `_meta.version`. Updates of
 * one resource run one after the other, so that none that comes through this handler overwrites another. All other operations
 * go straight on.
 */
export function createMergingHandler({ inner, findOperation, explainFailure }: MergingHandlerDeps): OperationHandler {
  const readResource = createResourceReader({ inner, explainFailure });
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
    return isFailure(outcome) ? outcome : tellVersion(outcome, await versionAfter(operation, read));
  };
  /** Undefined where it cannot be told: the update has happened, and must not be called a failure. */
  const versionAfter = async (operation: Operation, read: HandlerCall): Promise<string | undefined> => {
    try {
      return versionOf(await readResource(operation, read));
    } catch {
      return undefined;
    }
  };
  const merge = async (call: HandlerCall, rule: MergeRule): Promise<HandlerOutcome> => {
    const expectation = readExpectation(call.operation, call.ifMatch);
    const read = planRead(call, rule, findOperation);
    return takeTurn(questionKey(read), () => update(call, read, expectation));
  };
  return (call) => (call.operation.merge === undefined ? inner(call) : merge(call, call.operation.merge));
}

function isFailure(outcome: HandlerOutcome): boolean {
  return 'toolResult' in outcome && outcome.toolResult.isError === true;
}

function tellVersion(outcome: HandlerOutcome, version: string | undefined): HandlerOutcome {
  if (version === undefined || !('toolResult' in outcome)) return outcome;
  const { toolResult } = outcome;
  return { toolResult: { ...toolResult, _meta: { ...toolResult._meta, version } } };
}
