import type { JsonSchema } from '../../base/json/json.js';
import { WORDS_MODES } from '../../base/protocol/clean-words.js';
import { CATEGORIES } from '../../base/protocol/operation.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import { INTEGRITY_MODES } from '../gateway-config.js';
import { ACCESS_PROPERTIES, CLIENTS_SETTING } from './access-schema.js';
import {
  CIRCUIT_PROPERTIES,
  INSTANCES_PROPERTIES,
  QUEUE_PROPERTIES,
  RESTARTS_PROPERTIES,
} from './connection-schema.js';
import { CREDENTIALS_SECTION } from './credentials-schema.js';
import { METRICS_SECTION, TRACING_SECTION } from './observability-schema.js';
import {
  AUDIT_SECTION,
  POLICY_SECTION,
  QUOTAS_SECTION,
  range,
  STORE_SECTION,
  section,
  TEXTS,
} from './policy-schema.js';
import { SAFETY_LOOP_SECTION } from './safety-schema.js';
import { OPERATION_DEFINITION, SERVER_PROPERTIES, SHARED_PROPERTIES } from './upstream-schema.js';
import { VIEWS_SECTION } from './view-schema.js';

const NAME = '^[a-z][a-z0-9_]*$';
const KIB = 1024;
const MIB = KIB * KIB;

const servers = { type: 'object', additionalProperties: { $ref: '#/definitions/server' } };

const SERVER_SECTION = section(
  'Where the gateway listens.',
  {
    host: { type: 'string', minLength: 1, description: 'The address to listen on.' },
    port: range(0, 65_535, 'The port to listen on; 0 takes a free one.'),
    allowedHosts: {
      ...TEXTS,
      description: 'Host names that requests may address, beside the loopback names and `host`.',
    },
    allowedOrigins: {
      ...TEXTS,
      description: "Host names that a browser's Origin may carry, beside the loopback names.",
    },
    sessionIdleMs: range(1000, 604_800_000, 'A session that is silent for so many milliseconds ends.'),
    maxSessions: range(
      1,
      1_000_000,
      'Sessions at once, and open subscriptions. When there are as many, only one that was unused for a minute makes room; a new one is refused otherwise.',
    ),
    maxConnections: range(
      1,
      1_000_000,
      'Network connections at once; one beyond that is closed before anything of it is read.',
    ),
    maxSessionsPerClient: range(
      1,
      1_000_000,
      'Sessions at once of one client, or of one network address where there are no `clients`.',
    ),
    handshakeTimeoutMs: range(100, 600_000, 'A connection that has not agreed on keys (TLS) by then is closed.'),
    headersTimeoutMs: range(
      100,
      600_000,
      'A request whose headers have not come whole by then is ended, as is a connection that brings none.',
    ),
    requestTimeoutMs: range(
      1_000,
      3_600_000,
      'A request that has not come whole by then is ended; a body of up to 64 kB has a tenth of it. Answers may take as long as they need.',
    ),
    keepAliveMs: range(
      1_000,
      3_600_000,
      'How long a connection without a request is kept: longer than a load balancer in front keeps its own.',
    ),
    unreadTimeoutMs: range(
      100,
      3_600_000,
      'The connection of a client that reads nothing for so long of what has been sent is closed.',
    ),
    maxUnreadBytes: range(
      1_048_576,
      1_099_511_627_776,
      'What waits to be read by all clients together; beyond it, the connections of those that most waits for are closed.',
    ),
    maxCalls: range(
      1,
      1_000_000,
      'Calls in flight at once, over all servers and built-in operations, where clients authenticate. More wait, and each client has its turn.',
    ),
    maxCallsPerClient: range(1, 1_000_000, 'Calls in flight at once of one client (a user where there is one).'),
    maxWaitingCalls: range(
      0,
      1_000_000,
      'Calls that wait; of those beyond, the newest of the client that has most of them is refused.',
    ),
    lameDuckMs: range(
      0,
      300_000,
      'How long a gateway that is asked to stop still takes requests while `/readyz` answers 503, in milliseconds: the time that a load balancer needs to notice.',
    ),
    drainMs: range(
      0,
      3_600_000,
      'How long calls in flight may go on after that, in milliseconds; the rest are answered that their outcome is unknown.',
    ),
    questionTimeoutMs: range(
      1_000,
      3_600_000,
      'How long a client has to answer what a server asks during a call, in milliseconds.',
    ),
    allowUnauthenticated: {
      type: 'boolean',
      description:
        'Listen beyond this machine without `clients` and `oauth`, where something else decides who may connect. Otherwise a token is made and shown at the first start.',
    },
    defaultView: {
      type: 'string',
      minLength: 1,
      description: 'The view that `/mcp` serves; everything unless given.',
    },
    ...ACCESS_PROPERTIES,
    allowRemoteCommands: {
      type: 'boolean',
      description:
        "Let operators add servers that run a command, and values that refer to variables, over the admin API. Who has an operator's token can then run programs on this machine.",
    },
  },
  CONFIG_DEFAULTS.server,
);

