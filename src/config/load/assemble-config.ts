import { formatPath, type JsonPath } from '../../base/json/json-path.js';
import { isPattern } from '../../base/lib/glob.js';
import { suggestName } from '../../base/lib/names.js';
import { APPS_EXTENSION } from '../../base/protocol/extensions.js';
import { QUALIFIER, RESERVED_OPERATIONS } from '../../base/protocol/operation.js';
import type { ClientConfig, ServerConfig } from '../access-config.js';
import type { GatewayDocument, UpstreamDocument } from '../config-document.js';
import type { ConfigLock, GatewayConfig, ProfileDefinition } from '../gateway-config.js';
import type { ApprovalsConfig, PolicyRule } from '../policy-config.js';
import { ENDPOINT, PLAIN_SECTIONS } from '../schema/serving-schema.js';
import { normalise, normaliseAll, type Settings } from '../schema/setting.js';
import { buildClients, hashToken } from './build-access.js';
import { buildCredentialStorage, notePerUser } from './build-credentials.js';
import { buildLog, buildMetrics, buildTracing } from './build-observability.js';
import { buildPolicy } from './build-policy.js';
import { buildProfiles, pickProfile } from './build-profile.js';
import { buildQuotas } from './build-quotas.js';
import { buildSafetyLoop, startRules } from './build-safety-loop.js';
import { buildAudit, buildResults, buildServer } from './build-serving.js';
import { buildStore, noteFilesOfServers } from './build-store.js';
import { buildDefaults, buildUpstreams } from './build-upstreams.js';
import { buildViews, noteDefaultView } from './build-views.js';
import type { Diagnostics } from './diagnostics.js';
import { needsToken } from './made-token.js';
import { type LocatedDefinition, listServers, readServer, toSlug } from './server-definition.js';

/** One file of `upstreams/`, validated. */
export interface UpstreamSource {
  /** The file's name without `.json`. */
  readonly stem: string;
  readonly document: UpstreamDocument;
  readonly diagnostics: Diagnostics;
}

/** All sources of the configuration, each interpolated and validated, with absolute paths. */
export interface ConfigSources {
  readonly file: string | null;
  readonly directory: string;
  readonly dataDir: string;
  readonly upstreamsDir: string;
  readonly document: GatewayDocument;
  /** Those of modules, which the document may have. */
  readonly sections: Settings;
  readonly diagnostics: Diagnostics;
  readonly upstreams: readonly UpstreamSource[];
  readonly lock: ConfigLock;
}

