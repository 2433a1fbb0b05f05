import { compileExpression } from '../../base/expression/compile.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { formatPath, type JsonPath, valueAt } from '../../base/json/json-path.js';
import { isPattern } from '../../base/lib/glob.js';
import { nearestSpelling, suggestName } from '../../base/lib/names.js';
import { type Category, GATEWAY_SOURCE, QUALIFIER, RESERVED_OPERATIONS } from '../../base/protocol/operation.js';
import type { ApiLimitEntry, GatewayDocument, OperationEntry, RelationEntry, ServerEntry } from '../config-document.js';
import type {
  ApiLimit,
  CurationRule,
  GatewayConfig,
  IntegrityMode,
  ProfileDefinition,
  RelationConfig,
  UpstreamConfig,
  UpstreamDefaults,
} from '../gateway-config.js';
import { SHARED } from '../schema/connection-schema.js';
import { normaliseAll } from '../schema/setting.js';
import { FOREIGN_KEYS, SERVER_PROPERTIES } from '../schema/upstream-schema.js';
import { buildUpstreamCredentials } from './build-credentials.js';
import { buildEndpoint, type OutboundEntry } from './build-endpoint.js';
import { type Diagnostics, muteDiagnostics } from './diagnostics.js';
import { COMMENTED, IGNORED, isComment } from './foreign-members.js';
import type { LocatedDefinition } from './server-definition.js';

interface UpstreamContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly defaults: UpstreamDefaults;
  /** The way to servers over HTTP that have no settings of their own. */
  readonly outbound: OutboundEntry;
  readonly integrity: IntegrityMode;
  readonly families: KnownFamilies;
}

/**
 * Builds the upstreams from all definitions, in order. One definition says how a server is reached; others with the same
 * slug add to it, and later ones beat earlier ones. What is wrong goes into the diagnostics.
 */
export function buildUpstreams(
  definitions: readonly LocatedDefinition[],
  context: UpstreamContext,
): readonly UpstreamConfig[] {
  for (const definition of definitions) noteKeys(definition);
  const usable = definitions.filter(hasUsableName);
  const slugs = [...new Set(usable.map((definition) => definition.slug))];
  return slugs.flatMap((slug) =>
    buildUpstream(
      usable.filter((definition) => definition.slug === slug),
      context,
    ),
  );
}

function buildUpstream(parts: readonly LocatedDefinition[], context: UpstreamContext): UpstreamConfig[] {
  const [main, ...rivals] = parts.filter(isReachable);
  if (main === undefined) {
    for (const part of parts) noteUnreachable(part);
    return [];
  }
  for (const rival of rivals) noteRival(rival, main);
  const entry: ServerEntry = Object.assign({}, ...parts.map((part) => part.entry));
  const { diagnostics, path } = main;
  const valueDiagnostics = entry.disabled ? muteDiagnostics(diagnostics) : diagnostics;
  const { directory, outbound } = context;
  const endpoint = buildEndpoint(main.entry, { directory, outbound, path, diagnostics, valueDiagnostics });
  if (endpoint === undefined) return [];
  const credentials = buildUpstreamCredentials(entry, endpoint, {
    directory,
    path: [...path, 'credentials'],
    diagnostics: valueDiagnostics,
  });
  if (credentials !== undefined && entry.readOnlyAccount === true)
    diagnostics.problem(
      [...path, 'readOnlyAccount'],
      "says something of one account, and with 'credentials' calls use those of their callers",
      "remove it, or 'credentials'",
    );
  noteInstances(parts, entry.isolation ?? context.defaults.isolation);
  return [
    {
      name: main.name,
      slug: main.slug,
      endpoint,
      disabled: entry.disabled ?? false,
      ...overrideDefaults(context.defaults, entry),
      ...(credentials !== undefined && { credentials }),
      ...(entry.description !== undefined && { description: entry.description }),
      ...(entry.group !== undefined && { group: entry.group }),
      ...(entry.readOnlyAccount !== undefined && { readOnlyAccount: entry.readOnlyAccount }),
      integrity: entry.integrity ?? context.integrity,
      curation: buildCuration(parts, context.families),
      relations: buildRelations(parts),
      apiLimits: buildApiLimits(parts),
    },
  ];
}

