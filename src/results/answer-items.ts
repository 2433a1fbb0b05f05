import { parseExact, writeExact } from '../base/json/exact-numbers.js';
import { isJsonObject } from '../base/json/json.js';
import { originOf, splitOrigin } from '../base/protocol/operation.js';
import type { Warning } from '../base/protocol/result.js';
import { type AnswerDeps, boundOf, isSameQuestion, questionOf, sourceOf } from './answer-whole.js';
import { cursorGone, notWithCursor } from './errors.js';
import type { GatheredList } from './pages/gather-pages.js';
import { findKnownFields, warnOfFields } from './query/check-fields.js';
import { choosesOfAll, leavesOut } from './query/parts.js';
import type { CollectionQuery, FieldPath, MissingItems, ReadContext, ReadData } from './query/result-types.js';
import { projectionOf, type QueryOutcome } from './query/run-query.js';
import { packList } from './stored/packed-list.js';
import type { CursorPosition, PageCursors } from './stored/result-store.js';
import { cursorOf, cutRange, writePage } from './write-page.js';

/** A member beside a list is sent with the list's items if it is about as short as an item. */
const MAX_BESIDE_LENGTH = 1_000;

/** Items by which presets choose their fields: the same ones for every page. */
export const SAMPLE = 200;

/** A list, and what a query found in it. */
export interface FoundItems extends Pick<GatheredList, 'list' | 'missing'> {
  readonly outcome: QueryOutcome;
}

/** The items that a query found, or as many of the page that was asked for as fit. */
export function answerItems(
  context: ReadContext,
  query: CollectionQuery,
  { list, missing: unread, outcome }: FoundItems,
  deps: AnswerDeps,
): ReadData {
  const { operation, caller } = context;
  const { ordered, aggregations } = outcome;
  const { settings, stored, controlsOf } = deps;
  const missing = ofThese(unread, query);
  const source = sourceOf(operation, deps);
  const range = cutRange(query.page, ordered.length);
  const projection = projectionOf(query, source, ordered.slice(0, SAMPLE));
  const { beside, omitted } = besideList(list.data, list.path, MAX_BESIDE_LENGTH);
  const maxTokens = boundOf(context, deps);
  const storePages = (): PageCursors | undefined =>
    stored.storePages(
      {
        session: caller.sessionId,
        operation: originOf(operation, context.madeOf),
        question: questionOf(context, query),
        items: packList(ordered, writeExact),
        ...(query.fields === undefined ? {} : { fields: query.fields }),
        ...(missing === undefined ? {} : { missing }),
      },
      caller,
    );
  const { names } = controlsOf(operation);
  const page = writePage({
    itemAt: (index) => projection(ordered[index]),
    range,
    total: ordered.length,
    missing,
    openCursors: storePages,
    beside: { ...(aggregations === undefined ? {} : { aggregations }), ...beside },
    request: query.page,
    names: { first: names.get('first') ?? 'first', after: names.get('after') ?? 'after' },
    maxTokens,
    keep: (dataText) => stored.storeResult({ operation: originOf(operation, context.madeOf), dataText }, caller),
    compact: settings.compact,
  });
  const isReached = choosesOfAll(query) || range.end >= ordered.length;
  const ofPages = missing !== undefined && isReached ? [missing.warning] : [];
  const warnings = [...page.warnings, ...ofPages, ...warnOfOutcome(outcome), ...warnOfOmitted(omitted)];
  return { ...page, warnings };
}

