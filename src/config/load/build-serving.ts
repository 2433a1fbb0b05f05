import { join, resolve } from 'node:path';
import type { AnswerLimits } from '../../base/protocol/limits.js';
import type { ServerConfig } from '../access-config.js';
import type { GatewayDocument } from '../config-document.js';
import type { AuditConfig } from '../gateway-config.js';
import { SERVER } from '../schema/server-schema.js';
import { DEFAULT_TOKENS, type RESULTS } from '../schema/serving-schema.js';
import { normalise, type Output } from '../schema/setting.js';
import { AUDIT, AUDIT_DIRECTORY } from '../schema/storage-schema.js';
import { buildOAuth, buildPublicUrl, buildTls, noteProxies } from './build-access.js';
import type { Diagnostics } from './diagnostics.js';

/** Builds the server settings, with host names as `URL` writes them. */
export function buildServer(entry: GatewayDocument['server'], { directory, diagnostics }: ServerContext): ServerConfig {
  const { oauth: oauthEntry, tls: tlsEntry, publicUrl: address, ...given } = entry ?? {};
  const contextOf = (key: string) => ({ directory, path: ['server', key], diagnostics });
  const merged = normalise(SERVER, given);
  const publicUrl = buildPublicUrl(address, contextOf('publicUrl'));
  const oauth = buildOAuth(oauthEntry, publicUrl, contextOf('oauth'));
  const tls = buildTls(tlsEntry, contextOf('tls'));
  noteProxies(merged.trustedProxies, contextOf('trustedProxies'));
  // Clients address the gateway by these names.
  const own = [publicUrl, oauth?.resource].flatMap((known) => (known === undefined ? [] : [new URL(known).hostname]));
  const { oauth: _, tls: __, ...rest } = merged;
  return {
    ...rest,
    allowedHosts: [...new Set([...readHostNames(merged.allowedHosts, 'allowedHosts', diagnostics), ...own])],
    allowedOrigins: readHostNames(merged.allowedOrigins, 'allowedOrigins', diagnostics),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(oauth !== undefined && { oauth }),
    ...(tls !== undefined && { tls }),
  };
}

interface ServerContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly diagnostics: Diagnostics;
}

function readHostNames(texts: readonly string[], key: string, diagnostics: Diagnostics): readonly string[] {
  return texts.flatMap((text, index) => {
    const name = readHostName(text);
    if (name !== undefined) return [name];
    // The path of the list, because one variable may hold all of it; the problem then names the variable.
    diagnostics.problem(
      ['server', key],
      `expected host names without wildcards; number ${index + 1} is not one`,
      'write each as example.org',
    );
    return [];
  });
}

/** The host name of a name, a name with a port, or an origin; undefined where there is none. */
function readHostName(text: string): string | undefined {
  const address = text.includes('://') ? text : `http://${text}`;
  if (text.includes('*') || !URL.canParse(address)) return undefined;
  return new URL(address).hostname || undefined;
}

interface AuditContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly dataDir: string;
  readonly diagnostics: Diagnostics;
}

/** Builds the audit settings. What is wrong goes into the diagnostics. */
export function buildAudit(
  entry: GatewayDocument['audit'],
  { directory, dataDir, diagnostics }: AuditContext,
): AuditConfig {
  const audit = normalise(AUDIT, entry);
  for (const [index, pattern] of audit.redactPatterns.entries()) {
    const fault = findPatternFault(pattern);
    if (fault === undefined) continue;
    diagnostics.problem(['audit', 'redactPatterns', index], fault, 'write it as JavaScript would with the flag u');
  }
  const own = entry?.directory;
  return {
    ...audit,
    required: audit.required ?? audit.sync,
    directory: own === undefined ? join(dataDir, AUDIT_DIRECTORY) : resolve(directory, own),
  };
}

function findPatternFault(pattern: string): string | undefined {
  try {
    if (!new RegExp(pattern, 'u').test('')) return undefined;
    return 'expected a regular expression that does not match the empty text';
  } catch (cause) {
    // The engine's message repeats the pattern before the reason.
    const reason = cause instanceof Error ? cause.message.replace(/^.*\/u: /s, '') : 'unknown reason';
    return `expected a regular expression that compiles (${reason})`;
  }
}

/** A smaller limit would not hold one item of a typical list. */
const LEAST_TOKENS = 1_000;
const BYTES_PER_TOKEN = 4;

/** The settings of large results with their limit in tokens. Reports one that holds nothing. */
export function buildResults(
  { maxBytes, maxTokens, ...rest }: Output<typeof RESULTS>,
  diagnostics: Diagnostics,
): AnswerLimits {
  const isOlder = maxBytes !== undefined && maxTokens === DEFAULT_TOKENS;
  const [key, given, least] = isOlder
    ? ['maxBytes', maxBytes, LEAST_TOKENS * BYTES_PER_TOKEN]
    : ['maxTokens', maxTokens, LEAST_TOKENS];
  if (given > 0 && given < least)
    diagnostics.problem(['results', key], `expected 0 or at least ${least}, got ${given}`);
  return { ...rest, maxTokens: isOlder ? Math.ceil(maxBytes / BYTES_PER_TOKEN) : maxTokens };
}
