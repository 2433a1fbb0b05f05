import { performance } from 'node:perf_hooks';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import type { Observation, Observer } from '../../base/observe/observation.js';
import type { Caller, HandlerHost, HandlerOutcome, RawCall } from '../../base/protocol/call.js';
import { InputRequired } from '../../base/protocol/consent.js';
import type { AnswerParts } from '../../base/protocol/inner-call.js';
import { holdsManyValues, LargeAnswer } from '../../base/protocol/large-answer.js';
import { limitPayload } from '../../base/protocol/limit-payload.js';
import type { PayloadLimits } from '../../base/protocol/limits.js';
import { GATEWAY_SOURCE, type Operation, originOf } from '../../base/protocol/operation.js';
import { NothingFound, OperationError } from '../../base/protocol/operation-error.js';
import { type Reply, SESSION_ID, type Warning } from '../../base/protocol/result.js';
import type { CallTrace } from '../../base/protocol/trace-context.js';
import { readToolResult, WireAnswer } from '../../base/protocol/wire-answer.js';
import { turns } from '../../base/turns/turns.js';
import { PassthroughTool } from '../../catalog/endpoint/passthrough-tools.js';
import type { Charged, QuotaService } from '../../policy/quota/quota-types.js';
import type { CallRecorder } from '../../policy/rules/gatekeeper.js';
import type { BatchPolicy, Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import type { CollectionQuery, DetachedList, ReadContext, ResultService } from '../../results/query/result-types.js';
import { type AuthorizedCall, authorize, dispatch, policyRequestOf, previewOf, requireUnchanged } from './authorize.js';
import { type BackgroundCalls, requireBackground } from './background.js';
import { decode, isEmpty, route } from './decode.js';
import { mayDirect } from './directives.js';
import { describeDryRun } from './dry-run.js';
import { createInnerCalls, noteAnswer, type PipelineCalls } from './inner-calls.js';
import { withNextStep } from './next-step.js';
import { withNotHere } from './not-here.js';
import type { ExplainFailure } from './read-tool-failure.js';
import { recallName, recallParams } from './recall-call.js';
import { toResultData } from './result-data.js';
import {
  charactersOf,
  handOver,
  LARGE_TEXT,
  reshapeFailure,
  shapeFailedTool,
  shapeFailure,
  shapeOwn,
  shapeQuestion,
  shapeRead,
  shapeStored,
  shapeUnread,
  toOperationError,
  withMeta,
} from './shape.js';
import { shapeNative, shapePassthrough } from './shape-without-envelope.js';
import type { Snapshot } from './snapshot.js';
import { type DropIgnored, type ValidatedCall, validate } from './validate.js';
import {
  collectWarnings,
  ignoredWarning,
  leftOutWarning,
  passedOnWarning,
  unknownMembersWarning,
  type WarnedOnce,
} from './warnings.js';

/** The snapshots of this moment; they may be newer than a call's. */
interface SnapshotSource {
  current(caller: Caller): Snapshot;
  /** One that knows the present definition of this tool. */
  currentFor(caller: Caller, tool: Pick<Operation, 'upstream' | 'tool'>): Promise<Snapshot>;
  /** One with all that servers have announced, and whether any of that was read for this. @param tool undefined where any server may have it */
  afterNews(
    caller: Caller,
    tool: Pick<Operation, 'upstream' | 'tool'> | undefined,
  ): Promise<{ readonly isRead: boolean; readonly snapshot: Snapshot }>;
}

export interface PipelineDeps {
  readonly gatekeeper: Gatekeeper;
  readonly askAhead: BatchPolicy['askAhead'];
  readonly catalog: SnapshotSource;
  readonly quota: Pick<QuotaService, 'charge' | 'chargeParts' | 'isIdle' | 'status'>;
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
  readonly dropIgnored: DropIgnored;
  /** The calls that may go on in the background; absent where none may. */
  readonly openBackground?: ((calls: PipelineCalls) => BackgroundCalls) | undefined;
}

/** Shapes the answer of one call that a thread reads. @param asked `pages` is the list that the query means, where it was read page by page. @param warnings those that are known before the answer is read */
export type ShapeLargeCall = (
  answer: LargeAnswer | WireAnswer,
  context: ReadContext,
  asked: { readonly query: CollectionQuery | undefined; readonly pages?: DetachedList | undefined },
  warnings: readonly Warning[],
) => Promise<Reply>;

interface Pipeline {
  /** Takes one call from the parsed request to the written answer. Never rejects. */
  readonly answer: (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;
  /** The way of calls within calls. */
  readonly calls: PipelineCalls;
}

const ANSWERS_LANE = 'answers';

/** Large answers that arrive together are read one a turn, and each is read and cut in different turns. Undefined where it is none. */
function takeTurn(characters: number): Promise<void> | undefined {
  if (characters < LARGE_TEXT) return undefined;
  return (turns.enter(ANSWERS_LANE) ?? Promise.resolve()).then(() => turns.spend(characters));
}

/** A call that may be judged, and whether each of its stages takes milliseconds. */
interface ReadCall {
  readonly validated: ValidatedCall;
  readonly isLarge: boolean;
  /** What it was judged by. */
  readonly snapshot: Snapshot;
}

/** What is known of a call so far, for its audit record and its refusal. */
interface Progress {
  /** `performance.now()` at the start. */
  readonly started: number;
  readonly trace?: CallTrace | undefined;
  operation?: Operation;
  arguments?: JsonObject;
  /** What the answer of one of the gateway's own operations is made of. */
  parts?: AnswerParts;
  isDryRun?: boolean | undefined;
  snapshot: Snapshot;
}

/** What a call that reached no operation asked for. */
function nameSent({ tool, arguments: given }: RawCall): string {
  const name = isJsonObject(given) ? given['operation'] : undefined;
  return echoName(typeof name === 'string' ? name : tool);
}

/** From this weight on (thousands of values) a request's stages have a turn each: together they would fill several. */
const LARGE_WEIGHT = 20_000;

/**
 * Every call passes the same stages in this order, and every call, including a refused one, is reported to the observer and
 * the audit trail at the end.
 */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const {
    gatekeeper,
    catalog,
    quota,
    limits,
    observe,
    recordCall,
    results,
    isFirstWarning,
    slowMs,
    explainFailure,
    shapeLarge,
    openBackground,
    dropIgnored,
  } = deps;

  const readBy = async (raw: RawCall, snapshot: Snapshot, progress: Progress): Promise<ReadCall> => {
    progress.snapshot = snapshot;
    const lane = raw.caller.sessionId;
    progress.trace?.enter('limit');
    const room = turns.enter(lane);
    if (room !== undefined) await room;
    const isLarge = limitPayload(raw.arguments, limits) > LARGE_WEIGHT;
    if (isLarge) await turns.next(lane);
    progress.trace?.enter('decode');
    const { arguments: request } = raw;
    const isNamed = !isJsonObject(request) || !isEmpty(request['operation']);
    const named = isNamed ? raw : await recallName(raw, request, gatekeeper, snapshot);
    const reached = await route(await decode(named, snapshot), snapshot);
    const routed = mayDirect(reached.params) ? await recallParams(reached, gatekeeper) : reached;
    progress.operation = routed.operation;
    progress.arguments = routed.params;
    progress.trace?.enter('validate');
    if (routed.operation.primitive !== undefined) await snapshot.targets?.prepare(routed.operation, routed.params);
    const validated = validate(routed, snapshot, results, gatekeeper, dropIgnored);
    progress.operation = validated.operation;
    progress.arguments = validated.arguments;
    return { validated, isLarge, snapshot };
  };

  /** By the definition that is about to hold where its list has come; what is refused, once more by what servers have announced meanwhile. */
  const readCall = async (raw: RawCall, snapshot: Snapshot, progress: Progress): Promise<ReadCall> => {
    try {
      const read = await readBy(raw, snapshot, progress);
      const { operation } = read.validated;
      const current = await catalog.currentFor(raw.caller, operation);
      const isSame = current === snapshot || current.catalog.find(operation.qualifiedName) === operation;
      return isSame ? read : await readBy(raw, current, progress);
    } catch (refusal) {
      const { operation } = progress;
      const isUnknown = refusal instanceof NothingFound;
      if (!isUnknown && (operation === undefined || !isRefusedBySchema(refusal))) throw refusal;
      const now = await catalog.afterNews(raw.caller, isUnknown ? undefined : operation);
      if (!now.isRead && now.snapshot === snapshot) throw refusal;
      return readBy(raw, now.snapshot, progress);
    }
  };

  const runStages = async (raw: RawCall, known: Snapshot, progress: Progress): Promise<Reply> => {
    const lane = raw.caller.sessionId;
    const { validated, isLarge, snapshot } = await readCall(raw, known, progress);
    progress.isDryRun = validated.directives.dryRun;
    if (progress.isDryRun === true)
      return shapeOwn(
        { data: await describeDryRun(validated, deps), warnings: warningsOf(validated, results) },
        limits,
      );
    if (validated.unchecked !== undefined) observe(uncheckedNotice(validated.operation, validated.unchecked));
    progress.trace?.enter('authorize');
    // A large request costs work in every stage: it is copied, held against rules, written and recorded.
    const roomToJudge = isLarge ? turns.next(lane) : turns.enter(lane);
    if (roomToJudge !== undefined) await roomToJudge;
    if (validated.directives.background !== undefined) requireBackground(validated, background !== undefined);
    const currentOperation = async (operation: Operation): Promise<Operation | undefined> => {
      const current = await catalog.currentFor(raw.caller, operation);
      return current.catalog.find(operation.qualifiedName);
    };
    // Of most operations it is known here that there is nothing to read.
    const preview = validated.operation.merge === undefined ? undefined : previewOf(validated, snapshot, host);
    const authorized = await authorize(validated, gatekeeper, currentOperation, preview);
    if (isLarge) await turns.next(lane);
    const begun = background?.prepare(authorized);
    const call = begun?.call ?? authorized;
    const { operation, query } = call;
    const { caller, answerTokens } = call.raw;
    const context: ReadContext = { operation, arguments: call.arguments, caller, asked: call.asked, answerTokens };
    const stored = query === undefined ? undefined : await results.resume(context, query, snapshot.isReachable);
    // Only the gateway's own operations read on in an answer that is stored, and have answers that are made of others.
    const isOwn = operation.upstream === GATEWAY_SOURCE;
    const partsOf =
      stored === undefined
        ? isOwn
          ? await snapshot.partsOf(call, caller)
          : NO_PARTS
        : [operation, ...(stored.madeOf ?? []).flatMap(snapshot.operationsOf)];
    const run = (quotaWarnings: readonly Warning[]): Reply | Promise<Reply> => {
      if (stored !== undefined) return shapeStored(stored, limits);
      const own = warningsOf(validated, results);
      const warnings = own.length === 0 ? quotaWarnings : [...quotaWarnings, ...own];
      return runCall(call, context, snapshot, progress, warnings);
    };
    progress.trace?.enter('throttle');
    const charged = quota.isIdle ? undefined : await throttle(call, quota, partsOf);
    const { within } = call.raw;
    if (isOwn || begun !== undefined || within?.parts !== undefined) {
      const parts: AnswerParts = new Map(partsOf.map((part) => [part, 0]));
      progress.parts = parts;
      const finish = async (): Promise<Reply> => {
        let reply: Reply;
        try {
          reply = await runCharged(charged, run, call.raw);
        } catch (thrown) {
          reply = shapeRefusal(thrown, progress);
        }
        const { length } = reply.text;
        if (within?.parts === undefined) await quota.chargeParts(parts, { operation, caller }, length);
        else noteAnswer(within.parts, { operation, partsOf, parts }, length);
        return reply;
      };
      return await (begun === undefined ? finish() : begun.follow(finish, parts));
    }
    // A promise that is returned without `await` costs two more turns of the microtask queue.
    return await (charged === undefined ? run(NO_WARNINGS) : runCharged(charged, run, call.raw));
  };

  const runCall = async (
    call: AuthorizedCall,
    asked: ReadContext,
    snapshot: Snapshot,
    { started, trace, parts }: Progress,
    quotaWarnings: readonly Warning[],
  ): Promise<Reply> => {
    const { operation, query, raw } = call;
    trace?.enter('dispatch');
    const outcome = await dispatch(call, snapshot, host, parts);
    if (raw.take !== undefined) return handOut(outcome, raw.take);
    trace?.enter('shape');
    const context =
      parts === undefined || parts.size === 0
        ? asked
        : { ...asked, madeOf: [...parts.keys()].map((part) => originOf(part)) };
    const notices = 'toolResult' in outcome ? (outcome.warnings ?? NO_WARNINGS) : NO_WARNINGS;
    const earlyWarnings = notices.length === 0 ? quotaWarnings : [...quotaWarnings, ...notices];
    const addWarnings = (resultWarnings: readonly Warning[]): readonly Warning[] => {
      const durationMs = performance.now() - started;
      const isPlain = operation.deprecated === undefined && durationMs <= (operation.slowMs ?? slowMs);
      // Most calls have none.
      if (isPlain && earlyWarnings.length === 0 && resultWarnings.length === 0) return NO_WARNINGS;
      return collectWarnings({
        operation,
        durationMs,
        slowMs,
        isFirstWarning: () => isFirstWarning(raw.caller.sessionId, operation.qualifiedName),
        quotaWarnings: earlyWarnings,
        resultWarnings,
      });
    };
    if ('native' in outcome) return shapeNative(outcome.native, limits);
    if (!('toolResult' in outcome)) return shapeOwn(outcome, limits);
    const { toolResult } = outcome;
    const { warnings = NO_WARNINGS } = outcome;
    const shapeElsewhere = async (answer: LargeAnswer | WireAnswer, pages?: DetachedList): Promise<Reply> => {
      const reply = await shapeLarge(answer, context, { query, pages }, addWarnings(warnings));
      return reply.code === 'OK' || reply.passthrough !== undefined
        ? reply
        : reshapeFailure(reply, operation, (error) => withNextStep(error, operation, snapshot));
    };
    if (toolResult instanceof LargeAnswer) return shapeElsewhere(toolResult);
    const characters = charactersOf(toolResult);
    const room = takeTurn(characters);
    if (room !== undefined) await room;
    if (operation.passthrough !== undefined) {
      const code =
        toolResult.isError === true ? explainFailure(operation, call.arguments, readToolResult(toolResult)).code : 'OK';
      return shapePassthrough(toolResult, { code, warnings: addWarnings(NO_WARNINGS), limits });
    }
    if (toolResult instanceof WireAnswer) {
      const passes = results.passesUnread(context, query, toolResult);
      if (passes) return shapeUnread(toolResult, addWarnings(NO_WARNINGS), limits);
      if (holdsManyValues(toolResult.text, toolResult.isJson ? 'inJson' : 'inText')) return shapeElsewhere(toolResult);
    }
    if (results.takesLong(context, query, characters)) return shapeElsewhere(handOver(toolResult, call));
    const result = toolResult instanceof WireAnswer ? toolResult.read() : toolResult;
    if (result.isError === true) {
      const explained = explainFailure(operation, call.arguments, result);
      const failure = withNextStep(withNotices(explained, notices), operation, snapshot);
      return shapeFailedTool(failure, operation, result, limits);
    }
    const data = toResultData(result, results.boundOf(context), query !== undefined);
    const roomToAnswer = takeTurn(data.dataText.length);
    if (roomToAnswer !== undefined) await roomToAnswer;
    const answer = await results.finish(context, query, data.dataText, data.value, (args) => readPage(call, args));
    if (answer.unmade !== undefined) return shapeElsewhere(handOver(toolResult, call), answer.unmade);
    return shapeRead(result, data, { ...answer, warnings: addWarnings([...warnings, ...answer.warnings]) }, limits);
  };

  const readPage = async ({ operation, raw }: AuthorizedCall, params: JsonObject): Promise<string> => {
    const { upstream, qualifiedName: name } = operation;
    return (await calls.sendTo(raw, { kind: 'page', upstream, name, params })).text;
  };

  const shapeRefusal = (thrown: unknown, { operation, arguments: args, snapshot }: Progress): Reply => {
    if (thrown instanceof InputRequired) return shapeQuestion(thrown, operation);
    const error = toOperationError(thrown, operation?.name);
    if (error !== thrown) observe({ kind: 'defect', where: 'pipeline', cause: thrown });
    const told = withNotHere(error, snapshot);
    return shapeFailure(operation === undefined ? told : withNextStep(told, operation, snapshot), operation, args);
  };

  const answer: Pipeline['answer'] = async (raw, snapshot) => {
    const progress: Progress = { started: performance.now(), trace: raw.trace, snapshot };
    let reply: Reply;
    try {
      reply = await runStages(raw, snapshot, progress);
    } catch (thrown) {
      reply = shapeRefusal(thrown, progress);
    }
    const identified =
      reply.code === 'OK' ? reply : withSession(markRefusal(reply, raw, progress.snapshot), raw.caller);
    const durationMs = performance.now() - progress.started;
    const { operation, arguments: args } = progress;
    const { code } = reply;
    const isDryRun = code === 'OK' && progress.isDryRun === true;
    const called = operation ?? nameSent(raw);
    const ended = { operation: called, arguments: args ?? {}, caller: raw.caller, durationMs };
    recordCall({ ...ended, code: isDryRun ? 'DRY_RUN' : code });
    raw.notes?.note(operation === undefined ? { code } : { code, operation: operation.name });
    // A tool that a client made up is no name for a trace.
    raw.trace?.end(code, operation === undefined ? undefined : raw.tool, operation);
    observe({
      kind: 'call',
      operation: operation?.name ?? echoName(raw.tool),
      upstream: operation?.upstream ?? '',
      category: operation?.classification.category ?? '',
      code,
      durationMs,
      sessionId: raw.caller.sessionId,
      ...(raw.caller.requestId === undefined ? {} : { requestId: raw.caller.requestId }),
      ...(raw.caller.client === undefined ? {} : { client: raw.caller.client }),
      ...(isDryRun && { isDryRun }),
    });
    return identified;
  };
  const foresee = async (raw: RawCall, snapshot: Snapshot): Promise<PolicyRequest> =>
    policyRequestOf((await readCall(raw, snapshot, { started: performance.now(), snapshot })).validated);
  const calls = createInnerCalls({
    current: (caller) => catalog.current(caller),
    answer,
    foresee,
    askAhead: deps.askAhead,
    gatekeeper,
  });
  const background = openBackground?.(calls);
  const host: HandlerHost = {
    requireCurrent: async (operation, caller) =>
      requireUnchanged(operation, await catalog.currentFor(caller, operation)),
    calls,
  };
  return { answer, calls };
}

/** Whether the schema that is known refuses the arguments. */
function isRefusedBySchema(refusal: unknown): boolean {
  return refusal instanceof OperationError && refusal.code.startsWith('VALIDATION_');
}

/** Clients of an upstream's own tool know nothing of envelopes: to them a refusal is an error. */
function markRefusal(reply: Reply, { tool }: RawCall, { plan }: Snapshot): Reply {
  const isOwn = reply.passthrough === undefined && plan.reachOf(tool) instanceof PassthroughTool;
  return isOwn ? { ...reply, isError: true, marked: true } : reply;
}

/** A failure of a tool with what its caller should know beside it. */
function withNotices(error: OperationError, notices: readonly Warning[]): OperationError {
  if (notices.length === 0) return error;
  return new OperationError(error.code, error.message, { ...error.details, warnings: notices }, { cause: error.cause });
}

/** Runs a call that counts against budgets, where there are some. */
async function runCharged(
  charged: Charged | undefined,
  run: (quotaWarnings: readonly Warning[]) => Reply | Promise<Reply>,
  { within }: Pick<RawCall, 'within'>,
): Promise<Reply> {
  if (charged === undefined) return await run(NO_WARNINGS);
  try {
    const reply = await run(charged.warnings);
    // Of what becomes a part of the outer call's answer, that one is counted.
    await charged.settle(() => (within?.answer === 'share' ? 0 : reply.text.length));
    return reply;
  } catch (fault) {
    // It has no answer: what was reserved for one is given back.
    await charged.settle(() => 0);
    throw fault;
  }
}

const NO_WARNINGS: readonly Warning[] = [];
const NO_PARTS: readonly Operation[] = [];

/**
 * Counts the call against its budgets; undefined where none applies. A call is refused here when a rate limit or a quota is used
 * up, or when a quota pauses until the caller sends a token.
 * @param partsOf the operations of the stored answer that the call reads on
 */
function throttle(
  { operation, arguments: args, raw, directives }: AuthorizedCall,
  quota: Pick<QuotaService, 'charge'>,
  partsOf: readonly Operation[],
): undefined | Promise<Charged> {
  const { caller, answerTokens, within } = raw;
  const continueToken = directives.quotaContinue;
  const isPart = within?.answer === 'share';
  const delivered = raw.delivered !== false && within?.answer !== 'none';
  return quota.charge({ operation, arguments: args, caller, continueToken, partsOf, answerTokens, delivered, isPart });
}

/** For debugging (specification, section 2.3.5): where clients and logs see it, and no model has to read it. */
function withSession(reply: Reply, { sessionId }: Caller): Reply {
  return withMeta(reply, { [SESSION_ID]: sessionId });
}

/** What the caller should know of the arguments that were sent. */
function warningsOf(
  { leftOut, unknown, ignored, operation, arguments: args }: ValidatedCall,
  { controlsOf }: Pick<ResultService, 'controlsOf'>,
): readonly Warning[] {
  const passedOn = operation.strict ? undefined : passedOnWarning(args, controlsOf(operation), operation);
  if (leftOut === undefined && unknown === undefined && ignored === undefined && passedOn === undefined)
    return NO_WARNINGS;
  return [
    ...(passedOn === undefined ? [] : [passedOn]),
    ...(leftOut === undefined ? [] : [leftOutWarning(leftOut)]),
    ...(unknown === undefined ? [] : [unknownMembersWarning(unknown)]),
    ...(ignored === undefined ? [] : [ignoredWarning(ignored)]),
  ];
}

/** The caller is not told: it can do nothing about it, and the upstream's own answer says what is wrong. */
function uncheckedNotice({ qualifiedName }: Operation, why: string): Observation {
  const message = `Arguments of '${qualifiedName}' go to the upstream without having been checked to the end: ${why}`;
  return { kind: 'notice', level: 'warn', message };
}

/** The outcome of a call whose answer is not written. */
function handOut(outcome: HandlerOutcome, take: NonNullable<RawCall['take']>): Reply {
  take(outcome);
  const isError = 'toolResult' in outcome && outcome.toolResult.isError === true;
  return { text: '', blocks: [], isError, code: isError ? 'INTERNAL_ERROR' : 'OK' };
}
