import type { JsonObject } from '../../protocol/json.js';
import { SIDES, type Side } from './relation-graph.js';
import { type RelationSource, sidesOf } from './relation-source.js';
import { TRAVERSAL_LIMITS, type Traversal } from './traversal.js';

const UNTOLD: Readonly<Record<Side, string>> = {
  outgoing: 'no operation tells what is outgoing',
  incoming: 'no operation tells what is incoming',
};

/** What a traversal did not find out, and why. */
export function describeGaps({ request, sources, failures, reached }: Traversal): readonly JsonObject[] {
  return [
    ...findUntoldSides(sources, SIDES[request.direction]),
    ...[...failures].map(([{ relation }, errors]) => ({
      relationship: relation.relationship,
      operation: relation.operation,
      failed: errors.length,
      reason: errors[0]?.message,
    })),
    ...[...reached].map((limit) => ({
      reason: `stopped at ${TRAVERSAL_LIMITS[limit]} ${limit}: ask for one relationship, or go on from a node`,
    })),
  ];
}

/** Sides that are asked for, and that none of the operations behind a relationship tells. */
function findUntoldSides(sources: readonly RelationSource[], asked: readonly Side[]): readonly JsonObject[] {
  const told = new Map<string, readonly Side[]>();
  for (const { relation } of sources) {
    told.set(relation.relationship, [...(told.get(relation.relationship) ?? []), ...sidesOf(relation)]);
  }
  return [...told].flatMap(([relationship, sides]) =>
    asked.filter((side) => !sides.includes(side)).map((side) => ({ relationship, reason: UNTOLD[side] })),
  );
}
