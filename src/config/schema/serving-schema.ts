import { WORDS_MODES } from '../../base/protocol/clean-words.js';
import { boolean, choice, custom, integer, looseTexts, number, section, string, text } from './setting.js';

const KIB = 1024;
const MIB = KIB * KIB;

/** The profile where the configuration names none. */
export const DEFAULT_PROFILE = 'crude';

/** `crude` is another name of `semantic`. */
export const MODES = ['semantic', 'crude', 'single', 'all', 'passthrough'] as const;

/** What clients see. The gateway has one more name for a mode, and the profile instead of its name. */
export const ENDPOINT = section('What clients see.', {
  mode: choice(
    MODES,
    'One tool per family (`semantic`, also spelled `crude`), one tool for everything (`single`), both (`all`), or none of these, but the tools of the servers under their own names (`passthrough`).',
    'semantic',
  ),
  profile: text('Which families there are: a built-in profile or one of `profiles`.', DEFAULT_PROFILE),
  toolPrefix: string(
    { pattern: '^[a-z0-9_]*_$', maxLength: 19 },
    "What stands before a family's name in its tool: lower-case letters, digits and underscores, ending in one.",
    'mcp_aql_',
  ),
  passthrough: boolean(
    "Show the servers' tools under their own names too, beside the tools of `mode`. Each of them costs a client's context what it costs without a gateway.",
    false,
  ),
  longestName: integer(
    24,
    128,
    "The longest name under which a server's own tool is shown: models' APIs refuse requests with longer ones, or with other characters than letters, digits, `_` and `-`. What does not fit ends with a hash of the whole name, which calls may still say.",
    64,
  ),
  structuredContent: boolean(
    "Send each answer as structured content too, beside its text, and an output schema with each of the gateway's own tools. Where it is off, clients that send the header `mcp-aql-structured-content: 1` get both.",
    false,
  ),
  flatUpdates: boolean(
    'Let an UPDATE run whose fields lie beside its identifiers instead of in `input`, where each name is one of its parameters and only one reading is possible. The specification (4.5.3) has it refused, which costs one more call: the refusal holds the call to send.',
    false,
  ),
  errors: choice(
    ['all', 'unrecoverable'],
    "Which failures MCP's `isError` marks: `all`, or only those that a model cannot correct by itself (`unrecoverable`). A question, such as for a confirmation, is no failure.",
    'all',
  ),
});

// The ranges and defaults of the specification, section 4.7.5.
const LIMITS = section('Payload limits; bytes, elements and levels.', {
  maxRequestSize: integer(64 * KIB, 10 * MIB, 'Bytes of one request.', 1_048_576),
  maxResponseSize: integer(MIB, 100 * MIB, 'Bytes of one response.', 10_485_760),
  maxStringLength: integer(64 * KIB, 10 * MIB, 'Bytes of one string value.', 1_048_576),
  maxArrayElements: integer(100, 100_000, 'Elements of one array, and members of one object.', 10_000),
  maxNestingDepth: integer(8, 64, 'Levels of nested objects and arrays.', 32),
  maxValues: integer(
    10_000,
    1_000_000,
    'Values of one request, all its lists and objects together; a list or an object counts as two. So many take about 30 ms, in which nothing else is answered.',
    100_000,
  ),
});

/** Some clients refuse results of more than 25,000 tokens, and fewer are read better. */
export const DEFAULT_TOKENS = 8_000;

export const RESULTS = section('How large answers are sent, and how long they are kept for their next pages.', {
  maxTokens: integer(
    0,
    25_000_000,
    "An answer's data beyond so many tokens, by an estimate, is sent in parts: 1,000 or more, or 0 to send everything whole.",
    DEFAULT_TOKENS,
  ),
  maxBytes: integer(
    0,
    100 * MIB,
    'What `maxTokens` was before, and counts where that is not given: four bytes are a token.',
  ),
  keptBytes: integer(
    MIB,
    16 * KIB * MIB,
    'Bytes of answers that are kept for what comes next, for all clients together.',
    67_108_864,
  ),
  keptSeconds: integer(1, 86_400, 'How long they are kept.', 600),
  compact: boolean('Send lists of like items as columns and rows where that saves at least a fifth.', false),
});

