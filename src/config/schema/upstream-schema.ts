import { MAX_EXPRESSION_LENGTH } from '../../base/expression/operators.js';
import type { JsonSchema } from '../../base/json/json.js';
import { CATEGORIES, DANGER_LEVELS, TRUST_LEVELS } from '../../base/protocol/operation.js';
import {
  ASK_KINDS,
  type AskKind,
  GROUP_MODES,
  INTEGRITY_MODES,
  ISOLATION_SETTINGS,
  TRANSPORTS,
} from '../gateway-config.js';
import {
  CHILD_LIMITS_PROPERTIES,
  CIRCUIT_PROPERTIES,
  INSTANCES_PROPERTIES,
  LIFECYCLE_PROPERTY,
  MAX_TIMEOUT_MS,
  OUTBOUND_TLS_PROPERTIES,
  QUEUE_PROPERTIES,
  RESTARTS_PROPERTIES,
} from './connection-schema.js';
import { UPSTREAM_CREDENTIALS } from './credentials-schema.js';
import { API_LIMITS_SETTING, TEXTS } from './policy-schema.js';

const NAME = '^[a-z][a-z0-9_]*$';

const looseTexts = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } };

/** Keys that other clients write into a server's entry; they are ignored with a warning. */
export const FOREIGN_KEYS: readonly string[] = [
  'alwaysAllow',
  'autoApprove',
  'dev',
  'disabledTools',
  'enabledTools',
  'gallery',
  'icon',
  'metadata',
  'oauth',
  'title',
  'tools',
  'version',
];

/** How the reference describes each kind of question. */
const ASKS: Readonly<Record<AskKind, string>> = {
  elicitation: 'Whether it may ask the user of the client that calls it: by a form, or by a page to open.',
  sampling: "Whether it may have texts written by the client's model.",
  roots: 'Whether it may ask for the folders that the client works in.',
};

/** The settings that `defaults` holds for all upstreams and that each upstream may override. */
export const SHARED_PROPERTIES = {
  trust: {
    enum: [...TRUST_LEVELS],
    description: 'How far the server is trusted; decides which calls are allowed and how much its annotations count.',
  },
  timeoutMs: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: 'Upper bound of one call in milliseconds; progress restarts it.',
  },
  maxCallMs: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description:
      'Upper bound of one call in milliseconds, whatever progress it shows. Where `timeoutMs` is longer, that counts.',
  },
  connectTimeoutMs: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: 'Upper bound of connecting and listing tools, in milliseconds.',
  },
  maxConcurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'Calls in flight at once; more wait, and each client has its turn among them.',
  },
  queue: {
    type: 'object',
    additionalProperties: false,
    properties: QUEUE_PROPERTIES,
    description: 'How many calls wait beyond `maxConcurrency` (`max`), and how long (`waitMs`).',
  },
  restarts: {
    type: 'object',
    additionalProperties: false,
    properties: RESTARTS_PROPERTIES,
    description:
      'How often it may fail within a time (`max`, `windowSeconds`) before it is `failed` and left alone until an operator asks for it or changes its configuration.',
  },
  circuit: {
    type: 'object',
    additionalProperties: false,
    properties: CIRCUIT_PROPERTIES,
    description:
      'After how many failed calls (`failures`) others are refused at once, and for how long (`openSeconds`), until one is answered.',
  },
  proxy: {
    type: 'string',
    minLength: 1,
    description:
      'The proxy on the way to a server over HTTP: an `http://` or `https://` address; `environment` for that of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; `none`, which is the default.',
  },
  tls: {
    type: 'object',
    additionalProperties: false,
    properties: OUTBOUND_TLS_PROPERTIES,
    description: 'The certificates of the way to a server over HTTP, each read again when it changes.',
  },
  required: { type: 'boolean', description: 'Whether `/readyz` says 503 while this server is not connected.' },
  isolation: {
    enum: [...ISOLATION_SETTINGS],
    description:
      'Who shares a connection, and the process behind it: all callers (`shared`), those of one authenticated client (`client`; ' +
      'without authentication, of one session), or one session alone (`session`). `auto` decides by what the server offers.',
  },
  instances: {
    type: 'object',
    additionalProperties: false,
    properties: INSTANCES_PROPERTIES,
    description:
      'Of a server that is isolated: how many connections there may be (`max`), after how long without a call one is ended ' +
      '(`idleSeconds`), and how many wait ready (`spare`).',
  },
  maxAnswerBytes: {
    type: 'integer',
    minimum: 65_536,
    maximum: 1_073_741_824,
    description:
      'Longest message that the server may send, in bytes; a call with a longer answer fails alone. Unless given, five times ' +
      '`limits.maxResponseSize`, and 4 MiB at least.',
  },
  strict: { type: 'boolean', description: 'Refuse parameters that a tool does not describe.' },
  readOnlyStatements: {
    type: 'boolean',
    description:
      'Count a statement (SQL, GraphQL, Cypher, MongoDB) that is proven to only read as a READ, and offer an operation for nothing else beside each one that runs statements.',
  },
  asks: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      ASK_KINDS.map((kind) => [kind, { enum: ['allow', 'deny'], description: ASKS[kind] }]),
    ),
    description: 'What the server may ask of the client that calls it, while it runs the call.',
  },
};

