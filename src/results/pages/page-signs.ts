import { isJsonObject } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { FieldPath } from '../query/result-types.js';

/** A member beside a list that speaks of its pages. */
export interface PageFact {
  /** In snake_case. */
  readonly name: string;
  /** As the answer writes it, with the objects around it. */
  readonly path: FieldPath;
  readonly value: string | number | boolean;
  /** Whether it stands in an object called `next`, as in `{"next": {"after": "x"}}`. */
  readonly isInNext: boolean;
}

/** What an answer says of the pages that its list is one of. */
export interface PageSigns {
  readonly facts: readonly PageFact[];
  /** Why the list is one page of more, in words; undefined where the answer says nothing of the kind. */
  readonly evidence?: string;
  /** How many items all pages hold together, as the answer says. */
  readonly total?: number;
  /** Whether the answer says that no page follows. */
  readonly isEnd: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Objects beside a list in which servers say where its page stands. */
const PAGE_OBJECTS = words(
  'pagination paging paginator page page_info pageinfo meta metadata _meta op_meta link links op_links cursor cursors ' +
    'next next_page headers response_metadata search_metadata result_info total totals hits pages navigation',
);

/** `truncated` and `incomplete` mean that something is missing, whether there is a way to it or not. */
const MORE_FLAGS = words(
  'more has_more hasmore has_next has_next_page has_more_pages has_more_results has_more_items more_available ' +
    'more_results more_results_available is_truncated truncated incomplete incomplete_results is_partial partial',
);

const END_FLAGS = words('last is_last is_last_page last_page done is_done complete is_complete exhausted end is_end');

const TOTALS = words(
  'total total_count total_items total_results total_records total_rows total_elements total_hits total_entries ' +
    'total_matches total_size total_number count_total results_total items_total num_found total_found totalcount count',
);

const PAGE_COUNTS = words('total_pages page_count pages num_pages last_page pages_total number_of_pages');

/** What follows `next`: `next_sync_token` is none of them, it comes with the last page. */
const NEXT =
  /^(?:op_)?(?:odata_)?next(?:_(?:cursor|page|page_token|page_id|page_url|page_link|page_number|page_start|token|pagination_token|continuation_token|offset|marker|url|uri|link|href|start|start_at|start_index|skip|index|key|records_url))?$/;

const CONTINUATIONS = words('continuation_token continuation continue continue_token pagination_token scroll_cursor');

/** Texts such as `Showing 1-50 of 120 results`. */
const SHOWN_OF = /(?<!\d)(\d{1,9}) (?:out )?of (?:about |~)?(\d{1,12})(?![\d.]*\d)/i;

const NEXT_LINK = /<([^<>]{1,2000})>[^,<]{0,200}?rel="?next"?/;

/** Longer texts beside a list are not about its pages. */
const MAX_TEXT = 4_000;
const MAX_DEPTH = 3;
const MOST_FACTS = 200;
/** An object of more members is data. */
const MOST_MEMBERS = 1_000;

/**
 * What the members beside a list, and those of the objects around it, say of its pages.
 *
 * @param path of the list in `data`
 * @param read how many items were read so far, those of this page included
 * @param isLater whether the call asked for a certain page
 */
export function readPageSigns(data: unknown, path: FieldPath, read: number, isLater = false): PageSigns {
  const facts = collectFacts(data, path);
  const total = findTotal(facts, read);
  const saysEnd = facts.some(isEndFact);
  const flag = facts.find(isMoreFact);
  // `{"has_more": false, "total": 120}`: of a page that was asked for, the pages before it are missing too.
  const isEnd = saysEnd && flag === undefined;
  const evidence =
    isEnd && !isLater ? undefined : (flag ?? findNext(facts, isEnd) ?? findCount({ facts, total, read, isLater }));
  return {
    facts,
    isEnd,
    ...(evidence !== undefined && { evidence: `'${evidence.path.join('.')}' is ${describe(evidence.value)}` }),
    ...(total !== undefined && { total: total.count }),
  };
}

function describe(value: PageFact['value']): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? 'given' : text;
}

function isMoreFact({ name, value }: PageFact): boolean {
  return (MORE_FLAGS.has(name) && value === true) || (END_FLAGS.has(name) && value === false);
}

