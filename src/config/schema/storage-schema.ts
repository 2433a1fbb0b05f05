import { boolean, choice, integer, list, NAME_GLOB, section, string, TEXT, text } from './setting.js';

/** What is below the data directory unless given. */
export const STORE_FILE = 'state.db';
export const AUDIT_DIRECTORY = 'audit';

const inDataDir = (name: string): string => `\${dataDir}/${name}`;

const MEGABYTE = 1_048_576;

export const STORE = section('Where tokens, approvals and other state are kept.', {
  type: choice(
    ['memory', 'sqlite', 'redis'],
    'Lost with the process (`memory`), one file (`sqlite`), or shared by several gateways (`redis`, also Valkey). ' +
      '`redis` where only `url` is given.',
    'sqlite',
  ),
  file: text('Of `sqlite`: the file.', inDataDir(STORE_FILE)),
  url: text('Of `redis`: redis:// or rediss://, with its credentials.'),
  cluster: list(
    TEXT,
    'Of `redis`, instead of `url`: some servers of a cluster, each as `redis://host:6379`.',
    undefined,
    { minItems: 1 },
  ),
  sentinel: section('Of `redis`, instead of `url`: a server that sentinels watch.', {
    name: text('What the sentinels call it: `mymaster`.'),
    nodes: list(
      TEXT,
      'The sentinels, each as `redis://host:26379`, with their own credentials where they have some.',
      undefined,
      { minItems: 1 },
    ),
  }),
  username: text('Of `redis`: beats that of an address.'),
  password: text(
    `Of \`redis\`: beats that of an address. \`\${REDIS_PASSWORD}\` takes it from the environment or a file.`,
  ),
  tls: section('Of `redis`, for rediss:// addresses: files in PEM.', {
    ca: text('The authority that signed the certificate of the server.'),
    cert: text("The gateway's own certificate, where the server asks for one."),
    key: text('Its private key.'),
  }),
  sharedBytes: integer(
    MEGABYTE,
    Number.MAX_SAFE_INTEGER,
    'Of `redis`: what the parts of large answers may take in it, in bytes; 256 MB unless given. The oldest make room.',
  ),
  sharedBytesPerClient: integer(
    MEGABYTE,
    Number.MAX_SAFE_INTEGER,
    'Of `redis`: those of one client or user; 32 MB unless given.',
  ),
  prefix: string(
    { pattern: '^[A-Za-z0-9:._-]+$', maxLength: 100 },
    'Of `redis`: what its keys begin with. Gateways that share it share their state.',
    'mcp-aql',
  ),
});

export const AUDIT = section('The record of what was attempted, decided and administered.', {
  enabled: boolean('Whether there is one.', true),
  directory: text('Where its files are.', inDataDir(AUDIT_DIRECTORY)),
  calls: choice(
    ['gated', 'all'],
    'Calls that are destructive or worse and every refusal by policy (`gated`), or every call (`all`).',
    'gated',
  ),
  sync: boolean('Write each record to the disk before going on; else a crash may lose about the last 100 ms.', false),
  required: boolean(
    'Refuse destructive, dangerous and forbidden calls while the journal cannot be written, as on a full disk. Unless given, as `sync`.',
  ),
  maxBytes: integer(
    0,
    Number.MAX_SAFE_INTEGER,
    'What the files may take together, in bytes; beyond that the oldest that have ended are removed. 0 keeps all.',
    1_073_741_824,
  ),
  retentionDays: integer(0, 3650, 'Whole files older than so many days are removed; 0 keeps all.', 90),
  redactKeys: list(NAME_GLOB, 'Patterns of more parameter names whose values are never recorded.', []),
  redactPatterns: list(
    TEXT,
    'Regular expressions (JavaScript, flag `u`) of more texts that are never recorded. Yours to keep cheap: nested ' +
      'repetition such as `(a+)+` may never end.',
    [],
  ),
});
