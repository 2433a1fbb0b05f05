import { ERROR_TABLE } from '../../../../base/protocol/error-table.js';
import { CATEGORIES, DANGER_LEVELS } from '../../../../base/protocol/operation.js';
import { CONTROL_SPECS } from '../../../../results/query/parts.js';
import { CONTROLS, FIELD_FUNCTIONS } from '../../../../results/query/result-types.js';
import type { ItemInfo, ParameterInfo, TypeDetails } from './type-info.js';

/** What callers may ask of the answers of READs (companion document "collection querying", section 2). */
const CONTROL_TYPES: readonly TypeDetails[] = [
  {
    name: 'Controls',
    kind: 'object',
    description:
      "Parameters of READs that shape the answer. All work on one list: the answer, or its only one, be it in a text; paging styles are never mixed. Where a plain name is, or may be, the server's own parameter, the control is called result_<name>",
    fields: CONTROLS.map((name) => {
      const { part: _part, group: _group, ...spec } = CONTROL_SPECS[name];
      return { name, required: false, ...spec };
    }),
  },
  {
    name: 'CollectionFilter',
    kind: 'object',
    description: 'Which items: every member must hold. Keys are fields, dotted where they lie deeper',
    fields: [
      optional(
        '<field>',
        'FilterCondition',
        'Or the value that it equals, a list of values, or an object of inner fields',
      ),
    ],
  },
  {
    name: 'FilterCondition',
    kind: 'object',
    description:
      'What a field must be, all of it. Through a list it is enough that one element is. Dates compare as dates',
    fields: [
      optional('equals', 'any'),
      { ...optional('in', 'array', 'One of these'), items: { type: 'any' } },
      ...['gt', 'gte', 'lt', 'lte'].map((name) => optional(name, 'any', 'A number, a text or a date')),
      optional('contains', 'any', 'A part of a text, or an element of a list'),
      optional('exists', 'boolean', 'Whether it is there and not null'),
      optional('pattern', 'string', 'The whole text, with * for anything and ? for one character'),
    ],
  },
  {
    name: 'CollectionSort',
    kind: 'union',
    description:
      'One key, or a list of them, the first decides; as a text the field alone, with - before it for descending order',
    members: ['SortKey', 'SortKey[]', 'string'],
  },
  {
    name: 'SortKey',
    kind: 'object',
    fields: [
      { name: 'field', type: 'string', required: true },
      { ...optional('order', 'string'), default: 'asc', enum: ['asc', 'desc'] },
    ],
  },
  {
    name: 'FieldSelection',
    kind: 'union',
    description:
      'Which fields come back: the name of a preset, or a list of fields, dotted where they lie deeper; without it the answer is whole',
    members: ['string', 'string[]'],
  },
  {
    name: 'CollectionAggregate',
    kind: 'object',
    description: 'Summaries of all items that the filter leaves, by labels of your own',
    fields: [optional('<label>', 'AggregateExpression')],
  },
  {
    name: 'AggregateExpression',
    kind: 'object',
    description: 'One of these or more',
    fields: [
      optional('count', 'boolean', 'How many items'),
      optional('group_by', 'string', 'The field whose values make the groups; alone it counts them'),
      ...FIELD_FUNCTIONS.map((name) => optional(name, 'string', 'The field that it is computed of')),
    ],
  },
];

/** What answers and batches consist of, beside what upstreams say of their own answers. */
const ANSWER_TYPES: readonly TypeDetails[] = [
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

/** Types of the protocol itself (introspection document, 5.3), with what their fields need to be understood. */
export const PROTOCOL_TYPES: readonly TypeDetails[] = [
  {
    name: 'SemanticCategory',
    kind: 'enum',
    description: 'The effect that an operation can have on state',
    values: CATEGORIES,
  },
  {
    name: 'OperationInput',
    kind: 'object',
    description:
      'What every request looks like. In params, names with an underscore in front are metadata: _confirmation and ' +
      '_quota_continue take the token of a refusal, whatever the operation',
    fields: [
      { ...optional('operation', 'string', 'The name of the operation'), required: true },
      optional('params', 'object', "The operation's parameters by name"),
      {
        ...optional('operations', 'array', "In place of 'operation' and 'params': a batch, see BatchInput"),
        items: { type: 'object' },
      },
    ],
  },
  {
    name: 'OperationResult',
    kind: 'union',
    description: 'What every operation answers with',
    members: ['OperationSuccess', 'OperationFailure'],
  },
  {
    name: 'OperationSuccess',
    kind: 'object',
    description: 'The operation did what was asked',
    fields: [
      { name: 'success', type: 'boolean', required: true, enum: [true] },
      { name: 'data', type: 'ToolData', required: true, description: "The operation's result" },
      {
        name: 'warnings',
        type: 'array',
        required: false,
        description: 'What the caller should know besides',
        items: { type: 'Warning' },
      },
      optional('_meta', 'object', "Facts about the answer: 'version' for if_match, 'page' of a list of types"),
    ],
  },
  {
    name: 'OperationFailure',
    kind: 'object',
    description: 'The operation was refused or failed',
    fields: [
      { name: 'success', type: 'boolean', required: true, enum: [false] },
      { name: 'error', type: 'ErrorDetail', required: true, description: 'The fault and the next step' },
    ],
  },
  {
    name: 'ErrorDetail',
    kind: 'object',
    description: 'Why an operation was refused or failed',
    fields: [
      { name: 'code', type: 'ErrorCode', required: true, description: 'For programs' },
      { name: 'message', type: 'string', required: true, description: 'For readers' },
      { name: 'details', type: 'object', required: false, description: 'What the code comes with' },
    ],
  },
  {
    name: 'ErrorCode',
    kind: 'enum',
    description: 'Every code that an error can have',
    values: Object.keys(ERROR_TABLE),
  },
  {
    name: 'EndpointPermissions',
    kind: 'object',
    description: 'What calling an operation can do to state',
    fields: [
      { name: 'readOnly', type: 'boolean', required: true, description: 'It changes nothing' },
      { name: 'destructive', type: 'boolean', required: true, description: 'It can remove or overwrite' },
    ],
  },
  {
    name: 'ToolData',
    kind: 'union',
    description: "A tool's structured content, else its single JSON text parsed, else its text",
    members: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  },
  ...CONTROL_TYPES,
  ...ANSWER_TYPES,
];

export const PROTOCOL_TYPE_NAMES: ReadonlySet<string> = new Set(PROTOCOL_TYPES.map(({ name }) => name));

function required(name: string, type: string, description?: string): ParameterInfo {
  return { name, type, required: true, ...(description !== undefined && { description }) };
}

function optional(name: string, type: string, description?: string): ParameterInfo {
  return { name, type, required: false, ...(description !== undefined && { description }) };
}

function listOf(name: string, items: ItemInfo, description: string): ParameterInfo {
  return { ...optional(name, 'array', description), items };
}
