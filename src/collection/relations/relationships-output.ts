import type { JsonSchema } from '../../protocol/json.js';

const TEXT: JsonSchema = { type: 'string' };

const REFERENCE: JsonSchema = {
  type: 'object',
  properties: { element_type: TEXT, element_name: TEXT },
  required: ['element_type', 'element_name'],
};

/** What `query_relationships` answers with; the parts that `fields` leaves out are missing. */
export const RELATIONSHIPS_OUTPUT: JsonSchema = {
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
    incomplete: {
      type: 'array',
      description: 'Only where something could not be found out: what, and why',
      items: {
        type: 'object',
        properties: { relationship: TEXT, operation: TEXT, failed: { type: 'integer' }, reason: TEXT },
      },
    },
  },
};
