import { dangerRank } from '../protocol/danger.js';
import { groupBy } from '../protocol/group-by.js';
import { NAME_PATTERN, type Operation } from '../protocol/operation.js';

/** Longer names cost more than they tell, and a sentence in disguise does not fit. */
const LONGEST_NAME = 32;

/** How often an upstream may offer an operation; what comes after that is seldom shorter or simpler. */
const ROUNDS = 8;

/**
 * The operations worth naming to a model, best first. The upstreams take turns, the one with most operations first, and
 * each offers what is harmless, easy to call and short before what is not. The order depends on nothing else, so that
 * descriptions change only when operations do.
 */
export function* offerOperations(operations: readonly Operation[]): Generator<Operation> {
  const groups = groupByUpstream(
    operations.filter(({ name }) => name.length <= LONGEST_NAME && NAME_PATTERN.test(name)),
  );
  const sorted: Operation[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, group] of groups.entries()) {
      sorted[index] ??= sortByUse(group);
      const next = sorted[index][round];
      if (next !== undefined) yield next;
    }
  }
}

/** The largest group first. */
function groupByUpstream(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const groups = groupBy(operations, (operation) => operation.upstream);
  return [...groups]
    .toSorted(([slugA, a], [slugB, b]) => b.length - a.length || compareText(slugA, slugB))
    .map(([, group]) => group);
}

function sortByUse(operations: readonly Operation[]): Operation[] {
  return operations
    .map((operation) => ({ operation, effort: effortOf(operation) }))
    .sort((a, b) => a.effort - b.effort || compareText(a.operation.name, b.operation.name))
    .map(({ operation }) => operation);
}

/** Danger weighs more than required parameters, and those more than a long name. */
function effortOf({ name, classification, parameters }: Operation): number {
  const required = parameters.filter((parameter) => parameter.required).length;
  return dangerRank(classification.danger.level) * 10_000 + Math.min(required, 99) * 100 + name.length;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
