import { MAX_EXPRESSION_LENGTH } from '../../base/expression/operators.js';
import type { JsonObject } from '../../base/json/json.js';
import { CATEGORIES, DANGER_LEVELS } from '../../base/protocol/operation.js';
import { MAX_TIMEOUT_MS } from './connection-schema.js';
import {
  boolean,
  choice,
  custom,
  dictionary,
  type Input,
  integer,
  list,
  number,
  section,
  string,
  TEXT,
  text,
} from './setting.js';

const NAME = '^[a-z][a-z0-9_]*$';

/** Keys between dots. */
const FIELD_PATH = '^[^.]+([.][^.]+)*$';
/** The same, or empty for the value itself. */
const PATH = '^([^.]+([.][^.]+)*)?$';

/** Names of presets and computed fields. */
const names = { pattern: NAME, maxLength: 40 };

const expression = { minLength: 1, maxLength: MAX_EXPRESSION_LENGTH };

const COMPUTED_FIELD = section(
  '',
  {
    expression: string(expression, 'What it is computed by.'),
    description: text('What the field means; the expression itself unless given.'),
  },
  ['expression'],
);

/** An expression, or an object with an expression and a description; each keyword applies to its own type only. */
const COMPUTED = custom<string | Input<typeof COMPUTED_FIELD>>({
  ...expression,
  ...COMPUTED_FIELD,
  type: ['string', 'object'],
});

/** Curation of an operation's answers. */
const RESULT_PROPERTIES = {
  collection: custom<string | false>({
    type: ['string', 'boolean'],
    pattern: PATH,
    if: { type: 'string' },
    else: { enum: [false] },
    description:
      'Where its answers hold the list that `filter`, `sort` and the like work on: a dotted path, empty where the answer is ' +
      'the list; `false` where they hold none.',
  }),
  presets: dictionary(
    { propertyNames: names },
    list(string({ pattern: FIELD_PATH }, ''), '', undefined, { minItems: 1 }),
    'Lists of dotted field paths under names for `fields`; `minimal`, `standard` and `full` may be given another meaning.',
  ),
  computed: dictionary(
    { propertyNames: names },
    COMPUTED,
    'Fields computed for each item, asked for as `_computed.name`: a name and an expression each; see below.',
  ),
};

/** How the job that an operation starts is followed. */
const LIFECYCLE = section(
  'Follow the job that it starts to its end, where it runs as an execution ([executions](executions.md)).',
  {
    poll: text("The server's READ that says how far the job is, by its tool's or its own name."),
    cancel: text('The operation that ends the job.'),
    id: text("Where the job's id is in the answer that starts it: a dotted path."),
    parameter: text('The parameter of both operations that takes the id.'),
    status: text('Where the state is in the answer of `poll`: a dotted path.'),
    states: dictionary(
      { minProperties: 1 },
      choice(['completed', 'failed', 'cancelled'], ''),
      "The server's words that end a job, and what they mean; any other word means that it runs.",
    ),
    percentage: text('Where its progress in percent is.'),
    message: text('Where its words about the progress are.'),
    everySeconds: number({ minimum: 0.05, maximum: 3_600 }, 'How often it is asked; 2 unless given.'),
  },
  ['poll', 'id', 'parameter', 'status', 'states'],
);

const DEPRECATION = section(
  'Warn its callers once per session: `replacement`, `removalDate` and `note` say what to do.',
  {
    replacement: text('What to call instead.'),
    removalDate: text('When it goes, for example `2027-01-31`.'),
    note: string({ minLength: 1, maxLength: 500 }, 'What else callers should know.'),
  },
);

/** Curation of what the gateway does with calls in addition to passing them on. */
const SERVING_PROPERTIES = {
  deprecated: DEPRECATION,
  slowMs: integer(1, 86_400_000, 'Warn of a call of it that takes longer, in milliseconds.'),
  cache: section(
    'Answer equal calls of a READ from memory for `ttlSeconds`, until something is written to its server.',
    { ttlSeconds: integer(1, 86_400, 'How long an answer is valid.') },
    ['ttlSeconds'],
  ),
  lifecycle: LIFECYCLE,
  merge: section(
    'Make an UPDATE that replaces one that merges: `read` names the READ of the same thing, `identifiers` its parameters ' +
      "with the UPDATE's where they differ, `path` where in its answer the thing is.",
    {
      read: text("The server's READ of the same thing, by its tool's or its own name."),
      identifiers: dictionary(
        {},
        TEXT,
        "Parameters of that READ with the UPDATE's that fill them, where their names differ.",
      ),
      path: text('Where in its answer the thing is: a dotted path; the answer itself unless given.'),
      writes: choice(
        ['changed', 'whole'],
        'What is sent: what changes (PATCH), or every field that the thing has (PUT). Unless given, `whole` where the ' +
          'name or description of the tool speaks of replacing, putting, setting or overwriting.',
      ),
    },
    ['read'],
  ),
};

