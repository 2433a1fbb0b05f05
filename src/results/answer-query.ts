import { isDeepStrictEqual } from 'node:util';
import { parseExact, writeExact } from '../base/json/exact-numbers.js';
import { isJsonObject } from '../base/json/json.js';
import { quoteValues } from '../base/lib/text.js';
import type { Operation } from '../base/protocol/operation.js';
import type { Warning } from '../base/protocol/result.js';
import { answerItems, type FoundItems, SAMPLE, warnOfOutcome } from './answer-items.js';
import { type AnswerData, type AnswerDeps, answerWhole, sourceOf } from './answer-whole.js';
import { noSuchList } from './errors.js';
import { readForm } from './forms/read-form.js';
import { attachList, type GatheredList, type Gathering, judgePage } from './pages/gather-pages.js';
import { findKnownFields, warnOfFields } from './query/check-fields.js';
import { writePath } from './query/fields.js';
import { choosesItems } from './query/parts.js';
import type { CollectionQuery, DetachedList, FieldPath, ReadContext, ReadData } from './query/result-types.js';
import { project, runQuery } from './query/run-query.js';
import { candidateLists, type LocatedList, locateList, onlyText } from './shape/locate-list.js';

/** An upstream's answer, as it came and parsed. */
interface WholeAnswer {
  readonly dataText: string;
  readonly data: unknown;
  /** The list that the query means, with the pages of it that were read; undefined where there is none. */
  readonly gathered: GatheredList | undefined;
}

/** An answer as the caller wants it, in a thread. @param pages the list that the query means, where it was read page by page */
export function finishAnswer(
  context: ReadContext,
  query: CollectionQuery | undefined,
  { dataText, value }: AnswerData,
  deps: AnswerDeps,
  pages?: DetachedList,
): ReadData {
  if (query === undefined) return answerWhole(context, { dataText, value }, deps);
  const data = value ?? parseExact(dataText);
  deps.memory.learn(context.operation, data);
  const list = pages === undefined ? findMeant(context, query, data, deps) : undefined;
  const judged = list && judgePage(list, gatheringOf(context, query, deps));
  const gathered = pages === undefined ? judged : attachList(pages);
  return markPart(answerQuery(context, query, { dataText, data, gathered }, deps), dataText);
}

/** Says of an answer whether it is no longer the whole one. */
export function markPart(answer: ReadData, dataText: string): ReadData {
  return answer.dataText === dataText ? answer : { ...answer, isPart: true };
}

/** Applies the caller's controls to an upstream's answer. What they cannot be applied to comes whole, with a warning. */
export function answerQuery(
  context: ReadContext,
  query: CollectionQuery,
  answer: WholeAnswer,
  deps: AnswerDeps,
): ReadData {
  const { operation } = context;
  const { dataText, gathered } = answer;
  const isFieldsAlone = query.fields !== undefined && !choosesItems(query);
  if (isFieldsAlone && selectsEverything(query, operation))
    return answerWhole(context, { dataText, value: answer.data }, deps);
  if (isFieldsAlone) {
    const list = isCollection(gathered?.list, context, query, deps) ? gathered?.list : undefined;
    const written = answerFields(context, query, answer, list, deps);
    return list === undefined ? written : { ...written, warnings: [...written.warnings, ...warnOfForm(list)] };
  }
  if (gathered === undefined) return answerWithoutList(context, query, answer, deps);
  const outcome = runQuery(gathered.list.items, query, sourceOf(operation, deps));
  const written = query.includeItems
    ? answerItems(context, query, { ...gathered, outcome }, deps)
    : summarise(context, query, { ...gathered, outcome }, deps);
  const { list, warnings } = gathered;
  return { ...written, warnings: [...written.warnings, ...warnings, ...warnOfForm(list)] };
}

/** What reading further pages of an answer's list takes. */
export function gatheringOf(context: ReadContext, query: CollectionQuery, deps: AnswerDeps): Gathering {
  return { call: context, query, locate: (data) => findMeant(context, query, data, deps), now: deps.now };
}

