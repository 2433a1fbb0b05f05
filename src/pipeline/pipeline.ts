import { performance } from 'node:perf_hooks';
import { runInTurns } from '../lib/sliced.js';
import { echoName } from '../lib/text.js';
import { turns } from '../lib/turns.js';
import type { Observation, Observer } from '../observe/observation.js';
import type { Gatekeeper } from '../policy/admission.js';
import type { CallRecorder } from '../policy/audit-events.js';
import type { QuotaService } from '../policy/quota/quota-types.js';
import type { RawCall } from '../protocol/call.js';
import { InputRequired } from '../protocol/consent.js';
import type { JsonObject } from '../protocol/json.js';
import type { PayloadLimits } from '../protocol/limits.js';
import type { Operation } from '../protocol/operation.js';
import type { Reply } from '../protocol/result.js';
import type { ReadContext, ResultService } from '../results/result-types.js';
import { Meter } from '../schema/evaluation.js';
import { type AuthorizedCall, authorize, type CurrentOperation } from './authorize.js';
import { decode } from './decode.js';
import { dispatch } from './dispatch.js';
import { limitPayload } from './limit.js';
import { type RoutedCall, route } from './route.js';
import {
  type ExplainFailure,
  type FinishAnswer,
  shape,
  shapeFailure,
  shapeQuestion,
  shapeStored,
  toOperationError,
} from './shape.js';
import type { Snapshot } from './snapshot.js';
import { throttle } from './throttle.js';
import { type ValidatedCall, validate } from './validate.js';
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
}

/** Takes one call from the parsed request to the written answer. Never rejects. */
type Pipeline = (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;

/** What is known of a call so far, for its audit record and its refusal. */
interface Progress {
  /** `performance.now()` at the start. */
  readonly started: number;
  operation?: Operation;
  arguments?: JsonObject;
}

/** Units of work that the stages of a call cost whatever it asks for: about 0.1 milliseconds. */
const CALL_WORK = 7_000;

/** Wording faults, finding what an unknown name could have meant, and an example: some milliseconds. */
const REFUSAL_WORK = 300_000;

/** A stage takes about so many times as long as looking at the request. */
const STAGE_WEIGHT = 10;

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
  } = deps;

  const runStages = async (raw: RawCall, snapshot: Snapshot, progress: Progress): Promise<Reply> => {
    const lane = raw.caller.sessionId;
    const room = turns.enter(lane);
    if (room !== undefined) await room;
    const weight = limitPayload(raw.arguments, limits);
    turns.spend(CALL_WORK + STAGE_WEIGHT * weight);
    const routed = await route(await decode(raw, snapshot), snapshot);
    progress.operation = routed.operation;
    progress.arguments = routed.params;
    const validated = await validateInTurns(routed, snapshot);
    progress.operation = validated.operation;
    progress.arguments = validated.arguments;
    if (validated.unchecked !== undefined) observe(uncheckedNotice(validated.operation, validated.unchecked));
    // A large request costs work in every stage: it is copied, held against rules, written and recorded.
    const roomToJudge = turns.enter(lane);
    if (roomToJudge !== undefined) await roomToJudge;
    turns.spend(STAGE_WEIGHT * weight);
    const authorized = await authorize(validated, gatekeeper, currentOperation);
    const { operation, query } = authorized;
    const context = describeContext(authorized);
    const stored = query === undefined ? undefined : results.resume(context, query);
    if (stored !== undefined) {
      const page = shapeStored(stored, limits);
      await quota.settle(operation, raw.caller, page.text.length);
      return page;
    }
    const quotaWarnings = await throttle(authorized, quota);
    const outcome = await dispatch(authorized, snapshot);
    const finish: FinishAnswer = async (dataText, value) => {
      const answer = await results.finish(context, query, dataText, value);
      const allWarnings = collectWarnings({
        operation,
        durationMs: performance.now() - progress.started,
        slowMs,
        isFirstWarning: () => isFirstWarning(raw.caller.sessionId, operation.qualifiedName),
        quotaWarnings,
        resultWarnings: answer.warnings,
      });
      return { ...answer, warnings: allWarnings };
    };
    const reply = await shape(authorized, outcome, { limits, finish, explainFailure });
    await quota.settle(operation, raw.caller, reply.text.length);
    return reply;
  };

  const validateInTurns = async (routed: RoutedCall, snapshot: Snapshot): Promise<ValidatedCall> => {
    const lane = routed.raw.caller.sessionId;
    const room = turns.enter(lane);
    if (room !== undefined) await room;
    const meter = new Meter();
    try {
      return await runInTurns(validate(routed, snapshot, results, gatekeeper, meter), lane);
    } finally {
      turns.spend(meter.work);
    }
  };

  return async (raw, snapshot) => {
    const progress: Progress = { started: performance.now() };
    const reply = await runStages(raw, snapshot, progress).catch((thrown: unknown) => {
      turns.spend(REFUSAL_WORK);
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
