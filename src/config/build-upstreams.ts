import { GATEWAY_SOURCE } from '../protocol/operation.js';
import { buildApiLimits } from './build-api-limits.js';
import { buildCuration, type KnownFamilies } from './build-curation.js';
import { buildEndpoint } from './build-endpoint.js';
import { buildRelations } from './build-relations.js';
import type { ServerEntry, UpstreamDefaults } from './config-document.js';
import { muteNotes } from './config-report.js';
import type { UpstreamConfig } from './gateway-config.js';
import { formatPath } from './json-path.js';
import type { IntegrityMode } from './lock-content.js';
import { findNearestName } from './nearest-name.js';
import type { NotedDefinition } from './server-definition.js';
import { FOREIGN_KEYS, SERVER_PROPERTIES } from './upstream-schema.js';

export interface UpstreamContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly defaults: UpstreamDefaults;
  readonly integrity: IntegrityMode;
  readonly families: KnownFamilies;
}

/**
 * The upstreams of everything that is said of servers, in order. One place says how a server is reached; others that
 * share its slug add to it, the later ones beating the earlier. What is wrong goes into the notes.
 */
export function buildUpstreams(
  definitions: readonly NotedDefinition[],
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

function buildUpstream(parts: readonly NotedDefinition[], context: UpstreamContext): UpstreamConfig[] {
  const [main, ...rivals] = parts.filter(isReachable);
  if (main === undefined) {
    for (const part of parts) noteUnreachable(part);
    return [];
  }
  for (const rival of rivals) noteRival(rival, main);
  const entry: ServerEntry = Object.assign({}, ...parts.map((part) => part.entry));
  const { notes, path } = main;
  const valueNotes = entry.disabled ? muteNotes(notes) : notes;
  const endpoint = buildEndpoint(main.entry, { directory: context.directory, path, notes, valueNotes });
  if (endpoint === undefined) return [];
  return [
    {
      name: main.name,
      slug: main.slug,
      endpoint,
      disabled: entry.disabled ?? false,
      ...context.defaults,
      ...pickShared(entry),
      ...(entry.group !== undefined && { group: entry.group }),
      integrity: entry.integrity ?? context.integrity,
      curation: buildCuration(parts, context.families),
      relations: buildRelations(parts),
      apiLimits: buildApiLimits(parts),
    },
  ];
}

function pickShared(entry: ServerEntry): Partial<UpstreamDefaults> {
  const { trust, connectTimeoutMs, maxConcurrency, strict } = entry;
  const timeoutMs = entry.timeoutMs ?? readForeignTimeout(entry.timeout);
  const given = Object.entries({ trust, timeoutMs, connectTimeoutMs, maxConcurrency, strict });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Some clients write seconds, others milliseconds; nobody means a call of under a second or of over a quarter of an hour. */
function readForeignTimeout(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  return Math.round(timeout < 1000 ? timeout * 1000 : timeout);
}

/** Whether a definition says how its server is reached; a faulty `command` or `url` was meant to. */
function isReachable({ entry, path, notes }: NotedDefinition): boolean {
  return ['command', 'url'].some((key) => key in entry || notes.has([...path, key]));
}

function noteUnreachable({ name, path, notes }: NotedDefinition): void {
  // A file of its own may curate a server that this installation does not have; an entry of the main file is a server.
  if (path.length === 0) notes.warning(path, `curates '${name}', which no configuration defines; it has no effect`);
  else notes.problem(path, "expected 'command' (stdio) or 'url' (HTTP)");
}

function noteRival(rival: NotedDefinition, main: NotedDefinition): void {
  const place = main.path.length === 0 ? main.notes.source : `${formatPath(main.path)} in ${main.notes.source}`;
  const clash =
    rival.name === main.name
      ? `'${rival.name}' is defined by ${place} too`
      : `'${rival.name}' and '${main.name}' (${place}) are both '${main.slug}' in snake_case`;
  rival.notes.problem(rival.path, clash, 'rename or remove one of them');
}

function hasUsableName({ name, slug, path, notes }: NotedDefinition): boolean {
  if (slug === GATEWAY_SOURCE) notes.problem(path, `'${name}' is what the gateway calls itself`, 'choose another name');
  return slug !== GATEWAY_SOURCE;
}

/**
 * What a pasted entry holds beyond our keys is other clients' business, unless it is nearly one of ours: `trsut` must not
 * silently leave a server trusted.
 */
function noteKeys({ entry, path, notes }: NotedDefinition): void {
  const known = [...Object.keys(SERVER_PROPERTIES), '$schema', ...(path.length === 0 ? ['name'] : [])];
  for (const key of Object.keys(entry).filter((name) => !known.includes(name))) {
    const nearest = FOREIGN_KEYS.includes(key) ? undefined : findNearestName(key, known);
    if (nearest === undefined) notes.warning([...path, key], 'not used by the gateway; ignored');
    else notes.problem([...path, key], `unknown key '${key}'`, `did you mean '${nearest}'?`);
  }
}
