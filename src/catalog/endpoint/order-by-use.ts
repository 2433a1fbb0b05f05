import { groupBy } from '../../base/lib/collections.js';
import { dangerRank, localNameOf, NAME_PATTERN, type Operation } from '../../base/protocol/operation.js';

/** Longer names cost too many tokens, and a name may contain a sentence that is meant for the model. */
const LONGEST_OPERATION_NAME = 32;

/** Whether a name may stand where every model reads it. */
export function isOfferable({ name }: Operation): boolean {
  return name.length <= LONGEST_OPERATION_NAME && NAME_PATTERN.test(name);
}

/** How many operations each upstream contributes at most; later ones are seldom shorter or simpler. */
const ROUNDS = 8;

/**
 * The operations to name to a model, best first. The upstreams take turns, the one with most operations first; within an
 * upstream, operations that are harmless, easy to call and short come first. The order depends on nothing else, so that
 * descriptions change only when operations change.
 */
export function offerOperations(operations: readonly Operation[]): readonly Operation[] {
  const picked = groupByUpstream(operations.filter(isOfferable)).map(pickByUse);
  return Array.from({ length: ROUNDS }, (_, round) => picked.flatMap((best) => best.slice(round, round + 1))).flat();
}

/** The largest group first. */
function groupByUpstream(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const groups = groupBy(operations, (operation) => operation.upstream);
  return [...groups]
    .toSorted(([slugA, a], [slugB, b]) => b.length - a.length || compareText(slugA, slugB))
    .map(([, group]) => group);
}

/**
 * The operations of one upstream, the most useful first: harmless ones, easy to call, with short names. What other upstreams offer, which
 * decides whether a name is qualified, does not change the order.
 */
export function sortByUse(operations: readonly Operation[]): readonly Operation[] {
  const ranked = operations.map((operation) => ({ operation, effort: effortOf(operation) }));
  return ranked.sort(compareEffort).map(({ operation }) => operation);
}

/** The first of them, as many as there are rounds. An upstream may have thousands. */
function pickByUse(operations: readonly Operation[]): readonly Operation[] {
  const best: Ranked[] = [];
  for (const operation of operations) {
    const ranked = { operation, effort: effortOf(operation) };
    const place = best.findIndex((other) => compareEffort(ranked, other) < 0);
    if (place < 0 && best.length >= ROUNDS) continue;
    best.splice(place < 0 ? best.length : place, 0, ranked);
    if (best.length > ROUNDS) best.pop();
  }
  return best.map(({ operation }) => operation);
}

interface Ranked {
  readonly operation: Operation;
  readonly effort: number;
}

function compareEffort(a: Ranked, b: Ranked): number {
  return a.effort - b.effort || compareText(a.operation.qualifiedName, b.operation.qualifiedName);
}

/** What these name is harmless to read, but nothing that a model should be led to. */
const PRIVATE = /(?:^|_)(?:env|environ|secrets?|credentials?|passwords?|tokens?|api_keys?|auth)(?:_|$)/;

/**
 * Danger counts more than required parameters, and those more than a long name; reads come before writes. What shows secrets,
 * what destroys without being told what, and what is deprecated is no example for anything.
 */
function effortOf(operation: Operation): number {
  const { classification, parameters, deprecated } = operation;
  const name = localNameOf(operation);
  const danger = 2 * dangerRank(classification.danger.level) + (classification.category === 'READ' ? 0 : 1);
  const required = parameters.filter((parameter) => parameter.required).length;
  const untypical = PRIVATE.test(name) || (required === 0 && danger >= 2 * dangerRank('destructive'));
  return (
    (deprecated === undefined ? danger : danger + 10) * 10_000 +
    (untypical ? 9_900 : Math.min(required, 98) * 100) +
    name.length
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
