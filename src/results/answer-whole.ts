import { isDeepStrictEqual } from 'node:util';
import { digest } from '../base/json/canonical-json.js';
import { parseExact, writeExact } from '../base/json/exact-numbers.js';
import type { JsonObject } from '../base/json/json.js';
import type { AnswerLimits } from '../base/protocol/limits.js';
import { type Operation, originOf } from '../base/protocol/operation.js';
import { judgePage } from './pages/gather-pages.js';
import { parsePath } from './query/fields.js';
import { choiceIn } from './query/parts.js';
import type { CollectionQuery, ControlSet, ReadContext, ReadData } from './query/result-types.js';
import type { QueryOptions } from './query/run-query.js';
import type { ShapeMemory } from './shape/learned-shape.js';
import { locateList } from './shape/locate-list.js';
import { fitTokens, hasTokens } from './stored/fit-tokens.js';
import { ListPacker, type PackedList } from './stored/packed-list.js';
import type { ResultStore } from './stored/result-store.js';
import type { Cut } from './stored/truncate.js';
import { describeCuts } from './stored/truncation-warning.js';

/** What making an answer needs. */
export interface AnswerDeps {
  readonly settings: AnswerLimits;
  readonly stored: ResultStore;
  readonly memory: ShapeMemory;
  readonly controlsOf: (operation: Operation) => ControlSet;
  readonly now: () => number;
}

/** What two entries of the store take beside their content, at most. */
const BESIDE_BYTES = 8 * 1024;

/** All items as they come. */
const EVERYTHING: CollectionQuery = { filter: [], sort: [], includeItems: true, page: { style: 'all' } };

/** An answer in two forms. */
export interface AnswerData {
  /** JSON text. */
  readonly dataText: string;
  /** The same as a value, exact to the last digit; absent where it has not been read. It takes many times as much memory. */
  readonly value?: unknown;
}

/** An answer as it is, or as much of it as fits, with the ways to the rest. */
export function answerWhole(context: ReadContext, { dataText, value: read }: AnswerData, deps: AnswerDeps): ReadData {
  const maxTokens = boundOf(context, deps);
  if (hasTokens(dataText, maxTokens)) return { dataText, warnings: [] };
  const data = read ?? parseExact(dataText);
  const { cuts, text } = fitTokens(data, maxTokens);
  if (cuts.length === 0) return { dataText: text, warnings: [] };
  const { operation, caller } = context;
  const handle = deps.stored.storeResult({ operation: originOf(operation, context.madeOf), dataText }, caller);
  // Both are kept, or the whole answer alone: it has all that the pages have.
  const room = deps.stored.maxBytes - BESIDE_BYTES - (handle === undefined ? 0 : Buffer.byteLength(dataText));
  const page = storePages(context, data, { cuts, room }, deps);
  const warning = describeCuts(cuts, {
    handle,
    page,
    limit: maxTokens,
    whole: data,
    controls: deps.controlsOf(operation).names,
  });
  return { dataText: text, warnings: [warning] };
}

/** The next page of the list that was cut, where the operation has pages. */
function storePages(
  context: ReadContext,
  data: unknown,
  { cuts, room }: { readonly cuts: readonly Cut[]; readonly room: number },
  { stored, memory, controlsOf, now }: AnswerDeps,
): { readonly cursor: string; readonly params: JsonObject } | undefined {
  const { operation, caller } = context;
  const { kind, names } = controlsOf(operation);
  if (kind === 'none') return undefined;
  const list = locateList(data, memory.shapeOf(operation));
  const cut = cuts.find(({ kind: cutKind, path }) => cutKind === 'items' && isDeepStrictEqual(path, list?.path));
  if (list === undefined || list.evidence !== 'list' || cut === undefined || cut.kept === 0) return undefined;
  const items = packItems(list.items, room);
  if (items === undefined) return undefined;
  // The list may be one page of the upstream's: then its length is no total, and its end is not the list's.
  const { missing } = judgePage(list, { call: context, query: EVERYTHING, locate: () => undefined, now });
  const pages = stored.storePages(
    {
      session: caller.sessionId,
      operation: originOf(operation, context.madeOf),
      question: questionOf(context, undefined),
      items,
      ...(missing === undefined ? {} : { missing }),
    },
    caller,
  );
  const cursor = pages?.cursorAt(cut.kept - 1);
  if (cursor === undefined) return undefined;
  return { cursor, params: { [names.get('first') ?? 'first']: cut.kept, [names.get('after') ?? 'after']: cursor } };
}

/** Undefined where they are more than `maxBytes`. */
function packItems(items: readonly unknown[], maxBytes: number): PackedList | undefined {
  const packer = new ListPacker(items.length);
  for (const item of items) {
    packer.add(writeExact(item));
    if (packer.bytes > maxBytes) return undefined;
  }
  return packer.pack();
}

/** How many tokens of data an answer may have; 0 for any number. */
export function boundOf({ answerTokens }: ReadContext, { settings }: AnswerDeps): number {
  return answerTokens ?? settings.maxTokens;
}

/** What a query can use beside the items themselves: computed fields and presets. */
export function sourceOf(operation: Operation, { controlsOf, memory, now }: AnswerDeps): QueryOptions {
  const { computed = [] } = controlsOf(operation);
  return {
    operation: operation.name,
    computed,
    seen: memory.fieldsOf(operation),
    presets: readPresets(operation),
    now: now(),
  };
}

function readPresets({ presets = {} }: Operation): QueryOptions['presets'] {
  const entries = Object.entries(presets).map(([name, paths]) => {
    const parsed = paths.map(parsePath).filter((path) => path !== undefined);
    return [name, parsed] as const;
  });
  return new Map(entries);
}

/** Identifies what a list of pages answers: the call, and how its items were chosen and ordered. */
export function questionOf(
  { operation, arguments: args, asked = args }: ReadContext,
  query: CollectionQuery | undefined,
): string {
  return `${digest([operation.qualifiedName, asked])} ${choiceOf(query)}`;
}

/**
 * Whether a cursor's list answers this call. A call for a further page need not repeat how the items were chosen; a call
 * that chooses them otherwise needs another list.
 */
export function isSameQuestion(asked: string, context: ReadContext, query: CollectionQuery): boolean {
  const [call, choice] = questionOf(context, query).split(' ');
  const [askedCall, askedChoice] = asked.split(' ');
  return call === askedCall && (choice === NO_CHOICE || choice === askedChoice);
}

function choiceOf(query: CollectionQuery | undefined): string {
  return digest(choiceIn(query ?? EVERYTHING));
}

const NO_CHOICE = choiceOf(undefined);
