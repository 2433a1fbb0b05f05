import { parseExact, writeExact } from '../../base/json/exact-numbers.js';
import { isJsonObject } from '../../base/json/json.js';
import { quoteValues } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import { choosesItems, choosesOfAll } from '../query/parts.js';
import type { CollectionQuery, DetachedList, MissingItems, ReadPage } from '../query/result-types.js';
import type { LocatedList } from '../shape/locate-list.js';
import {
  boundsGiven,
  byCursor,
  findNextPage,
  type NextPage,
  type PagedCall,
  positionsGiven,
  sizeOf,
} from './next-page.js';
import { type PageSigns, readPageSigns } from './page-signs.js';

/** Bounds on reading on for one call: pages, characters of them together, and milliseconds. */
export const PAGES_BOUND = { pages: 50, characters: 4_000_000, ms: 20_000 };

/** A list with as many of its upstream's pages as were read. */
export interface GatheredList {
  readonly list: LocatedList;
  /** Set where it is not the whole list, or where that is not certain. */
  readonly missing?: MissingItems | undefined;
  /** Of all pages together, where several were read, and the JSON of the items of each. */
  readonly characters?: number;
  readonly written?: readonly string[];
  readonly warnings: readonly Warning[];
}

/** The call and the query whose list may be a page of more. */
export interface Gathering {
  readonly call: PagedCall;
  readonly query: CollectionQuery;
  readonly locate: (data: unknown) => LocatedList | undefined;
  readonly now: () => number;
}

/** A list as plain data. */
export function detachList({ list, written, missing, warnings }: GatheredList): DetachedList {
  const { items, data, ...place } = list;
  return {
    place,
    pages: written ?? [writeExact(items)],
    data: writeExact(data),
    ...(missing !== undefined && { missing }),
    warnings,
  };
}

export function attachList({ place, pages, data, missing, warnings }: DetachedList): GatheredList {
  const items = pages.flatMap((page) => parseExact(page) as readonly unknown[]);
  return { list: { ...place, items, data: parseExact(data) }, missing, warnings };
}

/**
 * Reads the other pages of the upstream that a query needs, where the answer is one page of more and the way to the next is
 * certain. A sum of one page would be wrong without a word; what could not be read is a warning.
 *
 * @param characters of the first page
 */
export function gatherPages(
  list: LocatedList,
  characters: number,
  gathering: Reading,
): GatheredList | Promise<GatheredList> {
  const page = firstPage(list, gathering);
  const { call } = gathering;
  const isBounded = positionsGiven(call).length > 0 || boundsGiven(call).length > 0;
  if (page?.next === undefined || isBounded) return judgePage(list, gathering);
  return readOn({ ...page, characters, written: writeExact(list.items) }, gathering);
}

/** A list of which no more is read, with what it lacks. */
export function judgePage(list: LocatedList, gathering: Gathering): GatheredList {
  if (!asksForItems(gathering.query)) return { list, warnings: [] };
  const page = firstPage(list, gathering);
  return page === undefined ? withDoubt(list, gathering) : stopAt([page], gathering, 'no way');
}

/** The answer as a page; undefined where it is not one page of more, or where that does not matter. */
function firstPage(list: LocatedList, { call, query }: Gathering): Page | undefined {
  if (!asksForItems(query)) return undefined;
  const positions = positionsGiven(call);
  const { length } = list.items;
  const signs = readPageSigns(list.data, list.path, length, positions.length > 0);
  const isByCursor = positions.length === 0 && !signs.isEnd && byCursor(call, signs) !== undefined;
  if (signs.evidence === undefined && !isByCursor) return undefined;
  return { list, signs, next: findNextPage(call, signs, length), call, isLast: false, characters: 0, written: '' };
}

/** `fields` alone keep the answer's shape, and what it says of its pages with it. */
function asksForItems(query: CollectionQuery): boolean {
  return query.fields === undefined || choosesItems(query);
}

/** A first page of items in the upstream's order needs no more than it shows. */
function isEnough(query: CollectionQuery, items: number): boolean {
  const { page } = query;
  if (choosesOfAll(query)) return false;
  return page.style === 'forward' ? page.size <= items : page.style === 'offset' && page.offset + page.size <= items;
}

/** With the way to further pages. */
interface Reading extends Gathering {
  readonly readPage: ReadPage;
}

interface Page {
  readonly list: LocatedList;
  readonly signs: PageSigns;
  readonly next: NextPage | undefined;
  /** The call that gave it. */
  readonly call: PagedCall;
  readonly isLast: boolean;
  readonly characters: number;
  /** The JSON of its items; empty where no more than this page is read. */
  readonly written: string;
}

