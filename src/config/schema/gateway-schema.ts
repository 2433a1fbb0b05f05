import { CATEGORIES } from '../../base/protocol/operation.js';
import { CREDENTIALS, SHARED } from './connection-schema.js';
import { OPERATION } from './operation-schema.js';
import { POLICY, QUOTAS } from './policy-schema.js';
import { SAFETY_LOOP } from './safety-schema.js';
import { CLIENTS, SERVER } from './server-schema.js';
import { ENDPOINT, LOG, METRICS, PLAIN_SECTIONS, TRACING } from './serving-schema.js';
import {
  choice,
  custom,
  dictionary,
  type Inputs,
  list,
  NAME_GLOB,
  reference,
  type Settings,
  section,
  string,
  TEXT,
  text,
} from './setting.js';
import { AUDIT, STORE } from './storage-schema.js';
import { INTEGRITY_MODES, SERVER_ENTRY } from './upstream-schema.js';
import { VIEWS } from './view-schema.js';

const NAME = '^[a-z][a-z0-9_]*$';

const categories = choice(CATEGORIES, '');

/** One family of an operator's own profile. */
export const FAMILY = section(
  'A family of operations, shown as one tool.',
  {
    purpose: string({ minLength: 1, maxLength: 200 }, 'One sentence that tells a model what it is for.'),
    categories: list(categories, 'Categories it takes whole.'),
    verbs: list(
      string({ pattern: '^[a-z][a-z0-9]*$' }, ''),
      'Leading words of operation names it takes; they beat categories.',
    ),
    patterns: list(NAME_GLOB, 'Patterns of operation names it takes; they beat verbs.'),
    only: list(
      categories,
      'The categories that verbs and patterns may take; READ alone where `categories` is READ alone, else all.',
      undefined,
      { minItems: 1 },
    ),
  },
  ['purpose'],
);

const PROFILES = dictionary(
  { propertyNames: { pattern: NAME, maxLength: 40 } },
  dictionary({ minProperties: 1, propertyNames: { pattern: NAME, maxLength: 40 } }, reference('family', FAMILY), ''),
  'Profiles of your own: profile -> family -> what it takes. The last family takes what no other takes.',
);

/** The settings of every upstream that has none of its own. */
export const DEFAULTS = section('The settings of every upstream that has none of its own.', SHARED);

const servers = (description: string) => dictionary({}, reference('server', SERVER_ENTRY), description);

/** Where the gateway keeps what it writes, and what it reads beside the main file. */
export const DATA_DIR = text('Where the gateway keeps what must survive a restart.', '.mcp-aql');
export const UPSTREAMS_DIR = text('The folder with one file per upstream.', 'upstreams');

/** The sections and settings of the main file. */
export const GATEWAY_PROPERTIES = {
  $schema: string({}, 'This schema, for editors.'),
  server: SERVER,
  endpoint: ENDPOINT,
  profiles: PROFILES,
  ...PLAIN_SECTIONS,
  defaults: DEFAULTS,
  pins: dictionary(
    { propertyNames: { pattern: NAME } },
    TEXT,
    'Bare operation names that belong to one upstream, even if others offer the same name: name -> upstream.',
  ),
  integrity: choice(
    INTEGRITY_MODES,
    'How a tool that differs from `gateway.lock.json` is treated: ignored (`off`), reported (`warn`), or reported and ' +
      'neither listed nor callable (`quarantine`). Unless given, `warn` where there is a lock, else `off`.',
  ),
  policy: POLICY,
  quotas: QUOTAS,
  safetyLoop: SAFETY_LOOP,
  store: STORE,
  audit: AUDIT,
  credentials: CREDENTIALS,
  clients: CLIENTS,
  views: VIEWS,
  log: LOG,
  metrics: METRICS,
  tracing: TRACING,
  dataDir: DATA_DIR,
  upstreamsDir: UPSTREAMS_DIR,
  mcpServers: servers("The servers behind the gateway, as other clients' blocks write them."),
  servers: servers("The same under VS Code's key."),
  mcp: section('The same, nested as in VS Code settings.', {
    servers: servers(''),
    inputs: custom<readonly unknown[]>({ type: 'array' }),
  }),
  inputs: custom<readonly unknown[]>({
    type: 'array',
    description: "Of VS Code; ignored, because a gateway cannot ask an editor's user.",
  }),
};

/**
 * The published schema of the main file. Its descriptions are also the text of docs/configuration.md.
 * @param sections those of modules, by their names
 */
export function gatewaySchema(sections: Settings) {
  return custom<Inputs<typeof GATEWAY_PROPERTIES>>({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration of mcp-aql-gateway',
    type: 'object',
    additionalProperties: false,
    properties: { ...GATEWAY_PROPERTIES, ...sections },
    definitions: { operation: OPERATION, family: FAMILY, server: SERVER_ENTRY },
  });
}