const BATCH = section('Several operations in one call.', {
  maxOperations: integer(1, 10_000, 'Operations of one batch.', 100),
  onConfirmation: choice(
    ['halt', 'skip'],
    'How a batch continues at an operation that needs a confirmation: nothing after it begins (`halt`), or the others ' +
      'run (`skip`).',
    'halt',
  ),
});

const WARNINGS = section('Warnings in successful answers.', {
  slowMs: integer(
    1,
    86_400_000,
    'A call that takes longer gets a warning, in milliseconds; `slowMs` of an operation beats it.',
    10_000,
  ),
});

const ERRORS = section('What errors tell.', {
  upstreamWords: choice(
    WORDS_MODES,
    'What an upstream says of a failure: without stacks, class names and paths that the caller did not send (`clean`), or ' +
      'word for word (`full`).',
    'clean',
  ),
});

const CACHE = section('Answers of READs whose curation asks for it (`cache`).', {
  maxBytes: integer(MIB, 16 * KIB * MIB, 'Bytes of JSON that are kept, over all upstreams.', 33_554_432),
});

const EXECUTIONS = section(
  'Calls that go on in the background, with operations that read and cancel them ([executions](executions.md)).',
  {
    enabled: boolean(
      'Offer `get_execution_status`, `list_executions`, `cancel_execution`, `retry_execution` and `_execution`.',
      false,
    ),
    backgroundAfterMs: integer(
      100,
      86_400_000,
      'A READ or EXECUTE that runs longer goes on as an execution, in milliseconds. Where absent, only calls that ask for it do.',
    ),
    maxPerClient: integer(1, 10_000, 'Executions of one client, those that have ended and are kept included.', 64),
    max: integer(1, 100_000, 'The same, of all clients together.', 1_024),
    keptSeconds: integer(
      60,
      31_536_000,
      'How long one is kept after its end; its result as long as `results` says.',
      86_400,
    ),
  },
);

/** The sections that the gateway takes as a file writes them, with their defaults. */
export const PLAIN_SECTIONS = {
  limits: LIMITS,
  results: RESULTS,
  batch: BATCH,
  warnings: WARNINGS,
  errors: ERRORS,
  cache: CACHE,
  executions: EXECUTIONS,
};

export const LOG = section('What the gateway logs to standard error.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'The least important level shown.', 'info'),
  format: choice(['auto', 'json', 'pretty'], '`auto` is pretty on a terminal and JSON elsewhere.', 'auto'),
  access: text(
    'Where one line of JSON for each HTTP request goes: `stdout`, `stderr` or a file, which is opened anew at SIGHUP. See docs/observability.md.',
    'off',
  ),
});

export const METRICS = section('Figures for Prometheus. See docs/observability.md.', {
  enabled: boolean('Whether they are served.', false),
  listen: custom<string | number>({
    type: ['string', 'number'],
    description:
      'The address and port of a listener of their own: `127.0.0.1:9464`, which they have where there is no token. With a token alone they are at `/metrics` of the listener of MCP.',
  }),
  token: string(
    {},
    'The bearer token that readers send: at least 16 visible ASCII characters. Needed wherever other machines reach the listener.',
  ),
  token_FILE: text('A file that holds it; `token` beats it.'),
});

export const TRACING = section(
  "OpenTelemetry traces over OTLP/HTTP. What is not given follows OpenTelemetry's `OTEL_*` variables. See docs/observability.md.",
  {
    enabled: boolean('Whether calls are traced.', false),
    endpoint: text(
      'Where spans are sent, with the path: `http://localhost:4318/v1/traces`. It beats `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    ),
    headers: looseTexts('Headers of these requests, such as a key. `NAME_FILE` names a file with the value.'),
    sampler: choice(
      ['parent', 'ratio'],
      "Which calls are traced: those whose client's trace context says so, and `ratio` of those without one (`parent`), or `ratio` of all (`ratio`). It beats `OTEL_TRACES_SAMPLER`.",
    ),
    ratio: number({ minimum: 0, maximum: 1 }, 'The part of the calls; 1 unless given.'),
  },
);
