import { groupBy } from '../../../base/lib/collections.js';
import { GATEWAY_SOURCE, localNameOf, type Operation } from '../../../base/protocol/operation.js';
import type { Catalog } from '../../../catalog/catalog.js';
import type { EndpointPlan } from '../../../catalog/endpoint/endpoint-plan.js';
import { isOfferable, sortByUse } from '../../../catalog/endpoint/order-by-use.js';

/** An upstream as its operations show it. */
export interface UpstreamOverview {
  readonly slug: string;
  /** The most useful first. */
  readonly operations: readonly Operation[];
  /** Those of them that may be named where every model reads it. */
  readonly offerable: readonly Operation[];
  /** How many operations each family has, in the order of the families; those without any are left out. */
  readonly families: ReadonlyMap<string, number>;
  /** What the operations are about, by their names: `file`, `directory`. */
  readonly nouns: readonly string[];
}

/** How operations are shown in families. */
export type FamilyPlan = Pick<EndpointPlan, 'familyOf' | 'families' | 'isRefused'>;

/** What introspection shows of a whole catalog; read once, as a catalog does not change. */
export interface Overview {
  /** Every configured upstream, with or without operations, ordered by name. */
  readonly upstreams: readonly UpstreamOverview[];
  /** All operations, those to know first at the front; the upstreams take turns, and the gateway's own come last. */
  readonly operations: readonly Operation[];
  readonly byName: ReadonlyMap<string, Operation>;
}

export function readOverview(catalog: Catalog, plan: FamilyPlan): Overview {
  const offered = catalog.operations.filter(({ appOnly }) => appOnly !== true);
  const groups = groupBy(offered, ({ upstream }) => upstream);
  const slugs = [...new Set([...catalog.upstreams, ...groups.keys()])].filter((slug) => slug !== GATEWAY_SOURCE);
  const verbs = findVerbs(slugs, groups);
  const upstreams = slugs.sort().map((slug): UpstreamOverview => {
    const operations = sortByUse(groups.get(slug) ?? []);
    const offerable = operations.filter((operation) => isOfferable(operation) && !plan.isRefused(operation));
    const families = countFamilies(operations, plan);
    return { slug, operations, offerable, families, nouns: findNouns(slug, operations, verbs) };
  });
  const operations = [...takeTurns(upstreams), ...(groups.get(GATEWAY_SOURCE) ?? [])];
  return {
    upstreams,
    operations,
    byName: new Map(operations.map((operation) => [operation.name, operation])),
  };
}

function countFamilies(operations: readonly Operation[], plan: FamilyPlan): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(plan.families.map(({ name }) => [name, 0]));
  for (const operation of operations) {
    const { name } = plan.familyOf(operation);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > 0));
}

/**
 * The best operation of each upstream, then the second best, and so on. The place of an operation depends on those of its own upstream
 * and on names alone, so that an upstream that connects while a caller reads the pages moves nothing that is still to come.
 */
function takeTurns(upstreams: readonly UpstreamOverview[]): readonly Operation[] {
  const rounds: Operation[][] = [];
  for (const { operations } of upstreams) {
    for (const [round, operation] of operations.entries()) {
      const others = rounds[round];
      if (others === undefined) rounds.push([operation]);
      else others.push(operation);
    }
  }
  return rounds.flat();
}

/** Words of names that say nothing of what an operation is about. */
const IDLE = new Set([
  'all',
  'and',
  'batch',
  'by',
  'for',
  'from',
  'get',
  'info',
  'mcp',
  'multiple',
  'new',
  'of',
  'only',
  'the',
  'to',
  'with',
]);

const NOUN = /^[a-z]{3,16}$/;
/** `allowed`, `annotated`: what things are, not things. */
const PARTICIPLE = /..[^e]ed$/;

const MOST_NOUNS = 4;

/** Words that begin names of several upstreams, such as `list`. */
function findVerbs(slugs: readonly string[], groups: ReadonlyMap<string, readonly Operation[]>): ReadonlySet<string> {
  const users = new Map<string, number>();
  for (const slug of slugs) {
    const leading = new Set((groups.get(slug) ?? []).map((operation) => wordsOf(operation)[0] ?? ''));
    for (const word of leading) users.set(word, (users.get(word) ?? 0) + 1);
  }
  return new Set([...users].filter(([, count]) => count > 1).map(([word]) => word));
}

/** The words behind the first one of names, which is a verb; the most frequent first, those of the upstream's own name left out. */
function findNouns(slug: string, operations: readonly Operation[], verbs: ReadonlySet<string>): readonly string[] {
  const own = new Set(slug.split('_'));
  const counts = new Map<string, number>();
  for (const operation of operations) {
    const [, ...words] = wordsOf(operation).filter((word) => !own.has(word));
    const nouns = words
      .filter((word) => NOUN.test(word) && !PARTICIPLE.test(word) && !IDLE.has(word) && !verbs.has(word))
      .map(singular);
    for (const noun of new Set(nouns)) counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
    .slice(0, MOST_NOUNS)
    .map(([noun]) => noun);
}

function wordsOf(operation: Operation): readonly string[] {
  return localNameOf(operation).split('_');
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /[^siu]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}
