import type { JsonObject } from '../../../../src/base/json/json.js';
import type { RelationConfig } from '../../../../src/config/gateway-config.js';
import type { CallOperation } from '../../../../src/modules/relationships/edges.js';
import {
  type RelationRequest,
  type RelationSource,
  readRelationRequest,
} from '../../../../src/modules/relationships/graph.js';

/** Members that are undefined are as if a file had left them out. */
type Changes = { readonly [K in keyof RelationConfig]?: RelationConfig[K] | undefined };

/** A relation whose edges one call gives. */
export function aRelation(changes: Changes = {}): RelationConfig {
  return {
    relationship: 'uses',
    operation: 'read_graph',
    params: {},
    edges: 'relations',
    source: 'from',
    target: 'to',
    ...changes,
  } as RelationConfig;
}

export function aSource(changes: Changes = {}, upstream = 'demo'): RelationSource {
  return { upstream, relation: aRelation(changes) };
}

export function aRequest(given: JsonObject): RelationRequest {
  return readRelationRequest(given);
}

/** Records calls, which are answered by the operation's name. */
export function recordCalls(answers: Readonly<Record<string, (params: JsonObject) => unknown>>): {
  readonly calls: (readonly [upstream: string, operation: string, params: JsonObject])[];
  readonly callOperation: CallOperation;
} {
  const calls: [string, string, JsonObject][] = [];
  return {
    calls,
    callOperation: async (upstream, operation, params) => {
      calls.push([upstream, operation, params]);
      return answers[operation]?.(params);
    },
  };
}

/** A graph as a memory server returns it: `a-uses-b`. */
export function aGraph(...edges: readonly string[]): { relations: readonly JsonObject[] } {
  return {
    relations: edges.map((edge) => {
      const [from, kind, to] = edge.split('-');
      return { from, kind, to };
    }),
  };
}
