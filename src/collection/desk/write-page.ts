import type { JsonObject } from '../../protocol/json.js';
import type { Warning } from '../../protocol/result.js';
import { describeCuts } from '../kept/describe-cuts.js';
import { encodeTable } from '../kept/encode-table.js';
import type { PageCursors } from '../kept-results.js';
import type { ReadData } from '../result-desk.js';
import type { Range } from './cut-range.js';
import { writeExact } from './exact-numbers.js';

/** A page of ordered items on its way out. */
export interface PageToWrite {
  /** What is sent of each item in the range. */
  readonly items: readonly unknown[];
  readonly range: Range;
  readonly total: number;
  /** Keeps the items for further pages; undefined where they could not be kept. Called where there are or may be some. */
  readonly openCursors: () => PageCursors | undefined;
  /** Whether the caller asked for pages. */
  readonly isPaged: boolean;
  /** What stands beside the items. */
  readonly beside: JsonObject;
  /** Whether the page was asked for from its end. */
  readonly backward: boolean;
  /** The upstream's name of `first` and `after` for this operation. */
  readonly names: { readonly first: string; readonly after: string };
  readonly maxBytes: number;
  readonly compact: boolean;
}

/** Room for `pageInfo` and punctuation. */
const FRAME_BYTES = 400;

/** Writes as many whole items as fit, with what a caller needs to get the rest. */
export function writePage(page: PageToWrite): ReadData {
  const { items, total, beside, backward, maxBytes } = page;
  const besideText = writeExact(beside).slice(1, -1);
  const room = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes - FRAME_BYTES - Buffer.byteLength(besideText);
  const texts = takeWhatFits(items.map(writeExact), room, backward);
  const start = backward ? page.range.end - texts.length : page.range.start;
  const end = start + texts.length;
  // Cursors cost memory: a caller that has everything needs none.
  const cursors = page.isPaged || texts.length < items.length ? page.openCursors() : undefined;
  const pageInfo = {
    hasNextPage: end < total,
    hasPreviousPage: start > 0,
    ...(cursors === undefined || texts.length === 0
      ? {}
      : { startCursor: cursors.cursorAt(start), endCursor: cursors.cursorAt(end - 1) }),
    totalCount: total,
  };
  const shown = page.compact && !backward ? encodeTable(items.slice(0, texts.length)) : undefined;
  const list = shown === undefined ? `"items":[${texts.join(',')}]` : `"items":${writeExact(shown)}`;
  const rest = besideText === '' ? '' : `,${besideText}`;
  return {
    dataText: `{${list},"pageInfo":${JSON.stringify(pageInfo)}${rest}}`,
    warnings: texts.length === items.length ? [] : [tellCut(page, texts.length, cursors?.cursorAt(end - 1))],
  };
}

/** One item at least: a caller must be able to get past it. */
function takeWhatFits(texts: readonly string[], room: number, fromEnd: boolean): readonly string[] {
  const order = fromEnd ? texts.toReversed() : texts;
  let used = 0;
  const tooMuch = order.findIndex((text, index) => {
    used += Buffer.byteLength(text) + 1;
    return used > room && index > 0;
  });
  if (tooMuch < 0) return texts;
  return fromEnd ? texts.slice(texts.length - tooMuch) : texts.slice(0, tooMuch);
}

function tellCut({ items, names, maxBytes, backward }: PageToWrite, kept: number, cursor: string | undefined): Warning {
  const cut = { path: ['items'], kind: 'items' as const, kept, total: items.length };
  const page =
    cursor === undefined || backward
      ? {}
      : { page: { cursor, params: { [names.first]: kept, [names.after]: cursor } } };
  return describeCuts([cut], { ...page, limit: maxBytes });
}