/** Keys between dots. */
const FIELD_PATH = '^[^.]+([.][^.]+)*$';
/** The same, or empty for the value itself. */
const PATH = '^([^.]+([.][^.]+)*)?$';

/** Names of presets and computed fields. */
const names = { pattern: NAME, maxLength: 40 };

const expression = { type: 'string', minLength: 1, maxLength: MAX_EXPRESSION_LENGTH };

/** Curation of an operation's answers. */
const RESULT_PROPERTIES = {
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
    // An expression, or an object with an expression and a description; each keyword applies to its own type only.
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
          description: 'What the field means; the expression itself unless given.',
        },
      },
    },
    description:
      'Fields computed for each item, asked for as `_computed.name`: a name and an expression each; see below.',
  },
};

const texts = { type: 'string', minLength: 1 };

const TEXTS_OF_DEPRECATION = {
  replacement: { ...texts, description: 'What to call instead.' },
  removalDate: { ...texts, description: 'When it goes, for example `2027-01-31`.' },
  note: { ...texts, maxLength: 500, description: 'What else callers should know.' },
};

/** Curation of what the gateway does with calls in addition to passing them on. */
const SERVING_PROPERTIES = {
  deprecated: {
    type: 'object',
    additionalProperties: false,
    properties: TEXTS_OF_DEPRECATION,
    description: 'Warn its callers once per session: `replacement`, `removalDate` and `note` say what to do.',
  },
  slowMs: {
    type: 'integer',
    minimum: 1,
    maximum: 86_400_000,
    description: 'Warn of a call of it that takes longer, in milliseconds.',
  },
  cache: {
    type: 'object',
    additionalProperties: false,
    required: ['ttlSeconds'],
    properties: {
      ttlSeconds: { type: 'integer', minimum: 1, maximum: 86_400, description: 'How long an answer is valid.' },
    },
    description: 'Answer equal calls of a READ from memory for `ttlSeconds`, until something is written to its server.',
  },
  lifecycle: LIFECYCLE_PROPERTY,
  merge: {
    type: 'object',
    additionalProperties: false,
    required: ['read'],
    properties: {
      read: { ...texts, description: "The server's READ of the same thing, by its tool's or its own name." },
      identifiers: {
        type: 'object',
        additionalProperties: texts,
        description: "Parameters of that READ with the UPDATE's that fill them, where their names differ.",
      },
      path: {
        ...texts,
        description: 'Where in its answer the thing is: a dotted path; the answer itself unless given.',
      },
      writes: {
        enum: ['changed', 'whole'],
        description:
          'What is sent: what changes (PATCH), or every field that the thing has (PUT). Unless given, `whole` where the ' +
          'name or description of the tool speaks of replacing, putting, setting or overwriting.',
      },
    },
    description:
      'Make an UPDATE that replaces one that merges: `read` names the READ of the same thing, `identifiers` its parameters ' +
      "with the UPDATE's where they differ, `path` where in its answer the thing is.",
  },
};

/** Curation of the operations that a name or pattern matches. */
export const OPERATION_PROPERTIES = {
  rename: {
    type: 'string',
    pattern: NAME,
    maxLength: 100,
    description: "The operation's name instead of the derived one, in snake_case; only under an exact name.",
  },
  hide: { type: 'boolean', description: 'Neither list the operation nor let it be called.' },
  category: { enum: [...CATEGORIES], description: 'What the operation does to state.' },
  danger: { enum: [...DANGER_LEVELS], description: 'How bad a call can be.' },
  risks: {
    type: 'array',
    maxItems: 32,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['parameter'],
      properties: {
        parameter: {
          type: 'string',
          pattern: FIELD_PATH,
          description: 'The parameter, with the members inside it behind dots; lists on the way are looked through.',
        },
        is: {
          type: 'array',
          minItems: 1,
          items: { type: ['string', 'number', 'boolean'] },
          description: 'The values that raise the danger; any value that is given unless set.',
        },
        danger: { enum: [...DANGER_LEVELS], description: 'How bad such a call can be; `destructive` unless given.' },
        reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Why, for who confirms the call.' },
      },
    },
    description:
      'Arguments that make a call more dangerous, instead of those that the gateway finds; an empty list for none.',
  },
  family: { type: 'string', pattern: NAME, description: "Its family, instead of the profile's choice." },
  description: { type: 'string', minLength: 1, description: "What it does, instead of the server's own words." },
  identifiers: {
    ...TEXTS,
    description: "Parameters that find an UPDATE's resource; the others go into `input`.",
  },
  idempotent: { type: 'boolean', description: 'Whether a call may be sent again after a lost connection.' },
  timeoutMs: { ...SHARED_PROPERTIES.timeoutMs, description: 'Upper bound of one call of it, in milliseconds.' },
  confirmationMessage: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: "What a person is asked before it runs, with `{param}` for a parameter's value.",
  },
  cooldownSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: 3600,
    description: 'Least seconds between that question and the execution.',
  },
  requiresReauth: {
    type: 'boolean',
    description:
      'Whether a person has to agree to each call of it, whatever its danger: no rule lifts this, and no token of the caller suffices.',
  },
  auditContext: {
    ...TEXTS,
    description: 'Texts that every audit record of it holds, such as the system or the duty that it concerns.',
  },
  sensitive: {
    ...TEXTS,
    description:
      'Parameters whose values are neither recorded nor shown to approvers, beside those that the server marks as secret.',
  },
  ...RESULT_PROPERTIES,
  ...SERVING_PROPERTIES,
  group: {
    enum: [...GROUP_MODES],
    description:
      'Whether a tool whose effect a parameter chooses is offered as one operation per value; see the server.',
  },
};

