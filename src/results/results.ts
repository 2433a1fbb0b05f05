import { parseExact } from '../base/json/exact-numbers.js';
import { oncePer } from '../base/lib/collections.js';
import type { AnswerLimits } from '../base/protocol/limits.js';
import type { Operation } from '../base/protocol/operation.js';
import { answerPage } from './answer-items.js';
import { answerQuery, findMeant, gatheringOf, markPart } from './answer-query.js';
import { type AnswerDeps, answerWhole } from './answer-whole.js';
import { handleGone, NOT_SHARED, pagesElsewhere, refuseControls, resultElsewhere } from './errors.js';
import { detachList, type GatheredList, gatherPages, judgePage } from './pages/gather-pages.js';
import { isComputed, refuseFields } from './query/check-fields.js';
import { writePath } from './query/fields.js';
import { CONTROL_SPECS, PARTS, pathsOf, readsOf } from './query/parts.js';
import { type ControlReading, type QueryFault, refuseFaults } from './query/query-fault.js';
import type {
  CollectionQuery,
  Control,
  ControlSet,
  KeptFor,
  ReadContext,
  ReadData,
  ResultService,
} from './query/result-types.js';
import { presetsOf } from './query/select-fields.js';
import { type PreparedControls, prepareControls, splitControls } from './shape/controls.js';
import { createShapeMemory } from './shape/learned-shape.js';
import { MOST_TOKENS_PER_CHARACTER } from './stored/fit-tokens.js';
import { type Holder, ResultSharing, type ResultSharingOptions } from './stored/result-sharing.js';
import { createResultStore } from './stored/result-store.js';
import { cursorOf } from './write-page.js';

/** Longer answers are not learned from: shorter ones show the same shape, and parsing costs more than passing on. */
const MAX_LEARNED_LENGTH = 20_000;

/** The first answers of an operation are examined, and then one of so many, because a shape that was certain may change. */
const LEARNED_AT_FIRST = 8;
const LEARNED_EVERY = 100;

interface ResultOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Whether an operation's answers are of its caller's own state, which others do not share. */
  readonly isPrivate?: (operation: Operation) => boolean;
  /** What replicas share of results; absent where there are none. */
  readonly replicas?: ResultReplicas | undefined;
}

type ResultReplicas = Pick<ResultSharingOptions, 'bytes' | 'key' | 'isTroubled'>;