/**
 * What hosts of MCP Apps declare; servers without it show their tools without pages.
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
const MCP_APPS = { [APPS_EXTENSION]: { mimeTypes: ['text/html;profile=mcp-app'] } };

/** Builds the normalised configuration from its sources. Faults between the sources go into the diagnostics. */
export function assembleConfig(sources: ConfigSources): GatewayConfig {
  const { file, directory, dataDir, upstreamsDir, document, sections, diagnostics, lock } = sources;
  const endpoint = normalise(ENDPOINT, document.endpoint);
  const { mode: modeName, profile: chosen, passthrough: isPassed, ...others } = endpoint;
  const mode = modeName === 'crude' ? 'semantic' : modeName;
  if (mode !== 'semantic') noteNamelessTool(others.toolPrefix, diagnostics);
  const profiles = buildProfiles(document.profiles, others.toolPrefix, diagnostics);
  const profile = pickProfile(chosen, profiles, diagnostics);
  const definitions = listDefinitions(sources);
  const clients = buildClients(document.clients, { directory, path: ['clients'], diagnostics });
  const server = buildServer(document.server, { directory, diagnostics });
  const known = {
    upstreams: definitions.map(({ slug }) => slug),
    clients: clients.map(({ name }) => name),
    issuers: (server.oauth?.issuers ?? []).map(({ name }) => name),
    views: Object.keys(document.views ?? {}),
  };
  const ownPolicy = buildPolicy(document.policy, { directory, known, publicUrl: server.publicUrl, diagnostics });
  noteSharedSecrets(ownPolicy.approvals, clients, diagnostics);
  noteOperatorGroups(ownPolicy.approvals, server, diagnostics);
  const pins = buildPins(document.pins, definitions, diagnostics);
  noteBareAllows(ownPolicy.rules, { upstreams: known.upstreams, pins }, diagnostics);
  noteOpenServer(server, clients, diagnostics);
  const shown = { ...others, mode, profile, passthrough: isPassed || mode === 'passthrough' };
  const { views, rules } = buildViews(document.views, { endpoint: shown, profiles, known, diagnostics });
  const safetyLoop = buildSafetyLoop(document.safetyLoop, { directory, diagnostics });
  const policy = { ...ownPolicy, rules: [...ownPolicy.rules, ...rules, ...startRules(safetyLoop)] };
  noteDefaultView(server.defaultView, known.views, diagnostics);
  const metrics = buildMetrics(document.metrics, { directory, diagnostics });
  const tracing = buildTracing(document.tracing, { directory, diagnostics });
  const plain = normaliseAll(PLAIN_SECTIONS, document);
  const { proxy, tls } = document.defaults ?? {};
  const showsTools = shown.passthrough || views.some((view) => view.endpoint.passthrough);
  const built = buildUpstreams(definitions, {
    directory,
    outbound: { ...(proxy === undefined ? {} : { proxy }), ...(tls === undefined ? {} : { tls }) },
    defaults: buildDefaults(document.defaults, plain.limits),
    // Without a lock nothing has been accepted that the tools could be compared with.
    integrity: document.integrity ?? (lock.content === null ? 'off' : 'warn'),
    families: { all: listFamilies(profiles), active: profile },
  });
  const upstreams = showsTools ? built.map((upstream) => ({ extensions: MCP_APPS, ...upstream })) : built;
  notePerUser(upstreams, { server, clients }, diagnostics);
  const store = buildStore(document.store, { directory, dataDir, diagnostics });
  noteFilesOfServers({ store, upstreams, dataDir }, diagnostics);
  return {
    file,
    directory,
    dataDir,
    upstreamsDir,
    server,
    endpoint: shown,
    ...plain,
    sections,
    modules: normaliseAll(sections, document),
    results: buildResults(plain.results, diagnostics),
    lock,
    pins,
    policy,
    quotas: buildQuotas(document.quotas, known, diagnostics),
    safetyLoop,
    store,
    audit: buildAudit(document.audit, { directory, dataDir, diagnostics }),
    credentials: buildCredentialStorage(document.credentials, { directory, path: ['credentials'], diagnostics }),
    clients,
    log: buildLog(document.log, { directory }),
    ...(metrics !== undefined && { metrics }),
    ...(tracing !== undefined && { tracing }),
    upstreams,
    views,
  };
}

/** The single-mode tool has the prefix, without its last underscores, as its name, so the prefix needs another character. */
function noteNamelessTool(toolPrefix: string, diagnostics: Diagnostics): void {
  if (!/^_+$/.test(toolPrefix)) return;
  diagnostics.problem(
    ['endpoint', 'toolPrefix'],
    'leaves no name for the tool that reaches everything',
    'begin with a letter',
  );
}

/** In the order of precedence: the main file, then the upstream files by name. */
function listDefinitions({ document, diagnostics, upstreams }: ConfigSources): readonly LocatedDefinition[] {
  return [
    ...listServers(document).map((server) => ({ ...server, diagnostics })),
    ...upstreams.map((source) => ({ ...readServer(source.document, source.stem), diagnostics: source.diagnostics })),
  ];
}

function listFamilies(profiles: readonly ProfileDefinition[]): ReadonlySet<string> {
  return new Set(profiles.flatMap((profile) => profile.families.map((family) => family.name)));
}

function buildPins(
  pins: GatewayDocument['pins'],
  definitions: readonly LocatedDefinition[],
  diagnostics: Diagnostics,
): GatewayConfig['pins'] {
  const pairs = Object.entries(pins ?? {}).map(([operation, upstream]) => {
    const slug = toSlug(upstream);
    if (!definitions.some((definition) => definition.slug === slug)) {
      const names = definitions.map((definition) => definition.name);
      diagnostics.problem(['pins', operation], `there is no upstream '${upstream}'`, suggestName(upstream, names));
    }
    return [operation, slug] as const;
  });
  return Object.fromEntries(pairs);
}

