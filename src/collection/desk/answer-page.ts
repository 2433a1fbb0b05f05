import type { CollectionQuery } from '../collection-query.js';
import type { CursorPosition } from '../kept-results.js';
import { checkFields } from '../query/check-fields.js';
import { findKnownFields } from '../query/known-fields.js';
import { projectionOf } from '../query/run-query.js';
import type { ReadContext, ReadData } from '../result-desk.js';
import { type AnswerDeps, boundOf, sourceOf } from './answer-deps.js';
import { SAMPLE } from './answer-query.js';
import { cursorOf, cutRange } from './cut-range.js';
import { cursorGone, notWithCursor } from './desk-error.js';
import { parseExact } from './exact-numbers.js';
import { isSameQuestion } from './question.js';
import { writePage } from './write-page.js';

/** A further page of a list that is kept; undefined where the query does not go on from a cursor. */
export function answerPage(context: ReadContext, query: CollectionQuery, deps: AnswerDeps): ReadData | undefined {
  const cursor = cursorOf(query.page);
  if (cursor === undefined) return undefined;
  const { operation, caller } = context;
  const { names } = deps.controlsOf(operation);
  const param = query.page.style === 'backward' ? 'before' : 'after';
  if (query.aggregate !== undefined) throw notWithCursor(operation, names.get('aggregate') ?? 'aggregate');
  const position = deps.kept.findPage(cursor, caller);
  if (
    position === undefined ||
    position.snapshot.operation !== operation.qualifiedName ||
    !isSameQuestion(position.snapshot.question, context, query)
  ) {
    throw cursorGone(operation, names.get(param) ?? param);
  }
  return writeKeptPage(context, query, position, deps);
}

function writeKeptPage(
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
  if (query.fields !== undefined) checkFields(wanted, findKnownFields(sample, source), source.operation);
  const show = projectionOf(wanted, source, sample);
  const { names } = deps.controlsOf(operation);
  return writePage({
    itemAt: (at) => show(itemAt(at)),
    range,
    total: items.length,
    openCursors: () => position,
    isPaged: true,
    beside: {},
    backward: query.page.style === 'backward',
    names: { first: names.get('first') ?? 'first', after: names.get('after') ?? 'after' },
    maxBytes: boundOf(context, deps),
    compact: deps.settings.compact,
  });
}
