import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { JsonPath } from '../../base/json/json-path.js';
import { parseNetwork } from '../../base/lib/networks.js';
import {
  type ClientConfig,
  type ClientKey,
  DEFAULT_ALGORITHMS,
  type IntrospectionConfig,
  type IssuerConfig,
  type OAuthConfig,
  type TlsConfig,
} from '../access-config.js';
import type { ClientEntry, IssuerEntry, KeyEntry, KeysEntry, OAuthEntry } from '../config-document.js';
import { isOwnMachine } from '../own-machine.js';
import type { OperatorConfig } from '../policy-config.js';
import { ISSUER } from '../schema/server-schema.js';
import { normalise } from '../schema/setting.js';
import { readSecret, type SecretContext, TOKEN_PATTERN } from './secrets.js';

/** How a static token is written where it must not be readable. */
export function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}

/** The clients with static tokens, in the order of the file. What is wrong with one goes into the diagnostics. */
export function buildClients(
  entries: Readonly<Record<string, ClientEntry>> | undefined,
  context: SecretContext,
): readonly ClientConfig[] {
  return Object.entries(entries ?? {}).flatMap(([name, { groups = [], ignoreArguments, ...entry }]) => {
    const keys = buildKeys(entry, { ...context, path: [...context.path, name] });
    return keys.length === 0 ? [] : [{ name, keys, groups, ...(ignoreArguments !== undefined && { ignoreArguments }) }];
  });
}

/** The operators, in the order of the file. What is wrong with one goes into the diagnostics. */
export function buildOperators(
  entries: Readonly<Record<string, KeysEntry>> | undefined,
  context: SecretContext,
): readonly OperatorConfig[] {
  return Object.entries(entries ?? {}).flatMap(([name, entry]) => {
    const keys = buildKeys(entry, { ...context, path: [...context.path, name] });
    return keys.length === 0 ? [] : [{ name, keys }];
  });
}

function buildKeys({ keys = [], ...own }: KeysEntry, context: SecretContext): readonly ClientKey[] {
  // Without a list there is the one token that stands beside the name.
  const hasOwn = keys.length === 0 || Object.keys(own).length > 0;
  return [
    ...(hasOwn ? [buildKey(own, context)] : []),
    ...keys.map((key, index) => buildKey(key, { ...context, path: [...context.path, 'keys', index] })),
  ].filter((key) => key !== undefined);
}

function buildKey({ tokenHash, expires, ...entry }: KeyEntry, context: SecretContext): ClientKey | undefined {
  const { path, diagnostics } = context;
  const expiresAt = expires === undefined ? undefined : readTime(expires, { ...context, path: [...path, 'expires'] });
  const until = expiresAt === undefined ? {} : { expiresAt };
  if (tokenHash !== undefined) {
    if (diagnostics.has([...path, 'tokenHash'])) return undefined;
    if (entry.token !== undefined || entry.token_FILE !== undefined) {
      diagnostics.problem([...path, 'tokenHash'], "expected one of 'token', 'token_FILE' and 'tokenHash'");
    }
    return { hash: tokenHash, ...until };
  }
  const token = readSecret({ ...entry }, 'token', context);
  if (token === undefined) return undefined;
  if (!TOKEN_PATTERN.test(token)) {
    diagnostics.problem([...path, 'token'], 'expected visible ASCII characters without blanks');
  }
  return { hash: hashToken(token), ...until };
}

function readTime(text: string, { path, diagnostics }: SecretContext): number | undefined {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    diagnostics.problem(path, 'expected an ISO 8601 date or time', 'write it as 2027-01-31 or 2027-01-31T12:00:00Z');
    return undefined;
  }
  if (time <= Date.now()) diagnostics.warning(path, 'has passed: the token is refused');
  return time;
}

/** The settings of the resource server; undefined where there is none. What is wrong goes into the diagnostics. */
export function buildOAuth(
  entry: OAuthEntry | undefined,
  publicUrl: string | undefined,
  context: SecretContext,
): OAuthConfig | undefined {
  if (entry === undefined) return undefined;
  const { path, diagnostics } = context;
  const { resource = publicUrl === undefined ? undefined : `${publicUrl}/mcp`, issuers = [] } = entry;
  if (issuers.length === 0 && !diagnostics.has([...path, 'issuers'])) {
    diagnostics.problem([...path, 'issuers'], 'missing; expected at least one authorization server');
  }
  if (resource === undefined) {
    diagnostics.problem(
      [...path, 'resource'],
      'missing; tokens are issued for the address of MCP here, which the gateway cannot know',
      'set server.publicUrl: https://mcp.example.org',
    );
  } else noteAddress(resource, { ...context, path: [...path, 'resource'] });
  const places = new Map<string, number>();
  const built = issuers.map((issuer, index) => {
    const at: JsonPath = [...path, 'issuers', index];
    for (const key of ['name', 'issuer'] as const) {
      const first = places.get(`${key} ${issuer[key]}`);
      if (first !== undefined) {
        diagnostics.problem([...at, key], `issuer ${first + 1} has it too`, 'each needs its own');
      }
      places.set(`${key} ${issuer[key]}`, index);
    }
    return buildIssuer(issuer, { ...context, path: at });
  });
  return resource === undefined ? undefined : { resource: canonical(resource), issuers: built };
}

