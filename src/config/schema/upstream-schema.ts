import { CHILD_LIMITS, MAX_TIMEOUT_MS, SHARED, UPSTREAM_CREDENTIALS } from './connection-schema.js';
import { OPERATION, RELATION } from './operation-schema.js';
import { API_LIMITS } from './policy-schema.js';
import {
  boolean,
  choice,
  custom,
  dictionary,
  type Inputs,
  list,
  looseTexts,
  number,
  reference,
  string,
  text,
  withoutDefaults,
} from './setting.js';

const HIDE = 'hide them with "operations": {"NAME": {"hide": true}}';
const HIDE_OTHERS = 'hide all others with "operations": {"*": {"hide": true}, "NAME": {"hide": false}}';

/** Keys that other clients write into a server's entry, ignored with a warning, and what says the same here, where it is of weight. */
export const FOREIGN_KEYS: Readonly<Record<string, string | undefined>> = {
  alwaysAllow: undefined,
  autoApprove: undefined,
  dev: undefined,
  disabledTools: HIDE,
  enabledTools: HIDE_OTHERS,
  excludeTools: HIDE,
  gallery: undefined,
  icon: undefined,
  includeTools: HIDE_OTHERS,
  metadata: undefined,
  oauth: undefined,
  title: undefined,
  tools: HIDE_OTHERS,
  version: undefined,
};

/** How a transport may be spelled in a pasted block, and what it is. */
export const TRANSPORTS = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
} as const;

const TRANSPORT_NAMES = Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[];

/** How a tool whose definition is not the accepted one is treated: ignored, reported, or reported and not callable. */
export const INTEGRITY_MODES = ['off', 'warn', 'quarantine'] as const;

/** A number is passed as its text; one that is longer than a number can be exact must be a text. */
const ARGUMENT = custom<string | number>({
  type: ['string', 'number'],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

/** One server: the keys that MCP clients have in common, and ours. */
export const SERVER_PROPERTIES = {
  type: choice(TRANSPORT_NAMES, 'The transport. Without it, `command` means stdio and `url` Streamable HTTP.'),
  command: text('The program of a stdio server.'),
  args: list(ARGUMENT, 'Its arguments.'),
  env: looseTexts('Variables on top of the few that a child inherits. `X_FILE` sets `X` to the content of a file.'),
  envFile: text('A file of `NAME=value` lines; `env` beats it.'),
  cwd: text("Where it runs; the configuration's folder unless given."),
  limits: CHILD_LIMITS,
  url: text('The address of a server over HTTP.'),
  headers: looseTexts('Headers of every request. `X_FILE` sets the header `X` to the content of a file.'),
  credentials: UPSTREAM_CREDENTIALS,
  disabled: boolean('Leave the server out; its variables need not be set.'),
  description: string(
    { maxLength: 500 },
    'What the server is for, in a few words for models: "Tickets and wiki of the support team". Lists of servers show it.',
  ),
  timeout: number(
    { exclusiveMinimum: 0, maximum: MAX_TIMEOUT_MS },
    'As other clients write it: seconds below 1,000, else milliseconds. `timeoutMs` beats it.',
  ),
  ...withoutDefaults(SHARED),
  readOnlyAccount: boolean(
    'Whether the account behind the connection cannot write, nor reach what writes for it: `true` is your word, on which classification rests until an answer of the ' +
      'product says otherwise; `false`: it is not asked, and nothing rests on it. Unless given, what can be asked of it is asked. See docs/classification.md.',
  ),
  group: choice(
    ['split', 'keep'],
    'Whether tools whose effect a parameter chooses are offered as one operation per value (`split`) or as one operation (`keep`). Unless given, they are split where the values differ in effect.',
  ),
  integrity: choice(
    INTEGRITY_MODES,
    'How its tools that differ from the accepted ones are treated; see the setting of the same name.',
  ),
  operations: dictionary(
    { propertyNames: { format: 'name-glob', minLength: 1 } },
    reference('operation', OPERATION),
    "Curation by a tool's or operation's exact name or pattern; later rules win, key by key.",
  ),
  relations: list(RELATION, 'How its things are connected, for the operation `query_relationships`; see below.'),
  api_limits: API_LIMITS,
};

/** An entry of the main file. Pasted ones hold keys of many clients: an unknown key is a warning, unless it looks like a misspelled one of ours. */
export const SERVER_ENTRY = custom<Inputs<typeof SERVER_PROPERTIES>>({ type: 'object', properties: SERVER_PROPERTIES });

const UPSTREAM_PROPERTIES = {
  $schema: string({}, 'This schema, for editors.'),
  name: text("The upstream's name; the file's name unless given."),
  ...SERVER_PROPERTIES,
};

/** The published schema of a file in `upstreams/`. */
export const UPSTREAM_SCHEMA = custom<Inputs<typeof UPSTREAM_PROPERTIES>>({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'One upstream of mcp-aql-gateway',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...UPSTREAM_PROPERTIES,
    ...Object.fromEntries(
      Object.keys(FOREIGN_KEYS).map((key) => [
        key,
        { deprecated: true, description: 'Other clients use it; ignored.' },
      ]),
    ),
  },
  definitions: { operation: OPERATION },
});
