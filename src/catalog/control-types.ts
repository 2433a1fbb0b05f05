import type { ParameterInfo, TypeDetails } from './type-info.js';

/** What callers may ask of the answers of READs (companion document "collection querying", section 2). */
export const CONTROL_TYPES: readonly TypeDetails[] = [
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
    description: 'Which fields come back: the name of a preset, or a list of fields, dotted where they lie deeper',
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
    description: 'At least one of these',
    fields: [
      optional('count', 'boolean', 'How many items'),
      optional('group_by', 'string', 'The field whose values make the groups; alone it counts them'),
      ...['sum', 'avg', 'min', 'max'].map((name) => optional(name, 'string', 'The field that it is computed of')),
    ],
  },
];

function optional(name: string, type: string, description?: string): ParameterInfo {
  return { name, type, required: false, ...(description !== undefined && { description }) };
}
