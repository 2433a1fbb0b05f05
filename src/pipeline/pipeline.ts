import { performance } from 'node:perf_hooks';
import { echoName } from '../lib/text.js';
import type { Observation, Observer } from '../observe/observation.js';
import type { Gatekeeper } from '../policy/admission.js';
import type { CallRecorder } from '../policy/audit-events.js';
import type { QuotaService } from '../policy/quota/quota-types.js';
import type { RawCall } from '../protocol/call.js';
import { InputRequired } from '../protocol/consent.js';
import type { JsonObject } from '../protocol/json.js';
import type { LargeAnswer } from '../protocol/large-answer.js';
import type { PayloadLimits } from '../protocol/limits.js';
import type { Operation } from '../protocol/operation.js';
import type { Reply, Warning } from '../protocol/result.js';
import type { CollectionQuery, ReadContext, ResultService } from '../results/result-types.js';
import { type AuthorizedCall, authorize, type CurrentOperation } from './authorize.js';
import { decode } from './decode.js';
import { dispatch } from './dispatch.js';
import { limitPayload } from './limit.js';
import { route } from './route.js';
import {
  type ExplainFailure,
  type FinishAnswer,
  type PassAnswer,
  shape,
  shapeFailure,
  shapeQuestion,
  shapeStored,
  toOperationError,
} from './shape.js';
import type { Snapshot } from './snapshot.js';
import { throttle } from './throttle.js';
import { validate } from './validate.js';
import { collectWarnings, type WarnedOnce } from './warnings.js';

interface PipelineDeps {
  readonly gatekeeper: Gatekeeper;
  readonly currentOperation: CurrentOperation;
  readonly quota: Pick<QuotaService, 'charge' | 'settle'>;
  readonly limits: PayloadLimits;
  readonly observe: Observer;
  readonly recordCall: CallRecorder;
  readonly results: ResultService;
  /** Whether a session has not had a warning about a subject yet. */
  readonly isFirstWarning: WarnedOnce['isFirstWarning'];
  /** Milliseconds from which a call counts as slow, unless its operation sets its own number. */
  readonly slowMs: number;
  readonly explainFailure: ExplainFailure;
  readonly shapeLarge: ShapeLargeCall;
}

/** Shapes the large answer of one call. @param warnings those that are known before the answer is read */
export type ShapeLargeCall = (
  answer: LargeAnswer,
  context: ReadContext,
  query: CollectionQuery | undefined,
  warnings: readonly Warning[],
) => Promise<Reply>;

/** Takes one call from the parsed request to the written answer. Never rejects. */
type Pipeline = (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;

/** What is known of a call so far, for its audit record and its refusal. */
interface Progress {
  /** `performance.now()` at the start. */
  readonly started: number;
  operation?: Operation;
  arguments?: JsonObject;
}

/**
 * Every call passes the same stages in this order, and every call, including a refused one, is reported to the observer and
 * the audit trail at the end.
 */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const {
    gatekeeper,
    currentOperation,
    quota,
    limits,
    observe,
    recordCall,
    results,
    isFirstWarning,
    slowMs,
    explainFailure,
    shapeLarge,
  } = deps;

  const runStages = async (raw: RawCall, snapshot: Snapshot, progress: Progress): Promise<Reply> => {
    limitPayload(raw.arguments, limits);
    const routed = await route(await decode(raw, snapshot), snapshot);
    progress.operation = routed.operation;
    progress.arguments = routed.params;
    const validated = validate(routed, snapshot, results, gatekeeper);
    progress.operation = validated.operation;
    progress.arguments = validated.arguments;
    if (validated.unchecked !== undefined) observe(uncheckedNotice(validated.operation, validated.unchecked));
    const authorized = await authorize(validated, gatekeeper, currentOperation);
    const { operation, query } = authorized;
    const context = describeContext(authorized);
    const stored = query === undefined ? undefined : results.resume(context, query);
    if (stored !== undefined) {
      const page = shapeStored(stored, limits);
      await quota.settle(operation, raw.caller, () => page.text.length);
      return page;
    }
    const quotaWarnings = await throttle(authorized, quota);
    const outcome = await dispatch(authorized, snapshot);
    const addWarnings = (resultWarnings: readonly Warning[]): readonly Warning[] =>
      collectWarnings({
        operation,
        durationMs: performance.now() - progress.started,
        slowMs,
        isFirstWarning: () => isFirstWarning(raw.caller.sessionId, operation.qualifiedName),
        quotaWarnings,
        resultWarnings,
      });
    const finish: FinishAnswer = async (dataText, value) => {
      const answer = await results.finish(context, query, dataText, value);
      return { ...answer, warnings: addWarnings(answer.warnings) };
    };
    const pass: PassAnswer = (isAtMost) =>
      results.passesUnread(context, query, isAtMost) ? addWarnings([]) : undefined;
    const reply = await shape(authorized, outcome, {
      limits,
      pass,
      finish,
      explainFailure,
      shapeLarge: (answer) => shapeLarge(answer, context, query, addWarnings([])),
    });
    await quota.settle(operation, raw.caller, () => reply.text.length);
    return reply;
  };

  return async (raw, snapshot) => {
    const progress: Progress = { started: performance.now() };
    const reply = await runStages(raw, snapshot, progress).catch((thrown: unknown) => {
      if (thrown instanceof InputRequired) return shapeQuestion(thrown, progress.operation);
      const error = toOperationError(thrown, progress.operation?.name);
      if (error !== thrown) observe({ kind: 'defect', where: 'pipeline', cause: thrown });
      return shapeFailure(error, progress.operation);
    });
    const durationMs = performance.now() - progress.started;
    const { operation, arguments: args } = progress;
    const { code } = reply;
    if (operation !== undefined) {
      recordCall({ operation, arguments: args ?? {}, caller: raw.caller, code, durationMs });
    }
    observe({
      kind: 'call',
      operation: operation?.name ?? echoName(raw.tool),
      upstream: operation?.upstream ?? '',
      category: operation?.classification.category ?? '',
      code,
      durationMs,
      sessionId: raw.caller.sessionId,
    });
    return reply;
  };
}

/** The caller is not told: it can do nothing about it, and the upstream's own answer says what is wrong. */
function uncheckedNotice({ qualifiedName }: Operation, why: string): Observation {
  const message = `Arguments of '${qualifiedName}' go to the upstream without having been checked to the end: ${why}`;
  return { kind: 'notice', level: 'warn', message };
}

function describeContext({ operation, arguments: args, raw: { caller, answerBytes } }: AuthorizedCall): ReadContext {
  return { operation, arguments: args, caller, ...(answerBytes === undefined ? {} : { answerBytes }) };
}