function isEndFact({ name, value }: PageFact): boolean {
  return (MORE_FLAGS.has(name) && value === false) || (END_FLAGS.has(name) && value === true);
}

/** A member that leads to the next page. A cursor beside "there are no more" does not. */
function findNext(facts: readonly PageFact[], isEnd: boolean): PageFact | undefined {
  return isEnd ? undefined : facts.find(leadsOn);
}

/** Whether a member is where the next page begins, by its name alone. */
export function leadsOn({ name, value, isInNext }: PageFact): boolean {
  if (typeof value === 'boolean' || value === '') return false;
  if (name === 'link') return typeof value === 'string' && NEXT_LINK.test(value);
  return isInNext || NEXT.test(name) || CONTINUATIONS.has(name) || (name === 'offset' && typeof value === 'string');
}

/** The address of the next page in a `Link` header. */
export function nextLinkOf(value: string): string | undefined {
  return NEXT_LINK.exec(value.slice(0, MAX_TEXT))?.[1];
}

interface Total {
  readonly count: number;
  readonly fact: PageFact;
}

function findTotal(facts: readonly PageFact[], read: number): Total | undefined {
  const named = facts.filter(({ name, value, path }) => {
    const isNamed = TOTALS.has(name) || ((name === 'value' || name === 'count') && /^total$/i.test(path.at(-2) ?? ''));
    return isNamed && typeof value === 'number' && Number.isSafeInteger(value);
  });
  // `count` may be the page's own beside a `total`.
  const fact = named.find(({ name }) => name !== 'count') ?? named[0];
  if (fact !== undefined) return { count: Number(fact.value), fact };
  const shown = facts.flatMap((text) => {
    const [, part, all] = typeof text.value === 'string' ? (SHOWN_OF.exec(text.value) ?? []) : [];
    return all !== undefined && Number(part) === read ? [{ count: Number(all), fact: text }] : [];
  });
  return shown[0];
}

interface Counted {
  readonly facts: readonly PageFact[];
  readonly total: Total | undefined;
  readonly read: number;
  readonly isLater: boolean;
}

function findCount({ facts, total, read, isLater }: Counted): PageFact | undefined {
  if (total !== undefined) return total.count > read ? total.fact : undefined;
  const current = facts.find(({ name, value }) => CURRENT_PAGE.test(name) && typeof value === 'number');
  const least = isLater ? 1 : Math.max(1, Number(current?.value ?? 1));
  return facts.find(({ name, value }) => PAGE_COUNTS.has(name) && typeof value === 'number' && value > least);
}

const CURRENT_PAGE = /^(?:current_)?page(?:_(?:number|num|no|index))?$/;

function collectFacts(data: unknown, path: FieldPath): readonly PageFact[] {
  const facts: PageFact[] = [];
  let level = data;
  path.forEach((key, index) => {
    if (!isJsonObject(level)) return;
    gather(level, path.slice(0, index), { skip: key, depth: 0, isInNext: false }, facts);
    level = Object.hasOwn(level, key) ? level[key] : undefined;
  });
  return facts;
}

interface Place {
  /** The member that holds the list itself. */
  readonly skip?: string;
  readonly depth: number;
  readonly isInNext: boolean;
}

function gather(value: object, path: FieldPath, { skip, depth, isInNext }: Place, facts: PageFact[]): void {
  for (const [key, member] of Object.entries(value).slice(0, MOST_MEMBERS)) {
    if (key === skip || facts.length >= MOST_FACTS) continue;
    const name = toSnakeCase(key);
    const inside = [...path, key];
    if (isFactValue(member)) {
      facts.push({ name, path: inside, value: member, isInNext });
    } else if (isJsonObject(member) && depth < MAX_DEPTH && PAGE_OBJECTS.has(name)) {
      const isNext = /^(?:op_)?next(?:_page)?$/.test(name);
      gather(member, inside, { depth: depth + 1, isInNext: isInNext || isNext }, facts);
    }
  }
}

function isFactValue(value: unknown): value is PageFact['value'] {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  return typeof value === 'number' || typeof value === 'boolean';
}
