import { isDeepStrictEqual } from 'node:util';
import { quoteValues } from '../lib/text.js';
import { isJsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { Warning } from '../protocol/result.js';
import { type AnswerDeps, answerWhole, boundOf, isSameQuestion, questionOf, sourceOf } from './answer-whole.js';
import { cursorGone, noSuchList, notWithCursor } from './errors.js';
import { parseExact, writeExact } from './exact-numbers.js';
import { checkFields, findKnownFields } from './query/check-fields.js';
import { writePath } from './query/fields.js';
import { project, projectionOf, type QueryOutcome, runQuery } from './query/run-query.js';
import { runAtOnce, type Sliced } from './query/sliced.js';
import type { CollectionQuery, FieldPath, ReadContext, ReadData } from './result-types.js';
import { candidateLists, type LocatedList, locateList, onlyText } from './shape/locate-list.js';
import { type CursorPosition, type PageCursors, packTexts } from './stored/result-store.js';
import { cursorOf, cutRange, writePage } from './write-page.js';

/** A member beside a list is sent with the list's items if it is about as short as an item. */
const MAX_BESIDE_LENGTH = 1_000;

/** Items by which presets choose their fields: the same ones for every page. */
const SAMPLE = 200;

/** An upstream's answer, as it came and parsed. */
interface WholeAnswer {
  readonly dataText: string;
  readonly data: unknown;
}

/** An answer as the caller wants it, all at once: for a thread that nothing else waits for. */
export function finishAnswer(
  context: ReadContext,
  query: CollectionQuery | undefined,
  { dataText, value }: { readonly dataText: string; readonly value: unknown },
  deps: AnswerDeps,
): ReadData {
  if (query === undefined) return runAtOnce(answerWhole(context, dataText, deps));
  const data = value ?? parseExact(dataText);
  deps.memory.learn(context.operation, data);
  return markPart(runAtOnce(answerQuery(context, query, { dataText, data }, deps)), dataText);
}

/** Says of an answer whether it is no longer the whole one. */
export function markPart(answer: ReadData, dataText: string): ReadData {
  return answer.dataText === dataText ? answer : { ...answer, isPart: true };
}

/** Applies the caller's controls to an upstream's answer. What they cannot be applied to comes whole, with a warning. */
export function* answerQuery(
  context: ReadContext,
  query: CollectionQuery,
  answer: WholeAnswer,
  deps: AnswerDeps,
): Sliced<ReadData> {
  const { operation } = context;
  const { data, dataText } = answer;
  const isFieldsAlone = choosesFieldsAlone(query);
  if (isFieldsAlone && selectsEverything(query, operation)) return yield* answerWhole(context, dataText, deps);
  const list =
    query.collection === undefined ? findList(context, data, deps) : findAsked(context, query.collection, data, deps);
  if (isFieldsAlone)
    return yield* answerFields(
      context,
      query,
      answer,
      isCollection(list, context, query, deps) ? list : undefined,
      deps,
    );
  if (list === undefined) return yield* answerWithoutList(context, query, answer, deps);
  const source = { ...sourceOf(operation, deps), characters: dataText.length };
  const outcome = yield* runQuery(list.items, query, source);
  return query.includeItems
    ? answerItems(context, query, { list, outcome }, deps)
    : yield* summarise(context, query, { list, outcome }, deps);
}

/** The list that a query means; not one of texts or numbers in an object, such as the labels of an issue. */
function findList({ operation }: ReadContext, data: unknown, { memory }: AnswerDeps): LocatedList | undefined {
  if (operation.collection === null) return undefined;
  const shape = memory.shapeOf(operation);
  const list = locateList(data, shape);
  const isMeant = list?.isWhole === true || shape?.kind === 'collection' || list?.items.some(isJsonObject) === true;
  return isMeant ? list : undefined;
}

/** The list at the caller's path, which may leave out the member whose text is JSON. */
function findAsked(
  { operation }: ReadContext,
  path: FieldPath,
  data: unknown,
  { controlsOf }: AnswerDeps,
): LocatedList {
  const prefix = onlyText(data)?.path ?? [];
  for (const place of [path, [...prefix, ...path]]) {
    const list = locateList(data, { kind: 'collection', path: place, evidence: 'the caller says so' });
    if (list !== undefined && list.evidence !== 'lines' && isDeepStrictEqual(list.path, place)) return list;
  }
  const param = controlsOf(operation).names.get('collection') ?? 'collection';
  throw noSuchList(operation, param, path, candidateLists(data));
}

/** Whether the answer is a list, rather than an object with one. */
function isCollection(
  list: LocatedList | undefined,
  { operation }: ReadContext,
  { collection }: CollectionQuery,
  { memory }: AnswerDeps,
): boolean {
  if (list === undefined || list.evidence === 'lines') return false;
  return collection !== undefined || list.isWhole || memory.shapeOf(operation)?.kind === 'collection';
}

/** `full` means all that there is, unless an operator has a preset of that name. */
function selectsEverything({ fields }: CollectionQuery, { presets = {} }: Operation): boolean {
  return fields?.preset === 'full' && fields.paths.length === 0 && !Object.hasOwn(presets, 'full');
}

/** The answer as it is, or with the fields that were asked for, and a warning that the rest of the query had no effect. */
function* answerWithoutList(
  context: ReadContext,
  query: CollectionQuery,
  answer: WholeAnswer,
  deps: AnswerDeps,
): Sliced<ReadData> {
  const { fields } = query;
  const isPlain = fields === undefined || selectsEverything(query, context.operation);
  const written = isPlain
    ? yield* answerWhole(context, answer.dataText, deps)
    : yield* answerFields(context, query, answer, undefined, deps);
  return { ...written, warnings: [...written.warnings, warnOfNoList(context, answer.data, deps)] };
}

function warnOfNoList({ operation }: ReadContext, data: unknown, { controlsOf }: AnswerDeps): Warning {
  const lists = candidateLists(data).map(writePath);
  const [first] = lists;
  const param = controlsOf(operation).names.get('collection');
  const why =
    first === undefined
      ? 'it holds no list'
      : `which of its lists is meant is not known: ${quoteValues(lists)}. Say so: ${JSON.stringify({ [param ?? 'collection']: first })}`;
  return {
    code: 'VALIDATION_NO_LIST_WARNING',
    message: `The answer was not filtered, sorted, paged or summarised: ${why}`,
    ...(first !== undefined && { details: { lists } }),
    severity: 'medium',
  };
}

function choosesFieldsAlone({ filter, text, sort, aggregate, page, fields }: CollectionQuery): boolean {
  const chooses = filter.length > 0 || text !== undefined || sort.length > 0 || aggregate !== undefined;
  return fields !== undefined && !chooses && page.style === 'all';
}

/**
 * The answer keeps its shape; its items, or the one object that it is, hold only the fields asked for. A text has no fields
 * and comes whole, however many lines it has: it may be a file that the caller writes back.
 */
function* answerFields(
  context: ReadContext,
  query: CollectionQuery,
  { data, dataText }: WholeAnswer,
  list: LocatedList | undefined,
  deps: AnswerDeps,
): Sliced<ReadData> {
  if (list === undefined && !isContainer(data)) return yield* passText(context, dataText, deps);
  const source = { ...sourceOf(context.operation, deps), characters: dataText.length };
  const items = list === undefined ? [data] : list.items;
  yield* checkFields(query, findKnownFields(items, source), source.operation);
  if (list === undefined && query.fields?.preset !== undefined && onlyText(data) !== undefined) {
    return yield* passText(context, dataText, deps);
  }
  const projected = yield* project(items, query, source, items.slice(0, SAMPLE));
  const value = list === undefined ? projected[0] : replaceList(list.data, list.path, projected);
  yield;
  return yield* answerWhole(context, writeExact(value), deps);
}

function isContainer(data: unknown): boolean {
  return typeof data === 'object' && data !== null;
}

function* passText(context: ReadContext, dataText: string, deps: AnswerDeps): Sliced<ReadData> {
  const answer = yield* answerWhole(context, dataText, deps);
  const message = "The answer is a text, which has no fields: it came whole. For a part of it, call without 'fields'";
  return {
    ...answer,
    warnings: [...answer.warnings, { code: 'VALIDATION_NO_FIELDS_WARNING', message, severity: 'low' }],
  };
}

function* summarise(
  context: ReadContext,
  { ineffective }: CollectionQuery,
  { list, outcome: { aggregations = {}, ordered, truncatedGroups } }: FoundItems,
  deps: AnswerDeps,
): Sliced<ReadData> {
  const summary = { aggregations, matched: ordered.length, total: list.items.length };
  const answer = yield* answerWhole(context, writeExact(summary), deps);
  const ofItems = ineffective === undefined ? [] : [warnOfNoItems(context, ineffective, deps)];
  return { ...answer, warnings: [...answer.warnings, ...warnOfGroups(truncatedGroups), ...ofItems] };
}

function warnOfNoItems({ operation }: ReadContext, names: readonly string[], { controlsOf }: AnswerDeps): Warning {
  const param = controlsOf(operation).names.get('include_items') ?? 'include_items';
  return {
    code: 'VALIDATION_NO_ITEMS_WARNING',
    message: `${quoteValues(names)} had no effect, because the answer is a summary without items. For items beside it add ${JSON.stringify({ [param]: true })}`,
    details: { params: names },
    severity: 'low',
  };
}

function warnOfGroups(truncated: QueryOutcome['truncatedGroups']): readonly Warning[] {
  return [...(truncated ?? [])].map(([label, count]) => ({
    code: 'VALIDATION_TRUNCATED_WARNING',
    message: `'aggregations.${label}' leaves out its ${count} smallest groups`,
    details: { field: `aggregations.${label}`, left_out: count },
    severity: 'medium',
  }));
}

interface FoundItems {
  readonly list: LocatedList;
  readonly outcome: QueryOutcome;
}

function answerItems(
  context: ReadContext,
  query: CollectionQuery,
  { list, outcome }: FoundItems,
  deps: AnswerDeps,
): ReadData {
  const { operation, caller } = context;
  const { ordered, aggregations, truncatedGroups } = outcome;
  const { settings, stored, controlsOf } = deps;
  const source = sourceOf(operation, deps);
  const range = cutRange(query.page, ordered.length);
  const projection = projectionOf(query, source, ordered.slice(0, SAMPLE));
  const { beside, omitted } = besideList(list.data, list.path, MAX_BESIDE_LENGTH);
  const maxBytes = boundOf(context, deps);
  const storePages = (): PageCursors | undefined =>
    stored.storePages({
      session: caller.sessionId,
      operation: operation.qualifiedName,
      question: questionOf(context, query),
      items: packTexts(ordered.map(writeExact)),
      ...(query.fields === undefined ? {} : { fields: query.fields }),
    });
  const { names } = controlsOf(operation);
  const page = writePage({
    itemAt: (index) => projection(ordered[index]),
    range,
    total: ordered.length,
    openCursors: storePages,
    beside: { ...(aggregations === undefined ? {} : { aggregations }), ...beside },
    request: query.page,
    names: { first: names.get('first') ?? 'first', after: names.get('after') ?? 'after' },
    maxBytes,
    compact: settings.compact,
  });
  return { ...page, warnings: [...page.warnings, ...warnOfGroups(truncatedGroups), ...warnOfOmitted(omitted)] };
}

function warnOfOmitted(omitted: readonly string[]): readonly Warning[] {
  if (omitted.length === 0) return [];
  const names = omitted.map((name) => `'${name}'`).join(', ');
  return [
    {
      code: 'VALIDATION_TRUNCATED_WARNING',
      message: `The answer also holds ${names}, which the query is not about. Call without filter, sort and paging to see it`,
      details: { field: omitted.join(', ') },
      severity: 'low',
    },
  ];
}

/** A further page of a stored list; undefined where the query has no cursor. */
export function answerPage(context: ReadContext, query: CollectionQuery, deps: AnswerDeps): ReadData | undefined {
  const cursor = cursorOf(query.page);
  if (cursor === undefined) return undefined;
  const { operation, caller } = context;
  const { names } = deps.controlsOf(operation);
  const param = query.page.style === 'backward' ? 'before' : 'after';
  if (query.aggregate !== undefined) throw notWithCursor(operation, names.get('aggregate') ?? 'aggregate');
  const position = deps.stored.findPage(cursor, caller);
  if (
    position === undefined ||
    position.snapshot.operation !== operation.qualifiedName ||
    !isSameQuestion(position.snapshot.question, context, query)
  ) {
    throw cursorGone(operation, names.get(param) ?? param);
  }
  return writeStoredPage(context, query, position, deps);
}

function writeStoredPage(
  context: ReadContext,
  query: CollectionQuery,
  position: CursorPosition,
  deps: AnswerDeps,
): ReadData {
  const { operation } = context;
  const { snapshot, index } = position;
  const { items, fields } = snapshot;
  const range = cutRange(query.page, items.length, index);
  const itemAt = (at: number): unknown => parseExact(items.textAt(at));
  const source = sourceOf(operation, deps);
  const asked = query.fields ?? fields;
  const wanted = asked === undefined ? query : { ...query, fields: asked };
  const sampled = asked === undefined ? 0 : Math.min(SAMPLE, items.length);
  const sample = Array.from({ length: sampled }, (_, at) => itemAt(at));
  if (query.fields !== undefined) runAtOnce(checkFields(wanted, findKnownFields(sample, source), source.operation));
  const projection = projectionOf(wanted, source, sample);
  const { names } = deps.controlsOf(operation);
  return writePage({
    itemAt: (at) => projection(itemAt(at)),
    range,
    total: items.length,
    openCursors: () => position,
    beside: {},
    request: query.page,
    names: { first: names.get('first') ?? 'first', after: names.get('after') ?? 'after' },
    maxBytes: boundOf(context, deps),
    compact: deps.settings.compact,
  });
}

/** The answer with other items at a path, everything else as it was. */
function replaceList(data: unknown, path: FieldPath, items: readonly unknown[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return items;
  if (!isJsonObject(data)) return data;
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(
    Object.entries(data).map(([name, member]) => [name, name === key ? replaceList(member, rest, items) : member]),
  );
}

/** The short members beside a list in its answer, such as totals and the upstream's cursors; the others by name. */
function besideList(
  data: unknown,
  path: FieldPath,
  maxLength: number,
): { readonly beside: object; readonly omitted: readonly string[] } {
  const [key] = path;
  if (key === undefined || !isJsonObject(data)) return { beside: {}, omitted: [] };
  const siblings = Object.entries(data).filter(([name]) => name !== key);
  const small = siblings.filter(([, value]) => (JSON.stringify(value) ?? '').length <= maxLength);
  const omitted = siblings
    .filter(([, value]) => (JSON.stringify(value) ?? '').length > maxLength)
    .map(([name]) => name);
  return { beside: small.length === 0 ? {} : { rest: Object.fromEntries(small) }, omitted };
}
