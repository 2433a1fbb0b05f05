import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../protocol/json.js';
import { describeCuts } from '../kept/describe-cuts.js';
import { type Cut, fitAnswer } from '../kept/fit-answer.js';
import { packTexts } from '../kept/pack-list.js';
import type { ReadContext, ReadData } from '../result-desk.js';
import { locateList } from '../shape/locate-list.js';
import { type AnswerDeps, boundOf } from './answer-deps.js';
import { parseExact, writeExact } from './exact-numbers.js';
import { questionOf } from './question.js';

/** A UTF-16 unit is never more than three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** An answer as it is, or as much of it as fits, with the ways to the rest. @param dataText JSON text */
export function answerWhole(context: ReadContext, dataText: string, deps: AnswerDeps): ReadData {
  const maxBytes = boundOf(context, deps);
  if (maxBytes === 0 || fits(dataText, maxBytes)) return { dataText, warnings: [] };
  const data = parseExact(dataText);
  const { value, cuts } = fitAnswer(data, maxBytes);
  if (cuts.length === 0) return { dataText: writeExact(value), warnings: [] };
  const { operation, caller } = context;
  const handle = deps.kept.keepResult({ operation: operation.qualifiedName, dataText }, caller);
  const page = keepPages(context, data, cuts, deps);
  const warning = describeCuts(cuts, {
    ...(handle === undefined ? {} : { handle }),
    ...(page === undefined ? {} : { page }),
    limit: maxBytes,
  });
  return { dataText: writeExact(value), warnings: [warning] };
}

function fits(text: string, maxBytes: number): boolean {
  return text.length * MAX_BYTES_PER_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** The next page of the list that was cut, where the operation has pages. */
function keepPages(
  context: ReadContext,
  data: unknown,
  cuts: readonly Cut[],
  { kept, memory, controlsOf }: AnswerDeps,
): { readonly cursor: string; readonly params: JsonObject } | undefined {
  const { operation, caller } = context;
  const { kind, names } = controlsOf(operation);
  if (kind !== 'collection') return undefined;
  const list = locateList(data, memory.shapeOf(operation));
  const cut = cuts.find(({ kind: cutKind, path }) => cutKind === 'items' && isDeepStrictEqual(path, list?.path));
  if (list === undefined || list.evidence !== 'list' || cut === undefined || cut.kept === 0) return undefined;
  const pages = kept.keepPages({
    session: caller.sessionId,
    operation: operation.qualifiedName,
    question: questionOf(context, undefined),
    items: packTexts(list.items.map(writeExact)),
  });
  const cursor = pages?.cursorAt(cut.kept - 1);
  if (cursor === undefined) return undefined;
  return { cursor, params: { [names.get('first') ?? 'first']: cut.kept, [names.get('after') ?? 'after']: cursor } };
}
