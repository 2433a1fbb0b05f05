// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own references look like that

import { FUNCTIONS } from '../../src/base/expression/functions.js';
import { MAX_ELEMENTS, MAX_EXPRESSION_LENGTH } from '../../src/base/expression/operators.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../src/base/json/json.js';
import { valueAt } from '../../src/base/json/json-path.js';
import { BUILT_IN_PROFILES } from '../../src/config/built-in-profiles.js';
import type { FamilyDefinition } from '../../src/config/gateway-config.js';
import { renderJson } from '../../src/config/load/lock-file.js';
import { CONFIG_VARIABLE, formatFlag, OVERRIDES } from '../../src/config/load/overrides.js';
import { FAMILY, gatewaySchema } from '../../src/config/schema/gateway-schema.js';
import { OPERATION_PROPERTIES, RELATION_PROPERTIES } from '../../src/config/schema/operation-schema.js';
import { API_LIMIT_PROPERTIES } from '../../src/config/schema/policy-schema.js';
import { SERVER_PROPERTIES } from '../../src/config/schema/upstream-schema.js';
import { SECTIONS } from '../../src/modules/modules.js';

const INTRODUCTION = `# Configuration

The gateway reads one main file, one file per upstream, the environment and its flags, and makes one frozen configuration of
them. It reports every fault of all of them at once, each with its path and what was expected. \`mcp-aql-gateway validate
--print\` shows the result with secrets masked. This page is made from the schema
([gateway-config.schema.json](gateway-config.schema.json), [upstream.schema.json](upstream.schema.json)).

## Sources

The main file is the first of: \`--config\`, \`${CONFIG_VARIABLE}\`, \`gateway.config.json\` in the working directory, the default that
ships with the package. Flags beat the environment, which beats the file. Files may hold comments and trailing commas. Relative
paths start at the main file's folder (in a variable: at the working directory).`;

const REFERENCES: readonly (readonly string[])[] = [
  [
    '`${VAR}`, `${env:VAR}`',
    'the variable; where it is unset, the content of the file that `VAR_FILE` names; else an error',
  ],
  ['`${VAR:-text}`', 'the same, with a text where it is unset or empty'],
  ['`${configDir}`, `${workspaceFolder}`', "the main file's folder"],
  ['`${dataDir}`', 'the data directory'],
  ['`${userHome}`', "the user's home directory"],
  ['`$${`', 'the text `${` itself'],
];

const SECRETS = `A server that is \`disabled\` needs none of its variables. \`\${input:name}\` is refused: a gateway cannot ask an editor's user.

\`X_FILE\` in \`env\` or \`headers\` sets \`X\` to the trimmed content of a file of at most 64 KiB, unless \`X\` is set. A file that
cannot be read is an error where \`X\` is a header or sounds like a secret (token, key, password and so on), else a warning. Each
variable of the table above has such a file variable too: \`MCP_AQL_HOST_FILE\`.`;

const RULES = `## Policy rules

Each call is checked against every rule of \`policy.rules\`; of those that match, \`deny\` beats \`confirm\` beats \`allow\`, in any
order. Where none matches, the operation's danger and its server's trust decide ([security](security.md)). Where a value cannot be judged, as text where a number is
compared, a rule that denies or confirms counts as matching and one that allows does not. \`policy explain\` says which rule decides,
and why.

Patterns are written alike in every setting and filter: \`*\` and \`?\`, \`[classes]\`, \`{braces}\` for alternatives, and a backslash before a sign
that stands for itself. In \`glob\`, which matches values, \`*\` ends at a \`/\` and \`**\` does not. Extended globs (\`@(a|b)\`), named classes
(\`[[:alpha:]]\`) and a \`!\` before a pattern of names are refused when the configuration is read. For example:`;

const RULES_READING = `Creations and changes in repositories named \`sandbox-…\` run without a question. A refund above 100 needs the agreement of a
person and at least half a minute. The client \`ci\` deletes nothing, and nobody can agree to it.

Tokens may also come as files (\`token_FILE\`), and the first of each kind as a variable: \`MCP_AQL_CLIENT_TOKEN\` is the client
\`default\`, \`MCP_AQL_ADMIN_TOKEN\` the operator \`admin\`.`;

const SERVERS = `## Servers

\`mcpServers\` takes a block of Claude Desktop, Cursor or VS Code as it is; VS Code's \`servers\` and \`mcp.servers\` mean the same. Keys
that only other clients know are ignored with a warning, as are comments (\`_comment\`, \`//\`), Gemini's boolean \`trust\`, and, beside a block of
servers, what is no setting (\`globalShortcut\`); keys that look like misspelled ones of the keys below are errors. A number in \`args\` is
passed as its text, with a warning. Tools that another client hides by \`disabledTools\`, \`excludeTools\`, \`includeTools\` and the like are hidden
here by \`operations\`: \`{"delete_*": {"hide": true}}\`, or \`{"*": {"hide": true}, "list_issues": {"hide": false}}\` for all others.`;