type Stop = 'no way' | 'bound' | 'same page' | 'not a page' | OperationError;

async function readOn(first: Page, gathering: Reading): Promise<GatheredList> {
  const { query, readPage, now } = gathering;
  const started = now();
  const pages = [first];
  let [last, read, left] = [first, first.list.items.length, PAGES_BOUND.characters - first.characters];
  while (last.next !== undefined && !isEnough(query, read)) {
    const isBeyond = pages.length >= PAGES_BOUND.pages || now() - started > PAGES_BOUND.ms;
    if (isBeyond || left <= 0) return stopAt(pages, gathering, 'bound');
    const { parameter, value } = last.next;
    const call = { ...last.call, arguments: { ...last.call.arguments, [parameter.upstreamName]: value } };
    const answer = await readPage(call.arguments).catch(refusalOf);
    if (answer instanceof OperationError) return stopAt(pages, gathering, answer);
    left -= answer.length;
    if (left < 0) return stopAt(pages, gathering, 'bound');
    const page = readAnswer(answer, { call, read, before: last }, gathering);
    if (!('list' in page)) return stopAt(pages, gathering, page.stop);
    read += page.list.items.length;
    last = page;
    pages.push(page);
  }
  return stopAt(pages, gathering, 'no way');
}

/** A call that cannot be made, because the operation is gone or changed, is no reason to lose the first page. */
function refusalOf(thrown: unknown): OperationError {
  if (thrown instanceof OperationError) return thrown;
  throw thrown;
}

interface Asked {
  readonly call: PagedCall;
  /** Items of the pages before. */
  readonly read: number;
  readonly before: Page;
}

function readAnswer(
  answer: string,
  { call, read, before }: Asked,
  { locate }: Reading,
): Page | { readonly stop: Stop } {
  const data = dataOf(answer);
  if (data instanceof OperationError) return { stop: data };
  const list = locate(data);
  if (list === undefined || list.evidence !== before.list.evidence || list.readAs !== before.list.readAs)
    return { stop: 'not a page' };
  const { items } = list;
  const written = writeExact(items);
  if (items.length > 0 && written === before.written) return { stop: 'same page' };
  const signs = readPageSigns(list.data, list.path, read + items.length);
  const isMore = signs.evidence !== undefined || (!signs.isEnd && byCursor(call, signs) !== undefined);
  // An empty page ends the list, unless the upstream has counted more: some give no more than so many pages.
  const isEmpty = items.length === 0;
  const isLast = !isMore || (isEmpty && (signs.total ?? 0) <= read);
  const next = isLast || isEmpty ? undefined : findNextPage(call, signs, items.length);
  return { list, signs, next, call, isLast, characters: answer.length, written };
}

/** The data of an answer to an inner call, or why there is none. */
function dataOf(text: string): unknown {
  const envelope = parseExact(text);
  if (!isJsonObject(envelope)) return undefined;
  if (envelope['success'] === true) return envelope['data'];
  const error = isJsonObject(envelope['error']) ? envelope['error'] : {};
  return new OperationError('INTERNAL_ERROR', String(error['message'] ?? 'it failed'));
}

function stopAt(pages: readonly Page[], gathering: Gathering, stop: Stop): GatheredList {
  const [first] = pages;
  const last = pages.at(-1);
  if (first === undefined || last === undefined) throw new Error('a list has one page or more');
  const items = pages.length === 1 ? first.list.items : pages.flatMap(({ list }) => list.items);
  // The members beside the list are those of the last page: what they say of pages goes on from there.
  const list: LocatedList = { ...last.list, items };
  const warnings = pages.length === 1 ? [] : [warnOfPages(pages, items.length)];
  const together = pages.length > 1 && {
    characters: pages.reduce((sum, page) => sum + page.characters, 0),
    written: pages.map(({ written }) => written),
  };
  if (last.isLast) return { list, warnings, ...together };
  const { total } = last.signs;
  const warning = warnOfMissing(last, { read: items.length, stop, gathering });
  return { list, missing: { ...(total !== undefined && { total }), warning }, warnings, ...together };
}

function warnOfPages(pages: readonly Page[], items: number): Warning {
  const name = pages[0]?.next?.parameter.name ?? '';
  return {
    code: 'VALIDATION_PAGES_READ_WARNING',
    message: `The upstream gives this list in pages: ${pages.length} of them were read with '${name}', ${items} items together`,
    details: { pages: pages.length, items, param: name },
    severity: 'low',
  };
}

interface Missed {
  readonly read: number;
  readonly stop: Stop;
  readonly gathering: Gathering;
}