/** An argument that makes a call more dangerous. */
const RISK = section(
  '',
  {
    parameter: string(
      { pattern: FIELD_PATH },
      'The parameter, with the members inside it behind dots; lists on the way are looked through.',
    ),
    is: list(
      custom<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
      'The values that raise the danger; any value that is given unless set.',
      undefined,
      { minItems: 1 },
    ),
    danger: choice(DANGER_LEVELS, 'How bad such a call can be; `destructive` unless given.'),
    reason: string({ minLength: 1, maxLength: 500 }, 'Why, for who confirms the call.'),
  },
  ['parameter'],
);

/** Curation of the operations that a name or pattern matches. */
export const OPERATION_PROPERTIES = {
  rename: string(
    { pattern: NAME, maxLength: 100 },
    "The operation's name instead of the derived one, in snake_case; only under an exact name.",
  ),
  hide: boolean('Neither list the operation nor let it be called.'),
  category: choice(
    CATEGORIES,
    'What the operation does to state. `EXECUTE` without a `danger` is destructive where the gateway finds something else itself.',
  ),
  danger: choice(DANGER_LEVELS, 'How bad a call can be.'),
  risks: list(
    RISK,
    'Arguments that make a call more dangerous, instead of those that the gateway finds; an empty list for none.',
    undefined,
    { maxItems: 32 },
  ),
  family: string({ pattern: NAME }, "Its family, instead of the profile's choice."),
  description: text("What it does, instead of the server's own words."),
  identifiers: list(TEXT, "Parameters that find an UPDATE's resource; the others go into `input`."),
  idempotent: boolean('Whether a call may be sent again after a lost connection.'),
  timeoutMs: integer(1, MAX_TIMEOUT_MS, 'Upper bound of one call of it, in milliseconds.'),
  confirmationMessage: string(
    { minLength: 1, maxLength: 500 },
    "What a person is asked before it runs, with `{param}` for a parameter's value.",
  ),
  cooldownSeconds: integer(0, 3600, 'Least seconds between that question and the execution.'),
  requiresReauth: boolean(
    'Whether a person has to agree to each call of it, whatever its danger: no rule lifts this, and no token of the caller suffices.',
  ),
  auditContext: list(
    TEXT,
    'Texts that every audit record of it holds, such as the system or the duty that it concerns.',
  ),
  sensitive: list(
    TEXT,
    'Parameters whose values are neither recorded nor shown to approvers, beside those that the server marks as secret.',
  ),
  unknownParameters: choice(
    ['allow', 'refuse'],
    'What becomes of parameters that its schema does not name. Unless given, they are refused, but where the schema says by a keyword that more may come ' +
      '(`additionalProperties`, `patternProperties`, ...), and where it names none at all and its description does.',
  ),
  ...RESULT_PROPERTIES,
  ...SERVING_PROPERTIES,
  group: choice(
    ['split', 'keep'],
    'Whether a tool whose effect a parameter chooses is offered as one operation per value; see the server.',
  ),
};

/** How one READ operation returns connections. */
export const RELATION_PROPERTIES = {
  relationship: string(
    { pattern: NAME, maxLength: 100 },
    "The relationship's name, where its connections do not say: `uses`, `blocked_by`.",
  ),
  operation: text("The READ operation that returns it, by its tool's or its own name."),
  params: custom<JsonObject>({
    type: 'object',
    description:
      'Its parameters. `$id` in a string stands for the id of the queried node; without it one call returns all connections.',
  }),
  edges: string(
    { pattern: PATH },
    'Where its answer holds the list of connections, dotted; the answer is the list unless given.',
  ),
  source: string(
    { pattern: PATH },
    'The path in each connection to its start, empty where the connection is the start itself; the queried node unless given.',
  ),
  target: string({ pattern: PATH }, 'The same for its end; a list means several ends.'),
  type: string(
    { pattern: FIELD_PATH },
    'The path in each connection to its relationship, for operations that return several relationships.',
  ),
  nodes: string(
    { pattern: PATH },
    'Where the same answer lists the things themselves, the queried one among them. Then their types are shown, and a thing that is not there is not found.',
  ),
  node_id: string({ pattern: FIELD_PATH }, 'The path in each of `nodes` to its id; `id` unless given.'),
  node_type: string({ pattern: FIELD_PATH }, 'The path in each of `nodes` to its type.'),
};

export const RELATION = section('', RELATION_PROPERTIES, ['relationship', 'operation']);

export const OPERATION = section('', OPERATION_PROPERTIES);