const UPSTREAM_FILES = `## Upstream files

Each \`*.json\` in \`upstreamsDir\` describes one upstream: the keys above and \`name\` (the file's name unless given). A file without
\`command\` and \`url\` adds to the server of that name, and beats its definition in the main file. Names are compared in snake_case, and two
servers may not share one. The same curation keys may stand in \`mcpServers\`.

An entry of \`operations\` is an exact name or a pattern (\`get_*\`), compared with the tool's own name and its operation's
name. Later entries win, key by key.`;

const API_LIMITS = `## API limits

Each of a server's \`api_limits\` says how many calls the server accepts ([quotas](quotas.md)):`;

const PROFILES = `## Profiles

A profile assigns operations to families; each operation belongs to exactly one. Patterns beat verbs, verbs beat categories, and
the last family takes the operations that no other takes.`;

/** The text of docs/configuration.md, from the texts of the schemas and tables, so that page and program cannot differ. */
export function renderConfigReference(): string {
  return `${[
    INTRODUCTION,
    renderVariables(),
    "## Variables and secrets\n\nEvery string of a server's entry and of the settings may hold references:",
    renderTable(['reference', 'stands for'], REFERENCES),
    SECRETS,
    '## Settings',
    ...renderSections(),
    RULES,
    `\`\`\`json\n${renderJson(POLICY_EXAMPLE).trimEnd()}\n\`\`\``,
    RULES_READING,
    SERVERS,
    renderProperties(SERVER_PROPERTIES),
    UPSTREAM_FILES,
    renderProperties(OPERATION_PROPERTIES),
    EXPRESSIONS,
    renderFunctions(),
    RELATIONS,
    renderProperties(RELATION_PROPERTIES),
    RELATIONS_READING,
    API_LIMITS,
    renderProperties(API_LIMIT_PROPERTIES),
    `\`\`\`json
${renderJson(RESULT_EXAMPLE).trimEnd()}
\`\`\``,
    PROFILES,
    ...BUILT_IN_PROFILES.map(({ name, families }) => `### \`${name}\`\n\n${renderFamilies(families)}`),
    "### Of your own\n\n`profiles` maps a profile's name to its families, and a family's name to:",
    renderProperties(valueAt(FAMILY, ['properties']) as JsonObject),
    'Every category must be taken by exactly one family, and `introspect` must come to one that reads.',
  ].join('\n\n')}\n`;
}

function renderVariables(): string {
  const rows = OVERRIDES.map(({ variable, flag, path }) => [
    code(variable),
    flag === undefined ? '' : code(formatFlag(flag)),
    code(path.join('.')),
  ]);
  return renderTable(['variable', 'flag', 'setting'], rows);
}

/** Sections of settings with a table each, then the single settings in one. */
function renderSections(): string[] {
  const properties = Object.entries(valueAt(gatewaySchema(SECTIONS), ['properties']) as Record<string, JsonSchema>);
  const shown = properties.filter(([name]) => name !== '$schema' && name !== 'mcp');
  const single = shown.filter(([name, schema]) => findObject(name, schema) === undefined);
  return [
    ...shown.flatMap(([name, schema]) => renderSection(name, schema, '###')),
    '### Others',
    renderProperties(Object.fromEntries(single)),
  ];
}

/** A section's table, then those of the objects within it; empty where a setting is not a section. */
function renderSection(name: string, schema: JsonSchema, heading: string): string[] {
  const found = findObject(name, schema);
  if (found === undefined) return [];
  const { path, properties } = found;
  return [
    `${heading} ${code(path)}\n\n${schema['description']}`,
    renderProperties(properties),
    ...Object.entries(properties).flatMap(([key, member]) =>
      isJsonObject(member) ? renderSection(`${path}.${key}`, member, '####') : [],
    ),
  ];
}

/** The keys below a setting: those of an object, of each element (`rules[]`), or of each entry (`clients.*`). */
function findObject(path: string, schema: JsonSchema): { path: string; properties: JsonObject } | undefined {
  const places = [
    { path, at: ['properties'] },
    { path: `${path}[]`, at: ['items', 'properties'] },
    { path: `${path}.*`, at: ['additionalProperties', 'properties'] },
  ];
  for (const place of places) {
    const properties = valueAt(schema, place.at);
    if (isJsonObject(properties)) return { path: place.path, properties };
  }
  return undefined;
}

function renderProperties(properties: JsonObject): string {
  const rows = Object.entries(properties).map(([name, schema]) =>
    isJsonObject(schema)
      ? [code(name), describeType(schema), describeDefault(schema), String(schema['description'] ?? '')]
      : [code(name)],
  );
  return renderTable(['key', 'expected', 'default', 'meaning'], rows);
}

function describeType(schema: JsonSchema): string {
  const { type, enum: values, items, minimum, maximum } = schema;
  if (Array.isArray(values)) return values.map(code).join(', ');
  if (Array.isArray(type) && isJsonObject(items)) return `${describeType(items)}, or a list`;
  if (type === 'array' && isJsonObject(items)) return `list of ${describeType(items)}`;
  if (type === 'array') return 'list';
  if (Array.isArray(type)) return type.join(' or ');
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${minimum} to ${maximum}`;
  return type === undefined ? 'anything' : String(type);
}