/** How one READ operation returns connections. */
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
    description: "The READ operation that returns it, by its tool's or its own name.",
  },
  params: {
    type: 'object',
    description:
      'Its parameters. `$id` in a string stands for the id of the queried node; without it one call returns all connections.',
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
      'The path in each connection to its start, empty where the connection is the start itself; the queried node unless given.',
  },
  target: { type: 'string', pattern: PATH, description: 'The same for its end; a list means several ends.' },
  type: {
    type: 'string',
    pattern: FIELD_PATH,
    description: 'The path in each connection to its relationship, for operations that return several relationships.',
  },
  nodes: {
    type: 'string',
    pattern: PATH,
    description:
      'Where the same answer lists the things themselves, the queried one among them. Then their types are shown, and a thing that is not there is not found.',
  },
  node_id: {
    type: 'string',
    pattern: FIELD_PATH,
    description: 'The path in each of `nodes` to its id; `id` unless given.',
  },
  node_type: { type: 'string', pattern: FIELD_PATH, description: 'The path in each of `nodes` to its type.' },
};

const RELATION_DEFINITION: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['relationship', 'operation'],
  properties: RELATION_PROPERTIES,
};

/** One server: the keys that MCP clients have in common, and ours. */
export const SERVER_PROPERTIES = {
  type: {
    enum: Object.keys(TRANSPORTS),
    description: 'The transport. Without it, `command` means stdio and `url` Streamable HTTP.',
  },
  command: { type: 'string', minLength: 1, description: 'The program of a stdio server.' },
  args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
  env: {
    ...looseTexts,
    description: 'Variables on top of the few that a child inherits. `X_FILE` sets `X` to the content of a file.',
  },
  envFile: { type: 'string', minLength: 1, description: 'A file of `NAME=value` lines; `env` beats it.' },
  cwd: { type: 'string', minLength: 1, description: "Where it runs; the configuration's folder unless given." },
  limits: {
    type: 'object',
    additionalProperties: false,
    properties: CHILD_LIMITS_PROPERTIES,
    description: 'What its processes may take, and as whom they run.',
  },
  url: { type: 'string', minLength: 1, description: 'The address of a server over HTTP.' },
  headers: {
    ...looseTexts,
    description: 'Headers of every request. `X_FILE` sets the header `X` to the content of a file.',
  },
  credentials: UPSTREAM_CREDENTIALS,
  disabled: { type: 'boolean', description: 'Leave the server out; its variables need not be set.' },
  description: {
    type: 'string',
    maxLength: 500,
    description:
      'What the server is for, in a few words for models: "Tickets and wiki of the support team". Lists of servers show it.',
  },
  timeout: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: MAX_TIMEOUT_MS,
    description: 'As other clients write it: seconds below 1,000, else milliseconds. `timeoutMs` beats it.',
  },
  ...SHARED_PROPERTIES,
  group: {
    enum: [...GROUP_MODES],
    description:
      'Whether tools whose effect a parameter chooses are offered as one operation per value (`split`) or as one operation (`keep`). Unless given, they are split where the values differ in effect.',
  },
  integrity: {
    enum: [...INTEGRITY_MODES],
    description: 'How its tools that differ from the accepted ones are treated; see the setting of the same name.',
  },
  operations: {
    type: 'object',
    propertyNames: { minLength: 1 },
    additionalProperties: { $ref: '#/definitions/operation' },
    description: "Curation by a tool's or operation's exact name or minimatch pattern; later rules win, key by key.",
  },
  relations: {
    type: 'array',
    items: RELATION_DEFINITION,
    description: 'How its things are connected, for the operation `query_relationships`; see below.',
  },
  api_limits: API_LIMITS_SETTING,
};

export const OPERATION_DEFINITION: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: OPERATION_PROPERTIES,
};

/** The published schema of a file in `upstreams/`. */
export const UPSTREAM_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'One upstream of mcp-aql-gateway',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', description: 'This schema, for editors.' },
    name: { type: 'string', minLength: 1, description: "The upstream's name; the file's name unless given." },
    ...SERVER_PROPERTIES,
    ...Object.fromEntries(
      FOREIGN_KEYS.map((key) => [key, { deprecated: true, description: 'Other clients use it; ignored.' }]),
    ),
  },
  definitions: { operation: OPERATION_DEFINITION },
};
