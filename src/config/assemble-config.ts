import { buildAudit } from './build-audit.js';
import { buildCredentials } from './build-credentials.js';
import { buildPolicy } from './build-policy.js';
import { buildProfiles, pickProfile } from './build-profile.js';
import { buildQuotas } from './build-quotas.js';
import { buildResults } from './build-results.js';
import { buildServer } from './build-server.js';
import { buildStore } from './build-store.js';
import { buildUpstreams } from './build-upstreams.js';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { GatewayDocument, UpstreamDocument } from './config-document.js';
import type { Notes } from './config-report.js';
import type { GatewayConfig, ProfileDefinition } from './gateway-config.js';
import type { ConfigLock } from './lock-content.js';
import { suggestName } from './nearest-name.js';
import { noteBareAllows } from './note-bare-allows.js';
import { noteOpenServer } from './note-open-server.js';
import { noteSharedSecrets } from './note-shared-secrets.js';
import { listServers, type NotedDefinition, readServer } from './server-definition.js';
import { toSlug } from './slug.js';

/** One file of `upstreams/`, validated. */
export interface UpstreamSource {
  /** The file's name without `.json`. */
  readonly stem: string;
  readonly document: UpstreamDocument;
  readonly notes: Notes;
}

/** Everything that says something, interpolated and validated one by one, with absolute paths. */
export interface ConfigSources {
  readonly file: string | null;
  readonly directory: string;
  readonly dataDir: string;
  readonly document: GatewayDocument;
  readonly notes: Notes;
  readonly upstreams: readonly UpstreamSource[];
  readonly lock: ConfigLock;
}

/** Makes one normalised configuration of its sources. What is wrong between them goes into the notes. */
export function assembleConfig(sources: ConfigSources): GatewayConfig {
  const { file, directory, dataDir, document, notes, lock } = sources;
  const { mode: modeName, profile: chosen, toolPrefix } = { ...CONFIG_DEFAULTS.endpoint, ...document.endpoint };
  const mode = modeName === 'crude' ? 'semantic' : modeName;
  if (mode !== 'semantic') noteNamelessTool(toolPrefix, notes);
  const profiles = buildProfiles(document.profiles, toolPrefix, notes);
  const profile = pickProfile(chosen, profiles, notes);
  const definitions = listDefinitions(sources);
  const clients = buildCredentials(document.clients, { directory, path: ['clients'], notes });
  const known = { upstreams: definitions.map(({ slug }) => slug), clients: clients.map(({ name }) => name) };
  const policy = buildPolicy(document.policy, { directory, known, notes });
  noteSharedSecrets(policy.approvals, clients, notes);
  const pins = buildPins(document.pins, definitions, notes);
  noteBareAllows(policy.rules, { upstreams: known.upstreams, pins }, notes);
  const server = buildServer(document.server, notes);
  noteOpenServer(server.host, clients, notes);
  return {
    file,
    directory,
    dataDir,
    server,
    endpoint: { mode, toolPrefix, profile },
    limits: { ...CONFIG_DEFAULTS.limits, ...document.limits },
    results: buildResults(document.results, notes),
    batch: { ...CONFIG_DEFAULTS.batch, ...document.batch },
    warnings: { ...CONFIG_DEFAULTS.warnings, ...document.warnings },
    cache: { ...CONFIG_DEFAULTS.cache, ...document.cache },
    lock,
    pins,
    policy,
    quotas: buildQuotas(document.quotas, known, notes),
    store: buildStore(document.store, { directory, dataDir, notes }),
    audit: buildAudit(document.audit, { directory, dataDir, notes }),
    clients,
    log: { ...CONFIG_DEFAULTS.log, ...document.log },
    upstreams: buildUpstreams(definitions, {
      directory,
      defaults: { ...CONFIG_DEFAULTS.defaults, ...document.defaults },
      // Who wrote a lock wants to know; without one nothing has been accepted that could be compared with.
      integrity: document.integrity ?? (lock.content === null ? 'off' : 'warn'),
      families: { all: listFamilies(profiles), active: profile },
    }),
  };
}

/** The tool that reaches everything is called like the prefix without its last underscores. */
function noteNamelessTool(toolPrefix: string, notes: Notes): void {
  if (!/^_+$/.test(toolPrefix)) return;
  notes.problem(
    ['endpoint', 'toolPrefix'],
    'leaves no name for the tool that reaches everything',
    'begin with a letter',
  );
}

/** In the order of precedence: the main file, then the upstream files by name. */
function listDefinitions({ document, notes, upstreams }: ConfigSources): readonly NotedDefinition[] {
  return [
    ...listServers(document).map((server) => ({ ...server, notes })),
    ...upstreams.map((source) => ({ ...readServer(source.document, source.stem), notes: source.notes })),
  ];
}

function listFamilies(profiles: readonly ProfileDefinition[]): ReadonlySet<string> {
  return new Set(profiles.flatMap((profile) => profile.families.map((family) => family.name)));
}

function buildPins(
  pins: GatewayDocument['pins'],
  definitions: readonly NotedDefinition[],
  notes: Notes,
): GatewayConfig['pins'] {
  const pairs = Object.entries(pins ?? {}).map(([operation, upstream]) => {
    const slug = toSlug(upstream);
    if (!definitions.some((definition) => definition.slug === slug)) {
      const names = definitions.map((definition) => definition.name);
      notes.problem(['pins', operation], `there is no upstream '${upstream}'`, suggestName(upstream, names));
    }
    return [operation, slug] as const;
  });
  return Object.fromEntries(pairs);
}
