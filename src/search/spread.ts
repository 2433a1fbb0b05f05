import type { Operation } from '../protocol/operation.js';

interface Scored {
  readonly operation: Pick<Operation, 'upstream'>;
  readonly score: number;
}

/** The places that most readers look at. */
const FIRST_PLACES = 5;

/** So many of them one server takes, while others have something. */
const MOST_OF_ONE = 3;

/** What another server has is shown in place of a hit that scores hardly more. */
const NEARLY = 0.8;

/**
 * Keeps one server with many alike tools from filling the first places of a request that names no server. The best hits keep their places;
 * a hit that gives way comes right after them.
 * @param hits best first
 */
export function spreadOverServers<Hit extends Scored>(hits: readonly Hit[]): readonly Hit[] {
  const first: Hit[] = [];
  const left = [...hits];
  while (first.length < FIRST_PLACES && left.length > 0) {
    const [next] = left.splice(findNext(left, first), 1);
    if (next === undefined) break;
    first.push({ ...next, score: Math.min(next.score, first.at(-1)?.score ?? next.score) });
  }
  const least = first.at(-1)?.score ?? 0;
  return [...first, ...left.map((hit) => (hit.score <= least ? hit : { ...hit, score: least }))];
}

/** Where among those left the hit for the next place is. */
function findNext(left: readonly Scored[], taken: readonly Scored[]): number {
  const [best] = left;
  const { upstream } = best?.operation ?? {};
  if (taken.filter(({ operation }) => operation.upstream === upstream).length < MOST_OF_ONE) return 0;
  const other = left.findIndex(({ operation }) => operation.upstream !== upstream);
  return other > 0 && (left[other]?.score ?? 0) >= NEARLY * (best?.score ?? 0) ? other : 0;
}
