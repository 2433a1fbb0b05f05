import type { JsonObject } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { Operation, Parameter } from '../../base/protocol/operation.js';
import { readSchema } from '../../schema/schema-shape.js';
import { leadsOn, nextLinkOf, type PageFact, type PageSigns } from './page-signs.js';

/** The argument with which a tool gives the next page, in the upstream's spelling. */
export interface NextPage {
  readonly parameter: Parameter;
  readonly value: string | number;
}

/** A call whose answer is one page. */
export interface PagedCall {
  readonly operation: Operation;
  /** In the upstream's spelling. */
  readonly arguments: JsonObject;
  /** What the caller gave, where the gateway bounds the list further. */
  readonly asked?: JsonObject | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const OFFSETS = words('offset skip start start_index start_offset from_index start_at');
const PAGES = words('page page_number page_num page_no page_index pageno');
const CURSORS = words(
  'cursor start_cursor page_cursor next_cursor after after_cursor end_cursor page_token next_page_token next_token ' +
    'skip_token skiptoken continuation_token continue_token continuation pagination_token marker next_marker start_token ' +
    'starting_token scroll_cursor',
);

/** Parameters that bound how many items one answer holds. */
const SIZES = words(
  'limit max_results max_count max_items per_page page_size pagesize perpage page_limit size top first maxresults results_per_page',
);

const PAGE_SIZE = /page/;

/** Whether a parameter says which page is wanted, by its name. */
export function isPosition({ name }: Pick<Parameter, 'name'>): boolean {
  return OFFSETS.has(name) || PAGES.has(name) || CURSORS.has(name);
}

/** The parameters of an operation, and what a call gives beside them where the tool may take more than its schema names. */
function parametersOf({ operation, arguments: args }: PagedCall): readonly Named[] {
  const { parameters, scope, strict } = operation;
  if (strict) return parameters;
  const further = Object.keys(args).filter((key) => !scope.byUpstreamName.has(key));
  return [...parameters, ...further.map((key) => ({ name: toSnakeCase(key), upstreamName: key, schema: {} }))];
}

type Named = Pick<Parameter, 'name' | 'upstreamName' | 'schema'>;

/** The arguments of a call that choose a page, as callers name them. */
export function positionsGiven(call: PagedCall): readonly string[] {
  return parametersOf(call)
    .filter((each) => isPosition(each) && isGiven(each, call.arguments))
    .map(({ name }) => name);
}

/** The arguments with which the caller bounds the whole list: those that bound a page are not among them. */
export function boundsGiven(call: PagedCall): readonly string[] {
  return parametersOf(call)
    .filter((each) => SIZES.has(each.name) && !PAGE_SIZE.test(each.name) && isGiven(each, call.arguments))
    .map(({ name }) => name);
}

/** How many items an answer holds at most, by an argument or by what the tool says of its parameter. */
export function sizeOf(call: PagedCall): { readonly name: string; readonly size: number } | undefined {
  for (const parameter of parametersOf(call)) {
    if (!SIZES.has(parameter.name)) continue;
    const size = call.arguments[parameter.upstreamName] ?? defaultOf(parameter);
    if (typeof size === 'number' && size > 0) return { name: parameter.name, size };
  }
  return undefined;
}

const SAID_DEFAULT = /\bdefaults?(?: value)?(?: is| to|:|=)? ?`?(\d{1,6})\b/i;

/** How many items a tool gives without the parameter, by its schema or its description. */
export function defaultOf({ schema }: Pick<Parameter, 'schema'>): number | undefined {
  if (typeof schema['default'] === 'number') return schema['default'];
  const said =
    typeof schema['description'] === 'string' ? SAID_DEFAULT.exec(schema['description'].slice(0, 1_000)) : null;
  return said === null ? undefined : Number(said[1]);
}

function isGiven({ upstreamName }: Named, args: JsonObject): boolean {
  return args[upstreamName] !== undefined && args[upstreamName] !== null;
}

/**
 * How the tool gives the page after this one, where its schema and its answer show it beyond doubt: a member of the answer
 * leads on, and one parameter of the tool goes by its name; or the answer counts its pages or items by the name of a parameter.
 *
 * @param pageItems how many items the last page held
 */
export function findNextPage(call: PagedCall, signs: PageSigns, pageItems: number): NextPage | undefined {
  const leading = signs.facts.filter(leadsOn);
  for (const fact of leading) {
    const found = byToken(call, fact) ?? byAddress(call, fact);
    if (found !== undefined) return found;
  }
  return byCursor(call, signs) ?? byPageNumber(call, signs) ?? byOffset(call, signs, pageItems);
}

/** A cursor that is not called the next one: `{"cursor": "x"}`, `{"end_cursor": "x"}`. That of the page itself is no way on. */
export function byCursor(call: PagedCall, { facts }: PageSigns): NextPage | undefined {
  for (const fact of facts) {
    const { name, value } = fact;
    if (typeof value !== 'string' || value === '' || !/^(?:end_|last_)?cursor$|^scroll_id$/.test(name)) continue;
    const names = name === 'end_cursor' ? ['end_cursor', 'after', 'cursor', 'after_cursor'] : [name];
    const found = choose(call, (each) => names.includes(each), value);
    if (found !== undefined && call.arguments[found.parameter.upstreamName] !== value) return found;
  }
  return undefined;
}

/** A token, a number or an offset that is sent back as it came. */
function byToken(call: PagedCall, fact: PageFact): NextPage | undefined {
  const { value } = fact;
  if (typeof value === 'boolean' || (typeof value === 'string' && /^(?:https?:|\/|<)/.test(value))) return undefined;
  const names = parameterNames(fact, typeof value === 'number');
  return choose(call, (name) => names.has(name), value);
}

/** What a tool may call the parameter for a member that leads on: `next_page_token`, `page_token`, `start_cursor`. */
function parameterNames({ name, isInNext }: PageFact, isNumber: boolean): ReadonlySet<string> {
  const rest = name.replace(/^(?:odata_)?next_/, '');
  const names = new Set([name, rest, `start_${rest}`, `${rest}_cursor`, `after_${rest}`]);
  if (rest === 'cursor') for (const each of ['after', 'start_cursor', 'page_cursor']) names.add(each);
  if (rest === 'next') for (const each of isNumber ? PAGES : ['cursor', 'next_cursor']) names.add(each);
  if (rest === 'page') for (const each of isNumber ? PAGES : ['cursor', 'page_token', 'page_cursor']) names.add(each);
  if (rest === 'token') names.add('page_token').add('next_page_token').add('continuation_token');
  if (isInNext) names.add(`${rest}_cursor`);
  return names;
}

/** The address of the next page: its query names the parameter, as `?page=2` and `$skip=50` do. */
function byAddress(call: PagedCall, { name, value }: PageFact): NextPage | undefined {
  if (typeof value !== 'string') return undefined;
  const query = queryOf(name === 'link' ? (nextLinkOf(value) ?? '') : value);
  const found = [...query].flatMap(([key, text]) => {
    const next = choose(call, (each) => each === toSnakeCase(key.replace(/^\$/, '')), text);
    return next === undefined || call.arguments[next.parameter.upstreamName] === next.value ? [] : [next];
  });
  const [only] = found;
  return found.length === 1 ? only : undefined;
}

function queryOf(address: string): URLSearchParams {
  const start = address.indexOf('?');
  return new URLSearchParams(start < 0 || address.length > MAX_ADDRESS ? '' : address.slice(start + 1));
}

const MAX_ADDRESS = 4_000;

/** The page after the one that the answer names: `{"page": 1, "total_pages": 3}` of a tool with `page`. */
function byPageNumber(call: PagedCall, { facts }: PageSigns): NextPage | undefined {
  const current = facts.find(
    ({ name, value }) => typeof value === 'number' && PAGES.has(name.replace(/^current_/, '')),
  );
  if (current === undefined) return undefined;
  const asked = numberAt(call, PAGES);
  if (asked !== undefined && asked !== current.value) return undefined;
  const name = current.name.replace(/^current_/, '');
  const isNamed = (each: string): boolean => each === name || (name === 'page' && PAGES.has(each));
  return choose(call, isNamed, Number(current.value) + 1);
}

/** As many items further: where the answer names its offset, or a tool that skips items answers with a total. */
function byOffset(call: PagedCall, { facts, total }: PageSigns, pageItems: number): NextPage | undefined {
  const current = facts.find(({ name, value }) => typeof value === 'number' && OFFSETS.has(name));
  const asked = numberAt(call, OFFSETS);
  if (current !== undefined) {
    if (asked !== undefined && asked !== current.value) return undefined;
    return choose(call, (name) => name === current.name, Number(current.value) + pageItems);
  }
  if (total === undefined) return undefined;
  return choose(call, (name) => name === 'offset' || name === 'skip', (asked ?? 0) + pageItems);
}

function numberAt({ operation, arguments: args }: PagedCall, names: ReadonlySet<string>): number | undefined {
  const given = operation.parameters.filter(({ name }) => names.has(name)).map((each) => args[each.upstreamName]);
  return given.find((value) => typeof value === 'number');
}

/** The only parameter of these names that says which page is wanted, where it takes such a value. */
function choose(
  { operation }: PagedCall,
  isNamed: (name: string) => boolean,
  value: string | number,
): NextPage | undefined {
  const named = operation.parameters.filter((each) => isPosition(each) && isNamed(each.name));
  const [parameter] = named;
  if (parameter === undefined || named.length > 1) return undefined;
  const typed = valueFor(parameter, operation, value);
  return typed === undefined ? undefined : { parameter, value: typed };
}

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

function valueFor(
  { schema }: Parameter,
  { inputSchema }: Operation,
  value: string | number,
): string | number | undefined {
  const { shape } = readSchema(schema, inputSchema);
  const type = shape.kind === 'scalar' ? shape.type : shape.kind === 'union' ? 'any' : 'none';
  const isNumeric = type === 'number' || type === 'integer';
  if (type === 'any' || type === (typeof value === 'number' ? 'number' : 'string')) return value;
  if (isNumeric && typeof value === 'number') return value;
  if (isNumeric && WHOLE_NUMBER.test(String(value))) return Number(value);
  return undefined;
}