/** Without a fragment, and without a slash at its end (MCP, "canonical server URI"). */
function canonical(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/#.*$/, '').replace(/\/$/, '') : address;
}

function buildIssuer(entry: IssuerEntry, context: SecretContext): IssuerConfig {
  const { path } = context;
  const {
    audience = [],
    algorithms = DEFAULT_ALGORITHMS,
    claims = {},
    introspection: _,
    login: __,
    ...given
  } = normalise(ISSUER, entry);
  const { introspection, login: written } = entry;
  for (const key of ['issuer', 'jwksUri'] as const) {
    const address = entry[key];
    if (address !== undefined) noteAddress(address, { ...context, path: [...path, key] });
  }
  const names = audience.filter((each) => !URL.canParse(each));
  if (names.length > 0 && given.scopes.length === 0) {
    context.diagnostics.warning(
      [...path, 'audience'],
      `'${names.join("', '")}' is no address: where it is the id of a client, other tokens for that client are taken for access tokens. Demand a scope that only they grant: scopes`,
    );
  }
  const asked = introspection && buildIntrospection(introspection, { ...context, path: [...path, 'introspection'] });
  const login = written && buildLogin(written, { ...context, path: [...path, 'login'] });
  return {
    ...given,
    audience,
    algorithms,
    claims,
    ...(asked !== undefined && { introspection: asked }),
    ...(login !== undefined && { login }),
  };
}

function buildLogin(
  { clientId, ...entry }: NonNullable<IssuerEntry['login']>,
  context: SecretContext,
): IssuerConfig['login'] {
  if (clientId === undefined) {
    context.diagnostics.problem([...context.path, 'clientId'], 'missing; expected a string');
    return undefined;
  }
  const hasSecret = Object.keys(entry).length > 0;
  const clientSecret = hasSecret ? readSecret({ ...entry }, 'clientSecret', context) : undefined;
  return { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

function buildIntrospection(
  entry: NonNullable<IssuerEntry['introspection']>,
  context: SecretContext,
): IntrospectionConfig | undefined {
  const { endpoint, clientId, clientSecret, clientSecret_FILE, cacheSeconds = 30 } = entry;
  const { path, diagnostics } = context;
  if (endpoint !== undefined) noteAddress(endpoint, { ...context, path: [...path, 'endpoint'] });
  if (clientId === undefined) diagnostics.problem([...path, 'clientId'], 'missing; expected a string');
  const given = {
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientSecret_FILE === undefined ? {} : { clientSecret_FILE }),
  };
  const secret = readSecret(given, 'clientSecret', context);
  if (clientId === undefined || secret === undefined) return undefined;
  return { clientId, clientSecret: secret, cacheSeconds, ...(endpoint === undefined ? {} : { endpoint }) };
}

/** Tokens and keys travel over TLS, or do not leave the machine. */
export function noteAddress(address: string, { path, diagnostics }: SecretContext): void {
  if (diagnostics.has(path)) return;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isOwnMachine(url.hostname))) return;
  diagnostics.problem(path, 'expected an https:// address; http:// is for this machine alone');
}

/** Where clients reach the gateway, without a slash at its end; undefined where it is not given or unusable. */
export function buildPublicUrl(address: string | undefined, { path, diagnostics }: SecretContext): string | undefined {
  if (address === undefined || diagnostics.has(path)) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '').replace(/\/mcp$/, '');
  }
  diagnostics.problem(path, 'expected an http:// or https:// address', 'write it as https://mcp.example.org');
  return undefined;
}

export function buildTls(
  entry: { readonly cert?: string; readonly key?: string } | undefined,
  { directory, path, diagnostics }: SecretContext,
): TlsConfig | undefined {
  if (entry === undefined) return undefined;
  for (const key of ['cert', 'key'] as const) {
    if (entry[key] === undefined) diagnostics.problem([...path, key], 'missing; expected the path of a PEM file');
  }
  const { cert, key } = entry;
  return cert === undefined || key === undefined
    ? undefined
    : { cert: resolve(directory, cert), key: resolve(directory, key) };
}

/** Reports what is neither an address nor a network. */
export function noteProxies(proxies: readonly string[], { path, diagnostics }: SecretContext): void {
  for (const [index, proxy] of proxies.entries()) {
    if (parseNetwork(proxy) !== undefined) continue;
    diagnostics.problem(
      path,
      `expected IP addresses and networks; number ${index + 1} is neither`,
      'write each as 10.0.0.7 or 10.0.0.0/8',
    );
  }
}