/** Reports bounds of connections where there is only one. */
function noteInstances(parts: readonly LocatedDefinition[], isolation: UpstreamConfig['isolation']): void {
  if (isolation !== 'shared') return;
  for (const { entry, path, diagnostics } of parts) {
    if (entry.instances !== undefined)
      diagnostics.warning([...path, 'instances'], "has no effect, because 'isolation' is 'shared'");
  }
}

/** The shared settings of all upstreams, but for those of the way to them. */
const SHARED_KEYS = Object.keys(SHARED).filter((key) => key !== 'proxy' && key !== 'tls');

/** What an entry says instead of the defaults; of objects it may say single members. */
function overrideDefaults(defaults: UpstreamDefaults, entry: ServerEntry): UpstreamDefaults {
  const said: JsonObject = { ...entry, timeoutMs: entry.timeoutMs ?? readForeignTimeout(entry.timeout) };
  const merged: JsonObject = { ...defaults };
  for (const key of SHARED_KEYS) {
    const [value, known] = [said[key], merged[key]];
    if (value !== undefined) merged[key] = isJsonObject(value) && isJsonObject(known) ? { ...known, ...value } : value;
  }
  return merged as unknown as UpstreamDefaults;
}

/** Lists of tools must fit however small the answers to clients are kept. */
const MIN_ANSWER_BYTES = 4_194_304;

/** The settings of upstreams that have none of their own. */
export function buildDefaults(
  entry: GatewayDocument['defaults'],
  { maxResponseSize }: GatewayConfig['limits'],
): UpstreamDefaults {
  const { proxy: _, tls: __, ...defaults } = normaliseAll(SHARED, entry ?? {});
  // An upstream's answer may be five times as long as the gateway's own: callers filter, and text holds escapes.
  return { maxAnswerBytes: Math.max(MIN_ANSWER_BYTES, 5 * maxResponseSize), ...defaults };
}

/** Some clients write seconds, others milliseconds: a time-out of under a second or over a quarter of an hour is not intended. */
function readForeignTimeout(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  return Math.round(timeout < 1000 ? timeout * 1000 : timeout);
}

/** Whether a definition says how its server is reached; a faulty `command` or `url` counts too. */
function isReachable({ entry, path, diagnostics }: LocatedDefinition): boolean {
  return ['command', 'url'].some((key) => key in entry || diagnostics.has([...path, key]));
}

function noteUnreachable({ name, path, diagnostics }: LocatedDefinition): void {
  // A file may curate a server that this installation does not have; an entry of the main file must define a server.
  if (path.length === 0)
    diagnostics.warning(path, `curates '${name}', which no configuration defines; it has no effect`);
  else diagnostics.problem(path, "expected 'command' (stdio) or 'url' (HTTP)");
}

function noteRival(rival: LocatedDefinition, main: LocatedDefinition): void {
  const place =
    main.path.length === 0 ? main.diagnostics.source : `${formatPath(main.path)} in ${main.diagnostics.source}`;
  const clash =
    rival.name === main.name
      ? `'${rival.name}' is defined by ${place} too`
      : `'${rival.name}' and '${main.name}' (${place}) are both '${main.slug}' in snake_case`;
  rival.diagnostics.problem(rival.path, clash, 'rename or remove one of them');
}

function hasUsableName({ name, slug, path, diagnostics }: LocatedDefinition): boolean {
  if (slug === GATEWAY_SOURCE)
    diagnostics.problem(path, `'${name}' is what the gateway calls itself`, 'choose another name');
  return slug !== GATEWAY_SOURCE;
}

/** What other programs call our keys; too far from ours for a misspelling. */
const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['executable', 'command'],
  ['arguments', 'args'],
  ['argv', 'args'],
  ['environment', 'env'],
  ['workingDirectory', 'cwd'],
  ['baseUrl', 'url'],
  ['endpoint', 'url'],
]);

/**
 * Unknown keys of a pasted entry belong to other clients and get a warning. A key that looks like a misspelled one of ours is
 * a problem: `trsut` must not silently leave a server trusted.
 */
