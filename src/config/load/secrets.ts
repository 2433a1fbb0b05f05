import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { JsonPath } from '../../base/json/json-path.js';
import { faultCode } from '../../base/lib/fault-code.js';
import { maskSecrets } from '../../base/protocol/secret-forms.js';
import type { ClientKey } from '../access-config.js';
import type { UpstreamCredentials } from '../credentials-config.js';
import type { GatewayConfig, StoreConfig, UpstreamEndpoint } from '../gateway-config.js';
import type { TracingConfig } from '../observability-config.js';
import type { PolicyConfig } from '../policy-config.js';
import type { LooseText } from '../schema/setting.js';
import type { Diagnostics } from './diagnostics.js';

export interface SecretContext {
  /** Where relative paths start. */
  readonly directory: string;
  /** The path of the object that holds the secret. */
  readonly path: JsonPath;
  readonly diagnostics: Diagnostics;
}

/** Shorter secrets can be guessed. */
const MIN_SECRET_LENGTH = 16;

const NEXT_STEP = 'make one with: openssl rand -hex 32';

/**
 * A secret of the gateway's own settings: the value of `key`, else the content of the file that `key_FILE` names. What is
 * wrong, including a missing secret, goes into the diagnostics.
 */
export function readSecret(
  entry: Readonly<Record<string, string | undefined>>,
  key: string,
  { directory, path, diagnostics }: SecretContext,
): string | undefined {
  const fileKey = `${key}_FILE`;
  const file = entry[fileKey];
  const at = [...path, entry[key] === undefined && file !== undefined ? fileKey : key];
  if (diagnostics.has(at)) return undefined;
  const absolute = file === undefined || entry[key] !== undefined ? undefined : resolve(directory, file);
  if (absolute !== undefined) diagnostics.readFrom(absolute);
  const content = entry[key] ?? (absolute === undefined ? undefined : readSecretFile(absolute));
  if (content === undefined) {
    diagnostics.problem(
      [...path, key],
      `missing; expected a string, or '${fileKey}' with the path of a file`,
      NEXT_STEP,
    );
    return undefined;
  }
  if (typeof content !== 'string' && 'fault' in content) {
    diagnostics.problem(at, content.fault, `'${key}' is read from it`);
    return undefined;
  }
  const secret = typeof content === 'string' ? content : content.text;
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  diagnostics.problem(at, `expected at least ${MIN_SECRET_LENGTH} characters, got ${secret.length}`, NEXT_STEP);
  return undefined;
}

/** A larger file is not a secret; its variable only happens to end in `_FILE`. */
const MAX_SECRET_BYTES = 65_536;

/** The content of a secret file without surrounding blanks, or why there is none. */
type SecretFile = { readonly text: string } | { readonly fault: string };

/** Reads a secret file. Synchronous, because it runs while a document is interpolated, at the start and for a reload. */
export function readSecretFile(path: string): SecretFile {
  try {
    const status = statSync(path);
    if (!status.isFile()) return { fault: `expected a file at '${path}'` };
    if (status.size > MAX_SECRET_BYTES) return { fault: `the file '${path}' is larger than ${MAX_SECRET_BYTES} bytes` };
    return { text: readFileSync(path, 'utf8').trim() };
  } catch (cause) {
    return { fault: `the file '${path}' cannot be read (${faultCode(cause)})` };
  }
}

// An Authorization header cannot carry other characters (RFC 9110, section 11.6.2).
export const TOKEN_PATTERN = /^[\x21-\x7e]+$/;

const FILE_SUFFIX = '_FILE';

/** Names whose `_FILE` variable must be a secret file; other files may be logs or outputs that do not exist yet. */
const SECRET_NAME = /token|key|secret|passw|passphrase|pwd|credential|auth|(?<![a-z])pass(?![a-z])/i;

interface ValueContext {
  readonly directory: string;
  readonly path: JsonPath;
  readonly diagnostics: Diagnostics;
}

/** The variables of a stdio server: the values of `envFile`, then `env`, then the content of `X_FILE` where X is unset. */
export function buildEnv(
  entries: Readonly<Record<string, LooseText>>,
  envFile: string | undefined,
  context: ValueContext,
): Readonly<Record<string, string>> {
  const values = { ...readEnvFile(envFile, context), ...textValues(entries) };
  // X_FILE itself stays: the server may read files by that name too.
  return { ...values, ...readFileValues(values, context, (name) => SECRET_NAME.test(name)) };
}

/** The headers of an HTTP server, with the content of `X_FILE` where the header X is unset. */
export function buildHeaders(
  entries: Readonly<Record<string, LooseText>>,
  context: ValueContext,
): Readonly<Record<string, string>> {
  const values = textValues(entries);
  const headers = { ...values, ...readFileValues(values, context, () => true) };
  const kept = Object.entries(headers).filter(([name]) => !name.endsWith(FILE_SUFFIX));
  for (const [name, value] of kept) noteBadHeader(name, value, context);
  return Object.fromEntries(kept);
}

