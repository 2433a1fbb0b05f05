import { DANGER_LEVELS } from '../../../protocol/operation.js';
import type { ItemInfo, ParameterInfo, TypeDetails } from './type-info.js';

/** What answers and batches consist of, beside what upstreams say of their own answers. */
export const ANSWER_TYPES: readonly TypeDetails[] = [
  {
    name: 'CollectionResult',
    kind: 'object',
    description: "A READ's answer where query, filter, sort, paging or aggregate is given and it holds a list",
    fields: [
      listOf('items', { type: 'any' }, 'Not beside aggregations, unless include_items is true'),
      optional('pageInfo', 'PageInfo', 'Wherever items are'),
      optional('pagination', 'Pagination', 'With limit and offset, or page and page_size'),
      optional('aggregations', 'object', 'By the labels of aggregate'),
      optional('matched', 'integer', 'Of a summary: the items that the filter left'),
      optional('total', 'integer', 'Of a summary: all items'),
      optional('rest', 'object', "The answer's short members beside the list"),
    ],
  },
  {
    name: 'PageInfo',
    kind: 'object',
    description: 'Where a page is among all items that were found',
    fields: [
      required('hasNextPage', 'boolean'),
      required('hasPreviousPage', 'boolean'),
      optional('startCursor', 'string', 'For last with before; where there are items'),
      optional('endCursor', 'string', 'For first with after; where there are items'),
      optional('totalCount', 'integer', 'All items that were found'),
    ],
  },
  {
    name: 'Pagination',
    kind: 'object',
    description: 'The same for a page by offset or by number',
    fields: [
      optional('limit', 'integer'),
      optional('offset', 'integer'),
      optional('returned', 'integer', 'Items sent'),
      optional('page', 'integer'),
      optional('page_size', 'integer'),
      required('total_items', 'integer'),
      optional('total_pages', 'integer'),
      required('has_more', 'boolean'),
    ],
  },
  {
    name: 'BatchInput',
    kind: 'object',
    description:
      "Several operations of one endpoint family in one request, answered by a BatchResult. A text '$results[0].data.id' in params stands for a value of an earlier result",
    fields: [{ ...required('operations', 'array'), items: { type: 'OperationInput' } }],
  },
  {
    name: 'BatchResult',
    kind: 'object',
    description: 'Each operation of a batch answers for itself',
    fields: [
      required('success', 'boolean', 'The batch was run, whatever its operations came to'),
      { ...required('results', 'array'), items: { type: 'BatchItemResult' } },
      required('summary', 'object', 'total, succeeded, failed; halted and pending, or pending_confirmation'),
      optional('halted_at', 'BatchItemResult', 'The operation that has to be confirmed first'),
      listOf('pending_operations', { type: 'OperationInput' }, 'Not begun: send them again once it is confirmed'),
    ],
  },
  {
    name: 'BatchItemResult',
    kind: 'object',
    fields: [
      required('index', 'integer', 'Its place in the batch, from 0'),
      required('operation', 'string'),
      required('result', 'OperationResult'),
      { ...optional('status', 'string'), enum: ['completed', 'pending_confirmation'] },
    ],
  },
  {
    name: 'Warning',
    kind: 'object',
    description: 'A condition that did not stop the operation',
    fields: [
      required('code', 'string', 'For programs'),
      required('message', 'string', 'For readers'),
      optional('details', 'object'),
      { ...optional('severity', 'string'), enum: ['low', 'medium', 'high'] },
    ],
  },
  {
    name: 'DangerLevel',
    kind: 'enum',
    description: "How dangerous an operation can be, from harmless to forbidden; include: ['danger'] shows it",
    values: DANGER_LEVELS,
  },
  {
    name: 'IfMatch',
    kind: 'union',
    description:
      "What a resource must still be for an update to be written: the version text of an earlier answer's _meta, or expected field values",
    members: ['string', 'object'],
  },
];

function required(name: string, type: string, description?: string): ParameterInfo {
  return { name, type, required: true, ...(description !== undefined && { description }) };
}

export function optional(name: string, type: string, description?: string): ParameterInfo {
  return { name, type, required: false, ...(description !== undefined && { description }) };
}

function listOf(name: string, items: ItemInfo, description: string): ParameterInfo {
  return { ...optional(name, 'array', description), items };
}