const ENDPOINT_SECTION = section(
  'What clients see.',
  {
    mode: {
      enum: ['semantic', 'crude', 'single', 'all', 'passthrough'],
      description:
        'One tool per family (`semantic`, also spelled `crude`), one tool for everything (`single`), both (`all`), or none of these, but the tools of the servers under their own names (`passthrough`).',
    },
    profile: {
      type: 'string',
      minLength: 1,
      description: 'Which families there are: a built-in profile or one of `profiles`.',
    },
    toolPrefix: {
      type: 'string',
      pattern: '^[a-z0-9_]*_$',
      maxLength: 19,
      description:
        "What stands before a family's name in its tool: lower-case letters, digits and underscores, ending in one.",
    },
    passthrough: {
      type: 'boolean',
      description:
        "Show the servers' tools under their own names too, beside the tools of `mode`. Each of them costs a client's context what it costs without a gateway.",
    },
    structuredContent: {
      type: 'boolean',
      description:
        "Send each answer as structured content too, beside its text, and an output schema with each of the gateway's own tools. Where it is off, clients that send the header `mcp-aql-structured-content: 1` get both.",
    },
    errors: {
      enum: ['all', 'unrecoverable'],
      description:
        "Which failures MCP's `isError` marks: `all`, or only those that a model cannot correct by itself (`unrecoverable`). A question, such as for a confirmation, is no failure.",
    },
  },
  CONFIG_DEFAULTS.endpoint,
);

// The configurable ranges of the specification, section 4.7.5.
const LIMITS_SECTION = section(
  'Payload limits; bytes, elements and levels.',
  {
    maxRequestSize: range(64 * KIB, 10 * MIB, 'Bytes of one request.'),
    maxResponseSize: range(MIB, 100 * MIB, 'Bytes of one response.'),
    maxStringLength: range(64 * KIB, 10 * MIB, 'Bytes of one string value.'),
    maxArrayElements: range(100, 100_000, 'Elements of one array, and members of one object.'),
    maxNestingDepth: range(8, 64, 'Levels of nested objects and arrays.'),
  },
  CONFIG_DEFAULTS.limits,
);

const RESULTS_SECTION = section(
  'How large answers are sent, and how long they are kept for their next pages.',
  {
    maxBytes: range(
      0,
      100 * MIB,
      "An answer's data beyond so many bytes of JSON is sent in parts: 10,000 or more, or 0 to send everything whole.",
    ),
    keptBytes: range(
      MIB,
      16 * KIB * MIB,
      'Bytes of answers that are kept for what comes next, for all clients together.',
    ),
    keptSeconds: range(1, 86_400, 'How long they are kept.'),
    compact: {
      type: 'boolean',
      description: 'Send lists of like items as columns and rows where that saves at least a fifth.',
    },
  },
  CONFIG_DEFAULTS.results,
);

const BATCH_SECTION = section(
  'Several operations in one call.',
  {
    maxOperations: range(1, 10_000, 'Operations of one batch.'),
    onConfirmation: {
      enum: ['halt', 'skip'],
      description:
        'How a batch continues at an operation that needs a confirmation: nothing after it begins (`halt`), or the others ' +
        'run (`skip`).',
    },
  },
  CONFIG_DEFAULTS.batch,
);

const WARNINGS_SECTION = section(
  'Warnings in successful answers.',
  {
    slowMs: range(
      1,
      86_400_000,
      'A call that takes longer gets a warning, in milliseconds; `slowMs` of an operation beats it.',
    ),
  },
  CONFIG_DEFAULTS.warnings,
);

const ERRORS_SECTION = section(
  'What errors tell.',
  {
    upstreamWords: {
      enum: [...WORDS_MODES],
      description:
        'What an upstream says of a failure: without stacks, class names and paths that the caller did not send (`clean`), or ' +
        'word for word (`full`).',
    },
  },
  CONFIG_DEFAULTS.errors,
);

const CACHE_SECTION = section(
  'Answers of READs whose curation asks for it (`cache`).',
  { maxBytes: range(MIB, 16 * KIB * MIB, 'Bytes of JSON that are kept, over all upstreams.') },
  CONFIG_DEFAULTS.cache,
);

const EXECUTIONS_SECTION = section(
  'Calls that go on in the background, with operations that read and cancel them ([executions](executions.md)).',
  {
    enabled: {
      type: 'boolean',
      description:
        'Offer `get_execution_status`, `list_executions`, `cancel_execution`, `retry_execution` and `_execution`.',
    },
    backgroundAfterMs: range(
      100,
      86_400_000,
      'A READ or EXECUTE that runs longer goes on as an execution, in milliseconds. Where absent, only calls that ask for it do.',
    ),
    maxPerClient: range(1, 10_000, 'Executions of one client, those that have ended and are kept included.'),
    max: range(1, 100_000, 'The same, of all clients together.'),
    keptSeconds: range(60, 31_536_000, 'How long one is kept after its end; its result as long as `results` says.'),
  },
  CONFIG_DEFAULTS.executions,
);