/** Creates the service from its parts: learned shapes, the result store, and the queries of callers. */
export function createResultService(
  settings: AnswerLimits,
  { now = Date.now, isPrivate, replicas }: ResultOptions = {},
): ResultService {
  const memory = createShapeMemory(isPrivate);
  const ttlMs = settings.keptSeconds * 1_000;
  const sharing = replicas && new ResultSharing({ ...replicas, ttlMs });
  const stored = createResultStore({ maxBytes: settings.keptBytes, ttlMs, sharing });
  const controlsOf = oncePer(prepareControls);
  const deps: AnswerDeps = { settings, stored, memory, controlsOf, now };
  const isWorthLearning = createSampler();
  const boundOf = ({ answerTokens }: ReadContext): number => answerTokens ?? settings.maxTokens;

  const takesLong: ResultService['takesLong'] = (context, query, bytes) => {
    const fits = boundOf(context) === 0 || bytes <= boundOf(context);
    return !(query === undefined && fits) && workOf(query, controlsOf(context.operation)) * bytes > MOST_WORK;
  };

  const finish: ResultService['finish'] = (context, query, dataText, value, readPage) => {
    const { operation } = context;
    if (query === undefined) {
      if (dataText.length <= MAX_LEARNED_LENGTH && isWorthLearning(operation))
        memory.learn(operation, value ?? JSON.parse(dataText));
      const maxTokens = boundOf(context);
      if (maxTokens === 0 || dataText.length * MOST_TOKENS_PER_CHARACTER <= maxTokens)
        return { dataText, warnings: [] };
      return answerWhole(context, { dataText, value }, deps);
    }
    const data = value ?? parseExact(dataText);
    memory.learn(operation, data);
    const list = findMeant(context, query, data, deps);
    const gathering = gatheringOf(context, query, deps);
    const answer = (gathered: GatheredList | undefined): ReadData =>
      markPart(answerQuery(context, query, { dataText, data, gathered }, deps), dataText);
    if (list === undefined || readPage === undefined) return answer(list && judgePage(list, gathering));
    const pages = gatherPages(list, dataText.length, { ...gathering, readPage });
    if (!(pages instanceof Promise)) return answer(pages);
    return pages.then((gathered) =>
      takesLong(context, query, gathered.characters ?? 0)
        ? { dataText: '', warnings: [], unmade: detachList(gathered) }
        : answer(gathered),
    );
  };

  return {
    controlsOf,
    boundOf,
    takeControls(operation, params) {
      const controls = controlsOf(operation);
      // Most calls ask nothing of their answer.
      if (!Object.keys(params).some((key) => controls.byName.has(key) || key.startsWith('_'))) return { params };
      const { params: upstreamParams, given, unknownControls } = splitControls(controls, operation, params);
      if (given.size === 0 && unknownControls.length === 0) return { params: upstreamParams };
      const { query, faults } = readControls(given, {
        nameOf: (control) => controls.names.get(control) ?? control,
        presets: presetsOf(operation),
      });
      if (faults.length + unknownControls.length > 0)
        return { params: upstreamParams, refusal: refuseControls(operation, unknownControls, faults) };
      const { undeclared, declared } = judgeFields(query, controls);
      if (undeclared.length > 0) {
        const known = (controls.fields ?? []).map(({ name }) => name);
        return {
          params: upstreamParams,
          refusal: { faults: [], error: refuseFields(undeclared, known, operation.name) },
        };
      }
      return { params: upstreamParams, query: declared.length === 0 ? query : { ...query, declared } };
    },
    resume(context, query, isReachable) {
      const cursor = cursorOf(query.page);
      const bringing = cursor === undefined ? undefined : stored.bring({ cursor }, context.caller);
      if (bringing === undefined) return answerPage(context, query, deps, isReachable);
      return bringing.then((elsewhere) => {
        if (elsewhere === undefined) return answerPage(context, query, deps, isReachable);
        throw pagesElsewhere(context.operation, elsewhere);
      });
    },
    finish: sharing === undefined ? finish : onceShared(finish, sharing),
    takesLong,
    passesUnread(context, query, answer) {
      if (query !== undefined || !answer.hasTokens(boundOf(context))) return false;
      return !(isWorthLearning(context.operation, true) && answer.dataBytes <= MAX_LEARNED_LENGTH);
    },
    detach: ({ operation }) => ({
      settings,
      controls: { kind: controlsOf(operation).kind, names: controlsOf(operation).names },
      shape: memory.shapeOf(operation),
      seen: memory.fieldsOf(operation),
      signingKey: stored.signingKey,
      storedBytes: settings.keptBytes,
      now: now(),
    }),
    attach({ operation, caller }, { entries, learned }) {
      for (const entry of entries) stored.keep(entry, caller);
      if (learned !== undefined) memory.note(operation, learned);
      return stored.shared(caller);
    },
    bring(handle, caller) {
      const bringing = stored.bring({ handle }, caller);
      return bringing?.then((elsewhere) => {
        if (elsewhere !== undefined) throw resultElsewhere(handle, elsewhere);
      });
    },
    storedPart(request, caller) {
      const result = stored.findContent(request.handle, caller);
      if (result === undefined) throw handleGone(request.handle);
      const maxTokens = settings.maxTokens === 0 ? settings.keptBytes : settings.maxTokens;
      return { ...result, request, maxTokens, now: now() };
    },
    originOf: (handle, caller) => stored.operationOf(handle, caller),
    async keep(dataText, { operation, ...of }) {
      const holder = holderOf(of);
      const handle = stored.storeResult({ operation, dataText }, holder);
      await stored.shared(holder);
      return handle;
    },
    bringKept: (handle, of) => stored.bring({ handle }, holderOf(of)),
    kept: (handle, owner) => stored.findContent(handle, { sessionId: owner })?.content.toString(),
    endSession: (sessionId) => stored.endSession(sessionId),
  };
}

/** Which fields of a query the output schema declares, and which it does not know. */
function judgeFields(
  query: CollectionQuery,
  { computed = [], declares }: PreparedControls,
): { readonly declared: readonly string[]; readonly undeclared: readonly string[] } {
  const own = pathsOf(query).filter((path) => !isComputed(path, computed));
  const judged = (verdict: boolean): readonly string[] => [
    ...new Set(own.filter((path) => declares(path) === verdict).map(writePath)),
  ];
  return { declared: judged(true), undeclared: judged(false) };
}