/** How many items the upstream has is not how many of them a filter finds. */
function ofThese(missing: MissingItems | undefined, query: CollectionQuery): MissingItems | undefined {
  if (missing === undefined || !leavesOut(query)) return missing;
  return { warning: missing.warning };
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

/** A further page of a stored list; undefined where the query has no cursor. @param isReachable whether the caller may know of what has this origin */
export function answerPage(
  context: ReadContext,
  query: CollectionQuery,
  deps: AnswerDeps,
  isReachable: (origin: string) => boolean,
): ReadData | undefined {
  const cursor = cursorOf(query.page);
  if (cursor === undefined) return undefined;
  const { operation, caller } = context;
  const { names } = deps.controlsOf(operation);
  const param = query.page.style === 'backward' ? 'before' : 'after';
  if (query.aggregate !== undefined) throw notWithCursor(operation, names.get('aggregate') ?? 'aggregate');
  const position = deps.stored.findPage(cursor, caller);
  const [own, ...madeOf] = splitOrigin(position?.snapshot.operation ?? '');
  if (
    position === undefined ||
    own !== originOf(operation) ||
    !madeOf.every(isReachable) ||
    !isSameQuestion(position.snapshot.question, context, query)
  ) {
    throw cursorGone(operation, names.get(param) ?? param);
  }
  return { ...writeStoredPage(context, query, position, deps), madeOf };
}

function writeStoredPage(
  context: ReadContext,
  query: CollectionQuery,
  position: CursorPosition,
  deps: AnswerDeps,
): ReadData {
  const { operation } = context;
  const { snapshot, index } = position;
  const { items, fields, missing } = snapshot;
  const range = cutRange(query.page, items.length, index);
  const itemAt = (at: number): unknown => parseExact(items.textAt(at));
  const source = sourceOf(operation, deps);
  const asked = query.fields ?? fields;
  const wanted = asked === undefined ? query : { ...query, fields: asked };
  const sampled = asked === undefined ? 0 : Math.min(SAMPLE, items.length);
  const sample = Array.from({ length: sampled }, (_, at) => itemAt(at));
  const ofFields = query.fields === undefined ? [] : warnOfFields(wanted, findKnownFields(sample, source), source.seen);
  const projection = projectionOf(wanted, source, sample);
  const { names } = deps.controlsOf(operation);
  const page = writePage({
    itemAt: (at) => projection(itemAt(at)),
    range,
    total: items.length,
    missing,
    openCursors: () => position,
    beside: {},
    request: query.page,
    names: { first: names.get('first') ?? 'first', after: names.get('after') ?? 'after' },
    maxTokens: boundOf(context, deps),
    keep: (dataText) => deps.stored.storeResult({ operation: snapshot.operation, dataText }, context.caller),
    compact: deps.settings.compact,
  });
  const isReached = missing !== undefined && range.end >= items.length;
  return { ...page, warnings: [...page.warnings, ...ofFields, ...(isReached ? [missing.warning] : [])] };
}

/** What a query leaves out or reads otherwise than its caller may mean. */
export function warnOfOutcome({
  fieldWarnings = [],
  truncatedGroups = [],
  notNumbers = [],
  amountsAsText = [],
}: Omissions): readonly Warning[] {
  const groups = [...truncatedGroups].map(([label, count]) => ({
    code: 'VALIDATION_TRUNCATED_WARNING',
    message: `'aggregations.${label}' leaves out its ${count} smallest groups`,
    details: { field: `aggregations.${label}`, left_out: count },
    severity: 'medium' as const,
  }));
  const others = [...notNumbers].map(([field, count]) => ({
    code: 'VALIDATION_NOT_NUMBERS_WARNING',
    message: `'${field}' leaves out the values of ${count} items, because they are no numbers`,
    details: { field, left_out: count },
    severity: 'medium' as const,
  }));
  const amounts = [...amountsAsText].map(([field, count]) => ({
    code: 'VALIDATION_NOT_NUMBERS_WARNING',
    message: `'${field}' puts the values of ${count} items in order as texts, because they are no numbers: '1,000' before '2'`,
    details: { field, as_text: count },
    severity: 'medium' as const,
  }));
  return [...fieldWarnings, ...groups, ...others, ...amounts];
}

type Omissions = {
  readonly [Member in 'truncatedGroups' | 'notNumbers' | 'amountsAsText']?:
    | Iterable<readonly [name: string, count: number]>
    | undefined;
} & Pick<FoundItems['outcome'], 'fieldWarnings'>;

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
