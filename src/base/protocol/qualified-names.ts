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

/**
 * A URI or a template that names its upstream too. What follows stays as it is: the end of a path is the name of a skill, relative
 * references are from there, and the expressions of a template encode by rules of their own (RFC 6570).
 */
export function qualifyUri({ upstream, id }: Owned): string {
  const [scheme] = KEPT_SCHEME.exec(id) ?? [];
  return scheme === undefined ? `${SCHEME}${upstream}/${id}` : `${scheme}${HOST}${upstream}/${id.slice(scheme.length)}`;
}

const QUALIFIED_URI = /^(?:mcp-aql:\/\/|(ui:\/\/|skill:\/\/)mcp-aql\.)([^/]+)\/(.+)$/s;

/** The form of earlier releases, which clients may have kept: the whole URI encoded as one segment. */
const ENCODED = /^[a-z][a-z0-9+.-]*%3A/i;

/**
 * What `qualifyUri` was given, or the expansion of a template that it was given; undefined for every other URI.
 * @param isUpstream whether a slug is one of a configured upstream
 */
export function readQualifiedUri(uri: string, isUpstream: (slug: string) => boolean): Owned | undefined {
  const [, scheme, upstream, rest] = QUALIFIED_URI.exec(uri) ?? [];
  if (upstream === undefined || rest === undefined || !isUpstream(upstream)) return undefined;
  return { upstream, id: ENCODED.test(rest) ? decode(rest) : `${scheme ?? ''}${rest}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Nothing that was encoded here.
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
