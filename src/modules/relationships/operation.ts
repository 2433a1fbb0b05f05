import type { JsonObject, JsonSchema } from '../../base/json/json.js';
import { GATEWAY_SOURCE, type Operation, type Parameter } from '../../base/protocol/operation.js';
import { finishOperation } from '../../catalog/operation.js';
import { DIRECTIONS, type Direction, type RelationSource, SECTIONS, SIDES, sidesOf } from './graph.js';

const RELATIONSHIPS_OPERATION = 'query_relationships';

const MAX_DEPTH = 3;

/** The sides of which some relation lists the edges; `both` where there are both. */
function directionsOf(sources: readonly RelationSource[]): readonly Direction[] {
  const sides = new Set(sources.flatMap(({ relation }) => sidesOf(relation)));
  return DIRECTIONS.filter((direction) => SIDES[direction].every((side) => sides.has(side)));
}

/** Undefined where an operation gives names of its own. */
function namesOf(sources: readonly RelationSource[]): readonly string[] | undefined {
  if (sources.some(({ relation }) => relation.type !== undefined)) return undefined;
  return unique(sources.map(({ relation }) => relation.relationship));
}

/**
 * The built-in operation that walks the declared relations (companion document "relationship queries"); undefined where none
 * are declared.
 */
export function createRelationshipsOperation(sources: readonly RelationSource[]): Operation | undefined {
  if (sources.length === 0) return undefined;
  const schemas = describeParameters(sources);
  const required = ['root', ...('upstream' in schemas ? ['upstream'] : [])];
  return finishOperation({
    name: RELATIONSHIPS_OPERATION,
    qualifiedName: RELATIONSHIPS_OPERATION,
    upstream: GATEWAY_SOURCE,
    tool: RELATIONSHIPS_OPERATION,
    classification: {
      category: 'READ',
      danger: { level: 'safe', reasons: ['calls READ operations alone, each as its caller'] },
      confidence: 1,
      evidence: ['built into the gateway'],
    },
    description: `Find the things connected with one thing, and those connected with them, in one call. Relationships: ${listKnown(sources)}`,
    parameters: Object.entries(schemas).map(
      ([name, schema]): Parameter => ({
        name,
        upstreamName: name,
        place: 'params',
        required: required.includes(name),
        schema,
      }),
    ),
    identifiers: [],
    strict: true,
    inputSchema: { type: 'object', properties: schemas, required, additionalProperties: false },
    outputSchema: RELATIONSHIPS_OUTPUT,
    retryable: true,
    groupedBy: null,
    collection: ['relationships'],
    relationships: { directions: directionsOf(sources), types: namesOf(sources) ?? [], maxDepth: MAX_DEPTH },
    examples: [
      example('The things one thing leads to', sources, { root: 'ID' }),
      example('Two steps in both directions, as a graph', sources, {
        root: 'ID',
        direction: 'both',
        depth: 2,
        include: ['graph.nodes', 'graph.edges'],
      }),
    ],
  });
}

function describeParameters(sources: readonly RelationSource[]): Readonly<Record<string, JsonSchema>> {
  const upstreams = unique(sources.map(({ upstream }) => upstream));
  return {
    root: {
      type: ['string', 'number', 'object'],
      minLength: 1,
      description: 'Where to start: an id, or an object with one identifying value such as {"element_name": "..."}',
    },
    direction: {
      type: 'string',
      enum: [...DIRECTIONS],
      default: 'outgoing',
      description: "Relationships leading away ('outgoing'), leading here ('incoming'), or both",
    },
    relationship: describeRelationship(sources),
    depth: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_DEPTH,
      default: 1,
      description: 'How many steps from the root',
    },
    include: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: [...SECTIONS] },
      description: 'The wanted parts of the answer, beside the root; all where absent',
    },
    fields: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: [...SECTIONS] },
      description: "Alias of 'include'",
    },
    first: { type: 'integer', minimum: 0, description: 'Relationships of one answer, with their part of the graph' },
    after: { type: 'string', minLength: 1, description: "'_meta.pageInfo.endCursor' of the page before; with first" },
    // Ids mean something within one server alone.
    ...(upstreams.length > 1 && {
      upstream: { type: 'string', enum: upstreams, description: 'Whose things are connected' },
    }),
  };
}

/** An enum unless an operation gives names of its own. */
function describeRelationship(sources: readonly RelationSource[]): JsonSchema {
  const names = namesOf(sources);
  const description = 'The type of relationship to follow; all where absent';
  return { type: 'string', minLength: 1, ...(names !== undefined && { enum: names }), description };
}

/** `tracker (blocked_by, part_of), memory (named by its data)`. */
function listKnown(sources: readonly RelationSource[]): string {
  const parts = unique(sources.map(({ upstream }) => upstream)).map((upstream) => {
    const own = sources.filter((source) => source.upstream === upstream);
    const names = own.map(({ relation }) =>
      relation.type === undefined ? relation.relationship : 'named by its data',
    );
    return `${upstream} (${unique(names).join(', ')})`;
  });
  return parts.join(', ');
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function example(
  description: string,
  sources: readonly RelationSource[],
  params: JsonObject,
): {
  description: string;
  request: JsonObject;
} {
  const upstreams = unique(sources.map(({ upstream }) => upstream));
  const all = upstreams.length > 1 ? { ...params, upstream: upstreams[0] } : params;
  return { description, request: { operation: RELATIONSHIPS_OPERATION, params: all } };
}

const TEXT: JsonSchema = { type: 'string' };

const REFERENCE: JsonSchema = {
  type: 'object',
  properties: { element_type: TEXT, element_name: TEXT },
  required: ['element_type', 'element_name'],
};

/** What `query_relationships` answers with; the parts that `include` leaves out are missing. */
const RELATIONSHIPS_OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    root: REFERENCE,
    relationships: {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: TEXT, direction: TEXT, target: REFERENCE, depth: { type: 'integer' } },
      },
    },
    graph: {
      type: 'object',
      properties: {
        nodes: {
          type: 'array',
          items: { type: 'object', properties: { id: TEXT, element_type: TEXT, element_name: TEXT } },
        },
        edges: { type: 'array', items: { type: 'object', properties: { source: TEXT, target: TEXT, type: TEXT } } },
      },
    },
  },
};