function noteKeys({ entry, path, diagnostics }: LocatedDefinition): void {
  const known = [...Object.keys(SERVER_PROPERTIES), '$schema', ...(path.length === 0 ? ['name'] : [])];
  for (const key of Object.keys(entry).filter((name) => !known.includes(name))) {
    if (key === 'enabled' && valueAt(entry, ['enabled']) === false && entry.disabled === undefined) {
      diagnostics.problem([...path, key], "unknown key 'enabled'", 'write "disabled": true');
      continue;
    }
    const other = OTHER_SPELLINGS.get(key);
    const meant = other !== undefined && !Object.hasOwn(entry, other) ? other : nearestSpelling(key, known);
    const nearest = isComment(key) || Object.hasOwn(FOREIGN_KEYS, key) ? undefined : meant;
    if (nearest === undefined) diagnostics.warning([...path, key], explainIgnored(key));
    else diagnostics.problem([...path, key], `unknown key '${key}'`, `did you mean '${nearest}'?`);
  }
}

/** What is done here instead of what an ignored key does elsewhere. */
function explainIgnored(key: string): string {
  if (isComment(key)) return COMMENTED;
  const instead = Object.hasOwn(FOREIGN_KEYS, key) ? FOREIGN_KEYS[key] : undefined;
  return instead === undefined ? IGNORED : `${IGNORED}: ${instead}`;
}

/** Represents, in the strings of a relation's `params`, the id of the queried node. */
export const NODE_SIGN = '$id';

/** Whether parameters refer to the queried node; where they do not, one call returns all connections. */
export function mentionsNode(params: unknown): boolean {
  if (typeof params === 'string') return params.includes(NODE_SIGN);
  return typeof params === 'object' && params !== null && Object.values(params).some(mentionsNode);
}

/** The families that a curation may name. */
interface KnownFamilies {
  /** Of every profile: choosing another profile must not break a curation. */
  readonly all: ReadonlySet<string>;
  readonly active: ProfileDefinition;
}

/** The curation rules of all definitions of a server, in order. What is wrong goes into the diagnostics. */
function buildCuration(definitions: readonly LocatedDefinition[], families: KnownFamilies): readonly CurationRule[] {
  const renamed = new Map<string, string>();
  return definitions.flatMap((definition) =>
    Object.entries(definition.entry.operations ?? {}).map(([pattern, { computed, ...operation }]) => {
      const at = [...definition.path, 'operations', pattern, 'computed'];
      const rule: CurationRule = {
        pattern,
        ...operation,
        ...(computed !== undefined && { computed: buildComputed(computed, at, definition.diagnostics) }),
      };
      noteFamily(rule, definition, families);
      noteRename(rule, definition, renamed);
      return rule;
    }),
  );
}

function noteFamily(
  { pattern, family }: CurationRule,
  { path, diagnostics }: LocatedDefinition,
  known: KnownFamilies,
): void {
  if (family === undefined || known.active.families.some(({ name }) => name === family)) return;
  const at = [...path, 'operations', pattern, 'family'];
  if (!known.all.has(family)) {
    diagnostics.problem(at, `no profile has a family '${family}'`, suggestName(family, known.all));
  } else {
    diagnostics.warning(at, `the profile '${known.active.name}' has no family '${family}'; it has no effect`);
  }
}

function noteRename(
  { pattern, rename }: CurationRule,
  { path, diagnostics }: LocatedDefinition,
  renamed: Map<string, string>,
): void {
  if (rename === undefined) return;
  const at = [...path, 'operations', pattern, 'rename'];
  const other = renamed.get(rename);
  if (isPattern(pattern)) {
    diagnostics.problem(
      at,
      'a pattern may match many operations, which cannot share a name',
      'rename under an exact name',
    );
  } else if (rename.includes(QUALIFIER)) {
    diagnostics.problem(at, `'${QUALIFIER}' stands between upstream and operation`, 'use single underscores');
  } else if (RESERVED_OPERATIONS.has(rename)) {
    diagnostics.problem(at, `'${rename}' is a name that the protocol reserves`, 'choose another name');
  } else if (other !== undefined && other !== pattern) {
    diagnostics.problem(at, `'${other}' is renamed to '${rename}' too`, 'choose another name');
  }
  renamed.set(rename, pattern);
}