/** Kept for an owner with many sessions, as if these were one. */
function holderOf({ owner, caller: { client, user } }: KeptFor): Holder {
  return { sessionId: owner, ...(client === undefined ? {} : { client }), ...(user === undefined ? {} : { user }) };
}

/** Other replicas must find what an answer names before its reader can ask for it. An answer that adds nothing waits for nothing. */
function onceShared(finish: ResultService['finish'], sharing: ResultSharing): ResultService['finish'] {
  return (context, ...answer) => {
    const before = sharing.written(context.caller);
    const share = (read: ReadData): ReadData | Promise<ReadData> => {
      const sharingIt = sharing.written(context.caller);
      if (sharingIt === undefined || sharingIt === before) return read;
      return sharingIt.then((isShared) => (isShared ? read : { ...read, warnings: [...read.warnings, NOT_SHARED] }));
    };
    const finished = finish(context, ...answer);
    return finished instanceof Promise ? finished.then(share) : share(finished);
  };
}

/** Counts the answers of an operation, and says of each whether it is to be examined. @param isAskedAgain whether one that is to be is asked about once more, and counted then */
type Sampler = (operation: Operation, isAskedAgain?: boolean) => boolean;

function createSampler(): Sampler {
  const seen = new WeakMap<Operation, number>();
  return (operation, isAskedAgain = false) => {
    const count = (seen.get(operation) ?? 0) + 1;
    const isExamined = count <= LEARNED_AT_FIRST || count % LEARNED_EVERY === 0;
    if (!isExamined || !isAskedAgain) seen.set(operation, count);
    return isExamined;
  };
}

/**
 * Bytes of an answer, times how often each is read, up to which it is made where it is. Above, a thread makes it: so much takes some 25
 * milliseconds, and twice that in code that runs for the first time.
 */
const MOST_WORK = 5_000_000;

/** Parsing an answer, writing it, keeping it and its items for later: what a query of no condition or a cut takes. */
const LEAST_READS = 10;

/** How often making an answer reads each of its bytes, about: each computed field of a query reads all of them once more. */
function workOf(query: CollectionQuery | undefined, { computed = [] }: ControlSet): number {
  if (query === undefined) return LEAST_READS;
  return (LEAST_READS + readsOf(query)) * (1 + computed.length);
}

/** The operation whose controls are read. */
interface Controlled extends Pick<ControlReading, 'nameOf' | 'presets'> {
  /** Its name, for errors. */
  readonly operation: string;
}

/**
 * A call's controls as one query; undefined where it has none. Throws one `OperationError` that names everything wrong with
 * them. Which fields there are is not known yet: `warnOfFields` looks at those.
 */
export function readQuery(given: ReadonlyMap<Control, unknown>, controlled: Controlled): CollectionQuery | undefined {
  if (given.size === 0) return undefined;
  const { query, faults } = readControls(given, controlled);
  refuseFaults(faults, controlled.operation);
  return query;
}

const NOTHING_ASKED: CollectionQuery = { filter: [], sort: [], includeItems: true, page: { style: 'all' } };

/** The same; returns what is wrong with the controls. */
function readControls(
  given: ReadonlyMap<Control, unknown>,
  { nameOf, presets }: Omit<Controlled, 'operation'>,
): { readonly query: CollectionQuery; readonly faults: readonly QueryFault[] } {
  const reading: ControlReading = { given, nameOf, presets, faults: [] };
  const parts = Object.values(PARTS).map(({ read }) => read(reading));
  const query = Object.assign({}, NOTHING_ASKED, ...parts) as CollectionQuery;
  return { query: query.includeItems ? query : { ...query, ...ineffectiveIn(reading) }, faults: reading.faults };
}

/** A summary has no items, so what is asked of them has no effect; the caller is warned. */
function ineffectiveIn({ given, nameOf }: ControlReading): Pick<CollectionQuery, 'ineffective'> {
  const ineffective = [...given.keys()].filter((control) => PARTS[CONTROL_SPECS[control].part].isOfItems);
  return ineffective.length === 0 ? {} : { ineffective: ineffective.map(nameOf) };
}