/** The list of an answer that a query means. @throws OperationError where the caller names one that is not there */
export function findMeant(
  context: ReadContext,
  query: CollectionQuery,
  data: unknown,
  deps: AnswerDeps,
): LocatedList | undefined {
  const { collection } = query;
  const list = collection === undefined ? findList(context, data, deps) : findAsked(context, collection, data, deps);
  if (context.operation.collection === null && collection === undefined) return undefined;
  return readForm(data, list, { query, arguments: context.arguments });
}

function warnOfForm({ readAs = '' }: LocatedList): readonly Warning[] {
  if (readAs === '') return [];
  return [{ code: 'VALIDATION_READ_AS_WARNING', message: `The answer was read as ${readAs}`, severity: 'low' }];
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
function answerWithoutList(
  context: ReadContext,
  query: CollectionQuery,
  answer: WholeAnswer,
  deps: AnswerDeps,
): ReadData {
  const { fields } = query;
  const isPlain = fields === undefined || selectsEverything(query, context.operation);
  const written = isPlain
    ? answerWhole(context, { dataText: answer.dataText, value: answer.data }, deps)
    : answerFields(context, query, answer, undefined, deps);
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

/**
 * The answer keeps its shape; its items, or the one object that it is, hold only the fields asked for. A text has no fields
 * and comes whole, however many lines it has: it may be a file that the caller writes back.
 */
function answerFields(
  context: ReadContext,
  query: CollectionQuery,
  { data, dataText }: WholeAnswer,
  list: LocatedList | undefined,
  deps: AnswerDeps,
): ReadData {
  if (list === undefined && !isContainer(data)) return passText(context, { dataText, value: data }, deps);
  const source = sourceOf(context.operation, deps);
  const items = list === undefined ? [data] : list.items;
  const known = findKnownFields(items, source);
  if (list === undefined && onlyText(data) !== undefined) {
    const { preset, paths = [] } = query.fields ?? {};
    // A text in a wrapper has no fields either, but the wrapper's.
    if (preset !== undefined || !paths.some(known.has)) return passText(context, { dataText, value: data }, deps);
  }
  const warnings = warnOfFields(query, known, source.seen);
  const projected = project(items, query, source, items.slice(0, SAMPLE));
  const value = list === undefined ? projected[0] : replaceList(list.data, list.path, projected);
  const answer = answerWhole(context, { dataText: writeExact(value) }, deps);
  return { ...answer, warnings: [...answer.warnings, ...warnings] };
}

function isContainer(data: unknown): boolean {
  return typeof data === 'object' && data !== null;
}

function passText(context: ReadContext, whole: AnswerData, deps: AnswerDeps): ReadData {
  const answer = answerWhole(context, whole, deps);
  const message = "The answer is a text, which has no fields: it came whole. For a part of it, call without 'fields'";
  return {
    ...answer,
    warnings: [...answer.warnings, { code: 'VALIDATION_NO_FIELDS_WARNING', message, severity: 'low' }],
  };
}

function summarise(
  context: ReadContext,
  { ineffective }: CollectionQuery,
  { list, missing, outcome }: FoundItems,
  deps: AnswerDeps,
): ReadData {
  const { aggregations = {}, ordered } = outcome;
  // The number of items of a page is no total.
  const total = missing === undefined ? { total: list.items.length } : { read: list.items.length };
  const dataText = writeExact({ aggregations, matched: ordered.length, ...total });
  const answer = answerWhole(context, { dataText }, deps);
  const ofItems = ineffective === undefined ? [] : [warnOfNoItems(context, ineffective, deps)];
  const ofPages = missing === undefined ? [] : [missing.warning];
  return { ...answer, warnings: [...answer.warnings, ...ofPages, ...warnOfOutcome(outcome), ...ofItems] };
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