function describeDefault({ default: value }: JsonSchema): string {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? '' : code(value);
}

function renderFunctions(): string {
  const rows = [...FUNCTIONS.values()].map(({ usage, meaning }) => [code(usage), meaning]);
  return renderTable(['function', 'gives'], rows);
}

function renderFamilies(families: readonly FamilyDefinition[]): string {
  const rows = families.map(({ name, purpose, categories, verbs, patterns }) => [
    code(name),
    purpose,
    categories.join(', '),
    [...verbs, ...patterns].map(code).join(' '),
  ]);
  return renderTable(['family', 'purpose', 'categories', 'verbs and patterns'], rows);
}

/** A table with its columns aligned, as the project's formatter writes it. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => head.map((_, column) => (row[column] ?? '').replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}

function code(value: unknown): string {
  return `\`${value}\``;
}

/** The documentation's example of policy rules; a main file that loads. */
export const POLICY_EXAMPLE: JsonObject = {
  mcpServers: {
    github: { url: 'https://github.example.org/mcp' },
    payments: { url: 'https://payments.example.org/mcp' },
  },
  clients: { ci: { token: '${CI_TOKEN}' } },
  policy: {
    rules: [
      {
        name: 'sandboxes',
        match: { upstream: 'github', category: ['CREATE', 'UPDATE'], params: { repo: { glob: 'sandbox-*' } } },
        decision: 'allow',
      },
      {
        name: 'large refunds',
        match: { operation: 'payments__create_refund', params: { 'refund.amount': { gt: 100 } } },
        decision: 'confirm',
        requires: 'human',
        cooldown_seconds: 30,
        reason: 'Refunds above 100 need a second pair of eyes',
      },
      {
        name: 'no deletions by ci',
        match: { client: 'ci', category: 'DELETE' },
        decision: 'deny',
        reason: 'Builds leave things as they are',
      },
    ],
    approvals: { operators: { alice: { token: '${ALICE_TOKEN}' } } },
  },
};

/** The section about expressions, before their functions. */
const EXPRESSIONS = `### Expressions

A computed field is an expression over the fields of one item, by their dotted paths; through a list a path means each of its
elements, and a name with spaces or signs is written in back quotes. There are numbers, \`'texts'\`, \`true\`, \`false\` and \`null\`, the
operators \`+ - * / %\`, \`== != < <= > >=\`, \`and\`, \`or\` and \`not\`, parentheses, and the functions below: in all
${MAX_EXPRESSION_LENGTH.toLocaleString('en')} characters.

A missing value is null, and so is the result of an operator on it; \`x == null\` tests for it. A date is an ISO 8601 text, in UTC
where it names no zone, or a Unix time. \`+\` with a text concatenates. Lists of more than ${MAX_ELEMENTS.toLocaleString('en')} elements are not
evaluated, and a text is cut after 10,000 characters.`;

/** The section about relations, before and after their keys. */
const RELATIONS = `## Relations

\`relations\` name the operations of a server that return connections. \`query_relationships\` traverses them, and exists where a
server has them. An entry holds:`;

const RELATIONS_READING = `An operation with a node's id (\`$id\`) in its parameters returns one side of the node's connections, or both where \`source\` and
\`target\` are given. One without it is called once and returns both. Relations of the main file and of the server's own file are
combined. For example:`;

/** The documentation's example of computed fields and relations; a main file that loads. */
export const RESULT_EXAMPLE: JsonObject = {
  mcpServers: {
    tracker: {
      url: 'https://tracker.example.org/mcp',
      operations: {
        list_issues: {
          collection: 'issues',
          presets: { minimal: ['key', 'title'], triage: ['key', 'title', 'labels.name', '_computed.is_stale'] },
          computed: {
            age_days: 'days_since(created_at)',
            is_stale: {
              expression: "state == 'open' and days_since(updated_at) > 30",
              description: 'Open, and silent for a month',
            },
          },
        },
      },
      relations: [
        {
          relationship: 'blocked_by',
          operation: 'get_issue',
          params: { key: '$id' },
          edges: 'links',
          target: 'blocker.key',
        },
        { relationship: 'part_of', operation: 'list_epics', edges: 'epics', source: 'issues.key', target: 'key' },
      ],
    },
  },
};
