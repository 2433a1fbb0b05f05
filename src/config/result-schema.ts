import { MAX_EXPRESSION_LENGTH } from '../protocol/expression/expression.js';
import type { JsonSchema } from '../protocol/json.js';

const NAME = '^[a-z][a-z0-9_]*$';
/** Keys between dots. */
const FIELD_PATH = '^[^.]+([.][^.]+)*$';
/** The same, or nothing where the value itself is meant. */
const PATH = '^([^.]+([.][^.]+)*)?$';

/** Names that stand behind a dot or among presets. */
const names = { pattern: NAME, maxLength: 40 };

const expression = { type: 'string', minLength: 1, maxLength: MAX_EXPRESSION_LENGTH };

/** What curation says of an operation's answers. */
export const RESULT_PROPERTIES = {
  collection: {
    type: ['string', 'boolean'],
    pattern: PATH,
    if: { type: 'string' },
    else: { enum: [false] },
    description:
      'Where its answers hold the list that `filter`, `sort` and the like work on: a dotted path, empty where the answer is ' +
      'the list; `false` where they hold none.',
  },
  presets: {
    type: 'object',
    propertyNames: names,
    additionalProperties: { type: 'array', minItems: 1, items: { type: 'string', pattern: FIELD_PATH } },
    description:
      'Lists of dotted field paths under names for `fields`; `minimal`, `standard` and `full` may be given another meaning.',
  },
  computed: {
    type: 'object',
    propertyNames: names,
    // An expression, alone or with words about it; of these keywords only those of its type count.
    additionalProperties: {
      ...expression,
      type: ['string', 'object'],
      additionalProperties: false,
      required: ['expression'],
      properties: {
        expression: { ...expression, description: 'What it is computed by.' },
        description: {
          type: 'string',
          minLength: 1,
          description: 'What it tells; the expression itself unless given.',
        },
      },
    },
    description:
      'Fields computed for each item, asked for as `_computed.name`: a name and an expression each; see below.',
  },
};

/** How one READ operation tells what is connected with what. */
export const RELATION_PROPERTIES = {
  relationship: {
    type: 'string',
    pattern: NAME,
    maxLength: 100,
    description: "The relationship's name, where its connections do not say: `uses`, `blocked_by`.",
  },
  operation: {
    type: 'string',
    minLength: 1,
    description: "The READ operation that tells it, by its tool's or its own name.",
  },
  params: {
    type: 'object',
    description:
      'Its parameters. `$id` in a text stands for the node that is looked at; without it one call tells all.',
  },
  edges: {
    type: 'string',
    pattern: PATH,
    description: 'Where its answer holds the list of connections, dotted; the answer is the list unless given.',
  },
  source: {
    type: 'string',
    pattern: PATH,
    description:
      'The path in each connection to where it starts, empty where it is just that; the node that is looked at unless given.',
  },
  target: { type: 'string', pattern: PATH, description: 'The same for where it leads to; a list means several.' },
  type: {
    type: 'string',
    pattern: FIELD_PATH,
    description: 'The path in each to its relationship, for operations that tell several.',
  },
};

export const RELATION_DEFINITION: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['relationship', 'operation'],
  properties: RELATION_PROPERTIES,
};