interface Secret {
  readonly of: 'operator' | 'webhook' | 'client';
  readonly path: JsonPath;
  /** Its hash: the tokens of clients may be given so. */
  readonly value: string;
}

const APPROVALS: JsonPath = ['policy', 'approvals'];

/** Groups are those of an issuer's users: a static client is none. */
function noteOperatorGroups(
  { operatorGroups }: ApprovalsConfig,
  { oauth }: ServerConfig,
  diagnostics: Diagnostics,
): void {
  if (operatorGroups.length === 0 || oauth !== undefined) return;
  const message = 'nobody can sign in by these: there is no issuer';
  diagnostics.problem([...APPROVALS, 'operatorGroups'], message, "configure 'server.oauth'");
}

/** Reports every secret that is used twice: its holders cannot be distinguished, and a client could approve its own calls. */
function noteSharedSecrets(
  approvals: ApprovalsConfig,
  clients: readonly ClientConfig[],
  diagnostics: Diagnostics,
): void {
  const first = new Map<string, Secret>();
  for (const secret of listSecrets(approvals, clients)) {
    const other = first.get(secret.value);
    if (diagnostics.has(secret.path)) continue;
    if (other === undefined) first.set(secret.value, secret);
    else diagnostics.problem(secret.path, describeClash(secret, other), 'give each its own: openssl rand -hex 32');
  }
}

function listSecrets({ operators, webhook }: ApprovalsConfig, clients: readonly ClientConfig[]): readonly Secret[] {
  return [
    ...operators.flatMap(({ name, keys }) =>
      keys.map(({ hash }) => ({
        of: 'operator' as const,
        path: [...APPROVALS, 'operators', name, 'token'],
        value: hash,
      })),
    ),
    ...(webhook === undefined
      ? []
      : [{ of: 'webhook' as const, path: [...APPROVALS, 'webhook', 'secret'], value: hashToken(webhook.secret) }]),
    ...clients.flatMap(({ name, keys }) =>
      keys.map(({ hash }) => ({ of: 'client' as const, path: ['clients', name, 'token'], value: hash })),
    ),
  ];
}

function describeClash(secret: Secret, other: Secret): string {
  const same = `the same secret as ${formatPath(other.path)}`;
  return secret.of === 'client' && other.of === 'operator'
    ? `${same}; a client that has an operator's token could approve its own calls`
    : same;
}

/** What decides which upstream a bare operation name belongs to. */
interface NameOwners {
  /** All upstreams, in snake_case. */
  readonly upstreams: readonly string[];
  readonly pins: Readonly<Record<string, string>>;
}

/**
 * Warns of rules that allow an operation by a bare name: an upstream of any trust that offers the name while its owner is
 * disconnected is allowed too.
 */
function noteBareAllows(rules: readonly PolicyRule[], { upstreams, pins }: NameOwners, diagnostics: Diagnostics): void {
  if (upstreams.length < 2) return;
  const isOwned = (name: string): boolean =>
    isPattern(name) || name.includes(QUALIFIER) || RESERVED_OPERATIONS.has(name) || Object.hasOwn(pins, name);
  for (const [index, { decision, match }] of rules.entries()) {
    if (decision !== 'allow' || match.upstream !== undefined) continue;
    for (const name of match.operation ?? []) {
      if (isOwned(name)) continue;
      diagnostics.warning(
        ['policy', 'rules', index, 'match', 'operation'],
        `'${name}' is allowed for every upstream that offers the name, also while its owner is disconnected; write 'UPSTREAM${QUALIFIER}${name}', or give the name to one in 'pins'`,
      );
    }
  }
}

/** Says what becomes of a gateway that listens beyond this machine without clients. */
function noteOpenServer(
  server: GatewayConfig['server'],
  clients: readonly ClientConfig[],
  diagnostics: Diagnostics,
): void {
  if (!needsToken({ server, clients })) return;
  diagnostics.warning(
    ['server', 'host'],
    "there are no clients, so 'serve' makes a token that they must send; set 'clients' or MCP_AQL_CLIENT_TOKEN, or server.allowUnauthenticated where something else decides who may connect",
  );
}
