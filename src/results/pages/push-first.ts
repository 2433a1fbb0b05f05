import type { JsonObject } from '../../base/json/json.js';
import { localNameOf, type Operation, type Parameter } from '../../base/protocol/operation.js';
import { choosesOfAll } from '../query/parts.js';
import { CONTROLLED, type CollectionQuery } from '../query/result-types.js';
import { defaultOf, isPosition } from './next-page.js';

/** Names of parameters that say how many items a tool gives; what they mean, their descriptions have to say. */
const NAMES = new Set('limit max_results max_count max_items per_page page_size results_per_page top'.split(' '));

/** "Maximum number of commits to return", "Number of results per page", "Max items to list"; the group is what is counted. */
const COUNTS =
  /\b(?:(?:max(?:imum)?|total) (?:number|count) of|how many|number of|max(?:imum)?) ((?:[\w-]{1,30} ){1,3})(?:to (?:return|list|fetch|retrieve|show|include|get)|per (?:page|request|response)|returned)\b/i;
/** Counted within an item, or before something else is done with the list. */
const OTHERWISE =
  /\b(?:per|each|every|within|for each) (?!page|request|response)\w|\b(?:before|after|scan\w*|search through|sampl\w*|examin\w*|lines?|characters?|bytes?|tokens?|levels?|depth|days?|hours?)\b/i;
const ANY_ITEM = /\b(?:results?|items?|entries|records?|rows?|elements?|objects?|hits)\b/i;
const SAID_MAXIMUM =
  /\b(?:max(?:imum)?(?: (?:is|of|value|allowed))?|up to|at most|no more than|<=?)[ :=]{0,3}(\d{1,6})\b|\b\d{1,6} ?(?:-|–|to) ?(\d{1,6})\b/gi;
const MAX_DESCRIPTION = 1_000;

/** What pushing `first` depends on beside the operation. */
interface Pushing {
  /** In the upstream's spelling. */
  readonly arguments: JsonObject;
  readonly query: CollectionQuery | undefined;
  /** Whether the operation's answers are known to be lists. */
  readonly isList: boolean;
  /** Whether the upstream's schema allows these arguments. */
  readonly accepts: (args: JsonObject) => boolean;
}

/**
 * The arguments with which the upstream gives no more items than `first` asks for: one more, which shows whether there are
 * others, where its maximum allows. Undefined where it is not certain that this gives the same first items, and where the
 * upstream gives its answer in pages or bounds it to as many anyway: then further pages of the caller need no other call.
 */
export function pushFirst(
  operation: Operation,
  { arguments: args, query, isList, accepts }: Pushing,
): JsonObject | undefined {
  const size = sizeAskedFor(query);
  if (size === undefined || !isList || operation.classification.category !== CONTROLLED) return undefined;
  if (operation.parameters.some(isPosition)) return undefined;
  const named = operation.parameters.filter(({ name, place }) => NAMES.has(name) && place === 'params');
  const [parameter] = named;
  if (parameter === undefined || named.length > 1 || !isCertain(parameter, operation)) return undefined;
  const { upstreamName } = parameter;
  const given = args[upstreamName];
  if ((given !== undefined && given !== null) || size < (defaultOf(parameter) ?? 0)) return undefined;
  const maximum = saidMaximum(parameter);
  const candidates = [size + 1, size].filter((each) => each <= maximum);
  return candidates.map((each) => ({ ...args, [upstreamName]: each })).find(accepts);
}

/** The size of a first page in the upstream's order. */
function sizeAskedFor(query: CollectionQuery | undefined): number | undefined {
  if (query === undefined || choosesOfAll(query) || query.collection !== undefined) return undefined;
  const { page } = query;
  return page.style === 'forward' && page.after === undefined && page.size > 0 ? page.size : undefined;
}

/** Whether the parameter counts the items that the operation returns, as its description says. */
function isCertain({ schema }: Parameter, operation: Operation): boolean {
  const { type } = schema;
  const description = descriptionOf(schema);
  if ((type !== 'integer' && type !== 'number') || OTHERWISE.test(description)) return false;
  const [, counted] = COUNTS.exec(description) ?? [];
  if (counted === undefined) return false;
  // A list of threads is not counted in messages.
  const words = new Set(localNameOf(operation).split('_').map(singular));
  return (
    ANY_ITEM.test(counted) ||
    counted
      .toLowerCase()
      .split(/\W+/)
      .some((word) => word !== '' && words.has(singular(word)))
  );
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

/** The least number that the description may mean as the maximum; the schema's own is checked with the arguments. */
function saidMaximum({ schema }: Parameter): number {
  const said = [...descriptionOf(schema).matchAll(SAID_MAXIMUM)].map(([, most, end]) => Number(most ?? end));
  return Math.min(Number.POSITIVE_INFINITY, ...said);
}

function descriptionOf({ description }: Parameter['schema']): string {
  return typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '';
}