const LOG_SECTION = section(
  'What the gateway logs to standard error.',
  {
    level: {
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      description: 'The least important level shown.',
    },
    format: { enum: ['auto', 'json', 'pretty'], description: '`auto` is pretty on a terminal and JSON elsewhere.' },
    access: {
      type: 'string',
      minLength: 1,
      description:
        'Where one line of JSON for each HTTP request goes: `stdout`, `stderr` or a file, which is opened anew at SIGHUP. See docs/observability.md.',
    },
  },
  CONFIG_DEFAULTS.log,
);

/** One family of an operator's own profile. */
export const FAMILY_DEFINITION: JsonSchema = {
  ...section('A family of operations, shown as one tool.', {
    purpose: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'One sentence that tells a model what it is for.',
    },
    categories: { type: 'array', items: { enum: [...CATEGORIES] }, description: 'Categories it takes whole.' },
    verbs: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z][a-z0-9]*$' },
      description: 'Leading words of operation names it takes; they beat categories.',
    },
    patterns: { ...TEXTS, description: 'Minimatch patterns of operation names it takes; they beat verbs.' },
    only: {
      type: 'array',
      items: { enum: [...CATEGORIES] },
      minItems: 1,
      description:
        'The categories that verbs and patterns may take; READ alone where `categories` is READ alone, else all.',
    },
  }),
  required: ['purpose'],
};

/** The published schema of the main file. Its descriptions are also the text of docs/configuration.md. */
export const GATEWAY_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The configuration of mcp-aql-gateway',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', description: 'This schema, for editors.' },
    server: SERVER_SECTION,
    endpoint: ENDPOINT_SECTION,
    profiles: {
      type: 'object',
      description:
        'Profiles of your own: profile -> family -> what it takes. The last family takes what no other takes.',
      propertyNames: { pattern: NAME, maxLength: 40 },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: NAME, maxLength: 40 },
        additionalProperties: { $ref: '#/definitions/family' },
      },
    },
    limits: LIMITS_SECTION,
    results: RESULTS_SECTION,
    batch: BATCH_SECTION,
    warnings: WARNINGS_SECTION,
    errors: ERRORS_SECTION,
    cache: CACHE_SECTION,
    executions: EXECUTIONS_SECTION,
    defaults: section(
      'The settings of every upstream that has none of its own.',
      {
        ...SHARED_PROPERTIES,
        instances: section(
          SHARED_PROPERTIES.instances.description,
          INSTANCES_PROPERTIES,
          CONFIG_DEFAULTS.defaults.instances,
        ),
        restarts: section(
          SHARED_PROPERTIES.restarts.description,
          RESTARTS_PROPERTIES,
          CONFIG_DEFAULTS.defaults.restarts,
        ),
        circuit: section(SHARED_PROPERTIES.circuit.description, CIRCUIT_PROPERTIES, CONFIG_DEFAULTS.defaults.circuit),
        queue: section(SHARED_PROPERTIES.queue.description, QUEUE_PROPERTIES, CONFIG_DEFAULTS.defaults.queue),
      },
      CONFIG_DEFAULTS.defaults,
    ),
    pins: {
      type: 'object',
      description:
        'Bare operation names that belong to one upstream, even if others offer the same name: name -> upstream.',
      propertyNames: { pattern: NAME },
      additionalProperties: { type: 'string', minLength: 1 },
    },
    integrity: {
      enum: [...INTEGRITY_MODES],
      description:
        'How a tool that differs from `gateway.lock.json` is treated: ignored (`off`), reported (`warn`), or reported and ' +
        'neither listed nor callable (`quarantine`). Unless given, `warn` where there is a lock, else `off`.',
    },
    policy: POLICY_SECTION,
    quotas: QUOTAS_SECTION,
    safetyLoop: SAFETY_LOOP_SECTION,
    store: STORE_SECTION,
    audit: AUDIT_SECTION,
    credentials: CREDENTIALS_SECTION,
    clients: CLIENTS_SETTING,
    views: VIEWS_SECTION,
    log: LOG_SECTION,
    metrics: METRICS_SECTION,
    tracing: TRACING_SECTION,
    dataDir: {
      type: 'string',
      minLength: 1,
      default: CONFIG_DEFAULTS.dataDir,
      description: 'Where the gateway keeps what must survive a restart.',
    },
    upstreamsDir: {
      type: 'string',
      minLength: 1,
      default: CONFIG_DEFAULTS.upstreamsDir,
      description: 'The folder with one file per upstream.',
    },
    mcpServers: { ...servers, description: "The servers behind the gateway, as other clients' blocks write them." },
    servers: { ...servers, description: "The same under VS Code's key." },
    mcp: section('The same, nested as in VS Code settings.', { servers, inputs: { type: 'array' } }),
    inputs: { type: 'array', description: "Of VS Code; ignored, because a gateway cannot ask an editor's user." },
  },
  definitions: {
    operation: OPERATION_DEFINITION,
    family: FAMILY_DEFINITION,
    // Pasted entries hold keys of many clients: an unknown key is a warning, unless it looks like a misspelled one of ours.
    server: { type: 'object', properties: SERVER_PROPERTIES },
  },
};