function textValues(entries: Readonly<Record<string, LooseText>>): Record<string, string> {
  const pairs = Object.entries(entries).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return Object.fromEntries(pairs);
}

function readFileValues(
  values: Readonly<Record<string, string>>,
  { directory, path, diagnostics }: ValueContext,
  mustExist: (name: string) => boolean,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, file] of Object.entries(values)) {
    const name = key.slice(0, -FILE_SUFFIX.length);
    if (!key.endsWith(FILE_SUFFIX) || name === '' || file === '' || name in values) continue;
    const absolute = resolve(directory, file);
    // Others may be logs, which change all the time.
    if (mustExist(name)) diagnostics.readFrom(absolute);
    const secret = readSecretFile(absolute);
    if ('text' in secret) found[name] = secret.text;
    else if (mustExist(name)) diagnostics.problem([...path, key], secret.fault, `'${name}' is read from it`);
    else diagnostics.warning([...path, key], `${secret.fault}; '${name}' is not set`);
  }
  return found;
}

function readEnvFile(file: string | undefined, { directory, path, diagnostics }: ValueContext): Record<string, string> {
  if (file === undefined) return {};
  const absolute = resolve(directory, file);
  diagnostics.readFrom(absolute);
  try {
    const pairs = Object.entries(parseEnv(readFileSync(absolute, 'utf8')));
    return Object.fromEntries(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  } catch (cause) {
    diagnostics.problem(
      [...path.slice(0, -1), 'envFile'],
      `the file '${absolute}' cannot be read (${faultCode(cause)})`,
    );
    return {};
  }
}

// RFC 9110, section 5.1: a field name is a token.
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Beyond Latin-1, or with line ends, no HTTP client can send it (RFC 9110, section 5.5).
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function noteBadHeader(name: string, value: string, { path, diagnostics }: ValueContext): void {
  const at = [...path, name];
  if (!HEADER_NAME.test(name)) diagnostics.problem(at, 'expected a header name: letters, digits and hyphens');
  else if (!HEADER_VALUE.test(value)) diagnostics.problem(at, 'expected a header value: one line of Latin-1 text');
}

const MASK = '***';
const SENSITIVE_NAME = new RegExp(`${SECRET_NAME.source}|cookie|session|signature`, 'i');

/**
 * A copy of the configuration as JSON, for printing: everything that may be secret is masked, and the values of variables
 * whose names sound secret wherever they stand.
 */
export function maskConfig(config: GatewayConfig, env: NodeJS.ProcessEnv = {}): JsonObject {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= LEAST_SECRET && SECRET_NAME.test(name) && !isPlace(value) ? [value] : [],
  );
  return maskTexts(maskMembers(config), secrets) as JsonObject;
}

/** `PWD` is where the command runs, and `SSH_AUTH_SOCK` a socket: a place is no secret. */
const isPlace = (value: string): boolean => isAbsolute(value) && existsSync(value);

/** A shorter value stands in ordinary words, too. */
const LEAST_SECRET = 6;

function maskTexts(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskTexts(item, secrets)]));
}

function maskMembers({ sections: _sections, modules, ...config }: GatewayConfig): JsonObject {
  const upstreams = config.upstreams.map((upstream) => ({
    ...upstream,
    endpoint: maskEndpoint(upstream.endpoint),
    ...(upstream.credentials && { credentials: maskCredentials(upstream.credentials) }),
  }));
  return structuredClone({
    ...config,
    ...modules,
    policy: maskPolicy(config.policy),
    safetyLoop: maskSafetyLoop(config.safetyLoop),
    store: maskStore(config.store),
    credentials: config.credentials.key === undefined ? {} : { key: MASK },
    clients: config.clients.map(maskKeys),
    server: maskServer(config.server),
    ...(config.metrics?.tokenHash !== undefined && { metrics: { ...config.metrics, tokenHash: MASK } }),
    ...(config.tracing?.headers && { tracing: maskTracing(config.tracing, config.tracing.headers) }),
    upstreams,
    // The accepted tools are long, have a file of their own, and are not configured.
    lock: config.lock.file,
  });
}

function maskServer({ oauth, ...server }: GatewayConfig['server']): GatewayConfig['server'] {
  if (oauth === undefined) return server;
  const issuers = oauth.issuers.map(({ introspection, login, ...issuer }) => ({
    ...issuer,
    ...(login && { login: { ...login, ...(login.clientSecret !== undefined && { clientSecret: MASK }) } }),
    ...(introspection && { introspection: { ...introspection, clientSecret: MASK } }),
  }));
  return { ...server, oauth: { ...oauth, issuers } };
}