function warnOfMissing(page: Page, { read, stop, gathering }: Missed): Warning {
  const { signs, next, call } = page;
  const { query } = gathering;
  const isAll = choosesOfAll(query);
  const of = signs.total === undefined || signs.total <= read ? '' : ` of ${signs.total}`;
  const what = isAll
    ? `Only ${read}${of} items were filtered, sorted or summarised`
    : `The list goes on after these ${read}${of} items`;
  const evidence = signs.evidence === undefined ? 'the answer has a cursor' : signs.evidence;
  const params = next === undefined ? undefined : { [next.parameter.name]: next.value };
  return {
    code: 'VALIDATION_PARTIAL_LIST_WARNING',
    message: `${what}: the upstream's answer is one page of more (${evidence})${explainStop(stop)}. ${adviseNext(call, params)}`,
    details: {
      read,
      ...(signs.total !== undefined && { total: signs.total }),
      ...(params !== undefined && { next: params }),
    },
    severity: isAll ? 'high' : 'low',
  };
}

function explainStop(stop: Stop): string {
  if (stop instanceof OperationError) return `, and the next page failed: ${stop.message}`;
  switch (stop) {
    case 'bound':
      return ', and no more are read for one call';
    case 'same page':
      return ', and asking for the next gave the same page again';
    case 'not a page':
      return ', and asking for the next gave another kind of answer';
    case 'no way':
      return '';
  }
}

/** What a caller can do to see the rest. */
function adviseNext(call: PagedCall, params: object | undefined): string {
  const bounds = boundsGiven(call);
  const without = bounds.length === 0 ? '' : `. Without ${quoteValues(bounds)} all pages are read where possible`;
  if (params !== undefined) return `For the next page call with ${JSON.stringify(params)}${without}`;
  const size = sizeOf(call);
  const more = size === undefined ? '' : `, or raise '${size.name}'`;
  return `Ask for the rest by the operation's own parameters${more}`;
}

/** An answer of exactly as many items as one holds at most, which says nothing of others, may be cut. */
function withDoubt(list: LocatedList, { call, query }: Gathering): GatheredList {
  const signs = readPageSigns(list.data, list.path, list.items.length);
  const size = sizeOf(call);
  if (call.asked !== undefined && size !== undefined) return boundedHere(list, size, signs.isEnd);
  const { length } = list.items;
  const mayGoOn = !signs.isEnd && signs.total === undefined;
  if (size === undefined && mayGoOn && !call.operation.strict && PAGE_SIZES.has(length) && choosesOfAll(query))
    return { list, missing: { warning: warnOfRoundPage(length) }, warnings: [] };
  if (size === undefined || length !== size.size || !mayGoOn) return { list, warnings: [] };
  const isGiven = boundsGiven(call).includes(size.name);
  const isAll = choosesOfAll(query);
  const warning: Warning = {
    code: 'VALIDATION_PARTIAL_LIST_WARNING',
    message:
      `The upstream gave ${list.items.length} items, as many as '${size.name}' allows, and does not say whether there are more. ` +
      `If there are, ${isAll ? 'this result leaves them out' : 'they follow'}: call again with a larger '${size.name}'`,
    details: { read: list.items.length, param: size.name },
    severity: !isAll ? 'low' : isGiven ? 'medium' : 'high',
  };
  return { list, missing: { warning }, warnings: [] };
}

/** How many items servers give unless they are asked for more. */
const PAGE_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000]);

/** A tool that does not name its parameters may have one for the size of its answers. */
function warnOfRoundPage(read: number): Warning {
  return {
    code: 'VALIDATION_PARTIAL_LIST_WARNING',
    message: `The upstream gave ${read} items, a usual limit of servers, and does not say whether there are more. If there are, this result leaves them out: ask the server itself, by parameters of its own`,
    details: { read },
    severity: 'medium',
  };
}

/** A list that the gateway itself bounded, since `first` needs no more: a count beside it may be that of these items. */
function boundedHere(
  list: LocatedList,
  { name, size }: { readonly name: string; readonly size: number },
  isEnd: boolean,
): GatheredList {
  const { length } = list.items;
  if (length < size || isEnd) return { list, warnings: [] };
  const warning: Warning = {
    code: 'VALIDATION_PARTIAL_LIST_WARNING',
    message: `The upstream was asked for no more than ${size} items ('${name}'), because the first page needs no more, and gave ${length}. If there are others, call again for a larger first page`,
    details: { read: length, param: name },
    severity: 'low',
  };
  return { list, missing: { warning }, warnings: [] };
}