/** Builds computed fields. An expression that cannot be parsed goes into the diagnostics. */
function buildComputed(
  entries: NonNullable<OperationEntry['computed']>,
  path: JsonPath,
  diagnostics: Diagnostics,
): NonNullable<CurationRule['computed']> {
  const fields = Object.entries(entries).map(([name, entry]) => {
    const field = typeof entry === 'string' ? { expression: entry } : entry;
    const at = typeof entry === 'string' ? [...path, name] : [...path, name, 'expression'];
    // A missing or faulty expression is reported already.
    const compiled = diagnostics.has(at) ? undefined : compileExpression(field.expression);
    if (compiled?.ok === false) diagnostics.problem(at, compiled.problem);
    return [name, field] as const;
  });
  return Object.fromEntries(fields);
}

/** The relations of all definitions of a server, in order. What is wrong goes into the diagnostics. */
function buildRelations(definitions: readonly LocatedDefinition[]): readonly RelationConfig[] {
  return definitions.flatMap(({ entry, path, diagnostics }) =>
    (entry.relations ?? []).map((relation, index) => {
      noteMissingEnd(relation, [...path, 'relations', index], diagnostics);
      return { params: {}, edges: '', ...relation };
    }),
  );
}

/** Reports a missing `source` or `target`: the queried node can be one end of a connection, but not both. */
function noteMissingEnd(
  { params = {}, source, target }: RelationEntry,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  if (diagnostics.has(path)) return;
  const asksForOne = mentionsNode(params);
  if (asksForOne && source === undefined && target === undefined) {
    diagnostics.problem(path, "expected 'source' or 'target': the queried node cannot be both");
  }
  if (asksForOne) return;
  for (const [key, given] of Object.entries({ source, target })) {
    if (given !== undefined) continue;
    const hint = `or write '${NODE_SIGN}' into 'params' for the id of the queried node`;
    diagnostics.problem([...path, key], 'missing; expected a path, because one call returns all connections', hint);
  }
}

/** The key that names what a limit of this scope counts; a limit on every call has none. */
const SUBJECTS = { global: undefined, endpoint: 'operation', category: 'category' } as const satisfies Readonly<
  Record<ApiLimit['scope'], string | undefined>
>;

/** The API limits of a server; the last definition that has any counts. What is wrong goes into the diagnostics. */
function buildApiLimits(definitions: readonly LocatedDefinition[]): readonly ApiLimit[] {
  const last = definitions.findLast(({ entry }) => entry.api_limits !== undefined);
  if (last === undefined) return [];
  const seen = new Set<string>();
  return (last.entry.api_limits ?? []).flatMap((entry, index) => {
    const path = [...last.path, 'api_limits', index];
    if (last.diagnostics.has(path)) return [];
    const limit = buildApiLimit(entry);
    noteSubject(entry, path, last.diagnostics);
    noteTwin(limit, path, seen, last.diagnostics);
    return [limit];
  });
}

function buildApiLimit({ scope, operation, category, limit, window }: ApiLimitEntry): ApiLimit {
  return {
    scope,
    ...(operation !== undefined && { operation }),
    ...(category !== undefined && { category: category.toUpperCase() as Category }),
    limit,
    window,
  };
}

function noteSubject(entry: ApiLimitEntry, path: JsonPath, diagnostics: Diagnostics): void {
  const { scope } = entry;
  const subject = SUBJECTS[scope];
  if (subject !== undefined && entry[subject] === undefined) {
    diagnostics.problem([...path, subject], `missing; a limit of the scope '${scope}' needs it`);
  }
  for (const key of ['operation', 'category'] as const) {
    if (key === subject || entry[key] === undefined) continue;
    diagnostics.problem(
      [...path, key],
      `a limit of the scope '${scope}' has no '${key}'`,
      'change the scope, or leave it out',
    );
  }
}

/** Reports two limits on the same calls in the same window: only the lower one would count. */
function noteTwin(
  { scope, operation, category, window }: ApiLimit,
  path: JsonPath,
  seen: Set<string>,
  diagnostics: Diagnostics,
): void {
  const what = JSON.stringify([scope, operation, category, window]);
  if (seen.has(what))
    diagnostics.problem(path, `there is such a limit per ${window} already`, 'keep the lower of them');
  seen.add(what);
}