function maskCredentials(credentials: UpstreamCredentials): UpstreamCredentials {
  const masked = { ...credentials, discovery: maskValues(credentials.discovery) };
  return 'clientSecret' in masked ? { ...masked, clientSecret: MASK } : masked;
}

function maskTracing(tracing: TracingConfig, headers: Readonly<Record<string, string>>): TracingConfig {
  const { endpoint } = tracing;
  return { ...tracing, headers: maskValues(headers), ...(endpoint && { endpoint: maskUrl(endpoint) }) };
}

function maskPolicy(policy: PolicyConfig): PolicyConfig {
  const { operators, webhook, ...approvals } = policy.approvals;
  return {
    ...policy,
    approvals: {
      ...approvals,
      operators: operators.map(maskKeys),
      ...(webhook !== undefined && { webhook: { url: maskPath(webhook.url), secret: MASK } }),
    },
  };
}

/** Hashes of weak tokens can be guessed. */
function maskKeys<T extends { readonly keys: readonly ClientKey[] }>(holder: T): T {
  return { ...holder, keys: holder.keys.map((key) => ({ ...key, hash: MASK })) };
}

function maskSafetyLoop({ challenge, ...settings }: GatewayConfig['safetyLoop']): GatewayConfig['safetyLoop'] {
  const { webhook, email, ...channels } = challenge.channels;
  const masked = {
    ...channels,
    ...(webhook !== undefined && { webhook: { url: maskPath(webhook.url), secret: MASK } }),
    ...(email !== undefined && { email: { ...email, server: maskUrl(email.server) } }),
  };
  return { ...settings, challenge: { ...challenge, channels: masked } };
}

function maskStore(store: StoreConfig): StoreConfig {
  return (MASKED_STORES[store.type] as (store: StoreConfig) => StoreConfig)(store);
}

/** What each type of store has that nobody may read. */
const MASKED_STORES: {
  readonly [Type in StoreConfig['type']]: (store: Extract<StoreConfig, { readonly type: Type }>) => StoreConfig;
} = {
  memory: (store) => store,
  sqlite: (store) => store,
  redis: (store) => {
    const masked = { ...store, ...(store.password !== undefined && { password: MASK }) };
    if ('url' in masked) return { ...masked, url: maskUrl(masked.url) };
    if ('cluster' in masked) return { ...masked, cluster: masked.cluster.map(maskUrl) };
    return { ...masked, sentinel: { ...masked.sentinel, nodes: masked.sentinel.nodes.map(maskUrl) } };
  },
};

/** Webhooks of many chat services have their secret in the path. */
function maskPath(address: string): string {
  const { origin, pathname, search } = new URL(address);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/${MASK}`;
}

function maskEndpoint(endpoint: UpstreamEndpoint): UpstreamEndpoint {
  return endpoint.type === 'stdio'
    ? { ...endpoint, args: maskArguments(endpoint.args), env: maskValues(endpoint.env) }
    : {
        ...endpoint,
        url: maskUrl(endpoint.url),
        headers: maskValues(endpoint.headers),
        ...(endpoint.proxy !== undefined && { proxy: maskUrl(endpoint.proxy) }),
      };
}

function maskValues(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, MASK]));
}

/** The words of a command line, or an address, as they may be printed. */
export function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => (isSecretFlag(args[index - 1]) ? MASK : maskArgument(argument)));
}

/** `--api-key`, whose value is the next argument. */
function isSecretFlag(argument: string | undefined): boolean {
  return argument !== undefined && /^--?[\w-]+$/.test(argument) && SENSITIVE_NAME.test(argument);
}

/** Masks `--token=x`, `GITHUB_TOKEN=x`, `Authorization: x`, the credentials and query of an address, and what is secret by its form or in an argument's own text. */
function maskArgument(argument: string): string {
  const [, name, sign] = /^([\w.-]+)(=|:(?!\/\/)\s*)./s.exec(argument) ?? [];
  if (name !== undefined && sign !== undefined && SENSITIVE_NAME.test(name)) return `${name}${sign}${MASK}`;
  const text = maskUrl(argument.replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${MASK}`));
  return maskSecrets(text, () => false, MASK);
}

/** Works on text, not on `URL`, because the address of a disabled server may hold unresolved references. */
function maskUrl(text: string): string {
  return text.replace(
    /([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#\s]*@)?([^?#\s]*)(\?[^\s]*)?/gi,
    (match: string, scheme: string, rest: string, query: string | undefined) => {
      const credentials = match.startsWith(`${scheme}${rest}`) ? '' : `${MASK}@`;
      return `${scheme}${credentials}${rest}${query === undefined ? '' : `?${MASK}`}`;
    },
  );
}
