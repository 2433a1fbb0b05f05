import { QUALIFIER } from './operation.js';

/** What belongs to an upstream: a URI, a template or a prompt's name, as that upstream has it. */
export interface Owned {
  readonly upstream: string;
  readonly id: string;
  /** Whose it is, where callers have resources of their own. */
  readonly owner?: string | undefined;
}

const SCHEME = 'mcp-aql://';

/** By these schemes clients know what a resource is for: a page of MCP Apps, a skill. They stay, and the server is the host. */
const KEPT_SCHEME = /^(?:ui|skill):\/\//;
const HOST = 'mcp-aql.';

/** Whether a URI keeps its scheme when it is named with its upstream: it is for the gateway's clients alone, and no address elsewhere. */
export function keepsScheme(uri: string): boolean {
  return KEPT_SCHEME.test(uri);
}

/** A URI that names its upstream too. The URI itself is one path segment, so that no client normalises what is inside. */
export function qualifyUri({ upstream, id }: Owned): string {
  const [scheme] = KEPT_SCHEME.exec(id) ?? [];
  return `${scheme === undefined ? SCHEME : `${scheme}${HOST}`}${upstream}/${encodeURIComponent(id)}`;
}

/**
 * A template whose expansions are URIs that name their upstream too. The template stays as it is: its expressions encode what they
 * are given by rules of their own (RFC 6570), which a second encoding around them would break.
 */
export function qualifyTemplate({ upstream, id }: Owned): string {
  return `${SCHEME}${upstream}/${id}`;
}

const QUALIFIED_URI = /^(?:mcp-aql:\/\/|(?:ui|skill):\/\/mcp-aql\.)([^/]+)\/(.+)$/s;

/**
 * What `qualifyUri` and `qualifyTemplate` were given, and the expansion of a qualified template; undefined for every other URI.
 * An encoded URI has no colon, and each other one has at least that of its scheme.
 * @param isUpstream whether a slug is one of a configured upstream
 */
export function readQualifiedUri(uri: string, isUpstream: (slug: string) => boolean): Owned | undefined {
  const [, upstream, rest] = QUALIFIED_URI.exec(uri) ?? [];
  if (upstream === undefined || rest === undefined || !isUpstream(upstream)) return undefined;
  return { upstream, id: rest.includes(':') ? rest : decode(rest) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Nothing that this file has encoded.
    return text;
  }
}

export function qualifyPrompt({ upstream, id }: Owned): string {
  return `${upstream}${QUALIFIER}${id}`;
}

/** What `qualifyPrompt` was given; undefined for every other name. */
export function readQualifiedPrompt(name: string, isUpstream: (slug: string) => boolean): Owned | undefined {
  const end = name.indexOf(QUALIFIER);
  const [upstream, id] = [name.slice(0, end), name.slice(end + QUALIFIER.length)];
  return end <= 0 || id === '' || !isUpstream(upstream) ? undefined : { upstream, id };
}
