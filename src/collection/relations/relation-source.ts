import type { RelationConfig, UpstreamConfig } from '../../config/gateway-config.js';
import type { Side } from './relation-graph.js';

/** An operation that tells what is connected, and whose it is. */
export interface RelationSource {
  /** The upstream's slug. */
  readonly upstream: string;
  readonly relation: RelationConfig;
}

/** Every relation that is declared, in the configuration's order; none of upstreams that are switched off. */
export function listRelationSources(upstreams: readonly UpstreamConfig[]): readonly RelationSource[] {
  return upstreams
    .filter(({ disabled }) => !disabled)
    .flatMap(({ slug, relations }) => relations.map((relation) => ({ upstream: slug, relation })));
}

/** The sides of a node that the operation tells when it is asked about it. */
export function sidesOf({ source, target }: RelationConfig): readonly Side[] {
  return [...(target === null ? [] : (['outgoing'] as const)), ...(source === null ? [] : (['incoming'] as const))];
}
