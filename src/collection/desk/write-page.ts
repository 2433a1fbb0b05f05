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
  /** What is sent of an item, by its index; asked for as long as there is room. */
  readonly itemAt: (index: number) => unknown;
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
  const { range, total, beside, backward, maxBytes } = page;
  const besideText = writeExact(beside).slice(1, -1);
  const room = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes - FRAME_BYTES - Buffer.byteLength(besideText);
  const shown = takeWhatFits(page, room);
  const start = backward ? range.end - shown.length : range.start;
  const end = start + shown.length;
  const isCut = shown.length < range.end - range.start;
  // Cursors cost memory: a caller that has everything needs none.
  const cursors = page.isPaged || isCut ? page.openCursors() : undefined;
  const pageInfo = {
    hasNextPage: end < total,
    hasPreviousPage: start > 0,
    ...(cursors === undefined || shown.length === 0
      ? {}
      : { startCursor: cursors.cursorAt(start), endCursor: cursors.cursorAt(end - 1) }),
    totalCount: total,
  };
  const rest = besideText === '' ? '' : `,${besideText}`;
  return {
    dataText: `{"items":${writeItems(shown, page.compact)},"pageInfo":${JSON.stringify(pageInfo)}${rest}}`,
    warnings: isCut ? [tellCut(page, shown.length, cursors?.cursorAt(end - 1))] : [],
  };
}

interface ShownItem {
  readonly item: unknown;
  readonly text: string;
}

/** From the end that the page was asked for; one item at least, since a caller must be able to get past it. */
function takeWhatFits({ range, itemAt, backward }: PageToWrite, room: number): readonly ShownItem[] {
  const shown: ShownItem[] = [];
  let used = 0;
  for (let step = 0; step < range.end - range.start; step += 1) {
    const item = itemAt(backward ? range.end - 1 - step : range.start + step);
    const text = writeExact(item);
    used += Buffer.byteLength(text) + 1;
    if (used > room && step > 0) break;
    shown.push({ item, text });
  }
  return backward ? shown.reverse() : shown;
}

function writeItems(shown: readonly ShownItem[], compact: boolean): string {
  const table = compact ? encodeTable(shown.map(({ item }) => item)) : undefined;
  return table === undefined ? `[${shown.map(({ text }) => text).join(',')}]` : writeExact(table);
}

function tellCut({ range, names, maxBytes, backward }: PageToWrite, kept: number, cursor: string | undefined): Warning {
  const cut = { path: ['items'], kind: 'items' as const, kept, total: range.end - range.start };
  const page =
    cursor === undefined || backward
      ? {}
      : { page: { cursor, params: { [names.first]: kept, [names.after]: cursor } } };
  return describeCuts([cut], { ...page, limit: maxBytes });
}
