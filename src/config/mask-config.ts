import type { JsonObject } from '../protocol/json.js';
import type { GatewayConfig, UpstreamEndpoint } from './gateway-config.js';
import type { PolicyConfig, StoreConfig } from './policy-config.js';
import { SECRET_NAME } from './secret-values.js';

const MASK = '***';
const SENSITIVE = new RegExp(`${SECRET_NAME.source}|cookie|session|signature`, 'i');

/** A copy of the configuration for people's eyes, as JSON would carry it: whatever may be secret is masked. */
export function maskConfig(config: GatewayConfig): JsonObject {
  const upstreams = config.upstreams.map((upstream) => ({ ...upstream, endpoint: maskEndpoint(upstream.endpoint) }));
  return structuredClone({
    ...config,
    policy: maskPolicy(config.policy),
    store: maskStore(config.store),
    clients: maskTokens(config.clients),
    upstreams,
    // What was accepted is long, stands in a file of its own, and was not configured.
    lock: config.lock.file,
  });
}

function maskPolicy(policy: PolicyConfig): PolicyConfig {
  const { operators, webhook, ...approvals } = policy.approvals;
  return {
    ...policy,
    approvals: {
      ...approvals,
      operators: maskTokens(operators),
      ...(webhook !== undefined && { webhook: { url: maskPath(webhook.url), secret: MASK } }),
    },
  };
}

function maskTokens<T extends { readonly token: string }>(holders: readonly T[]): readonly T[] {
  return holders.map((holder) => ({ ...holder, token: MASK }));
}

function maskStore(store: StoreConfig): StoreConfig {
  return store.type === 'redis' ? { ...store, url: maskUrl(store.url) } : store;
}

/** Many a chat's webhook has its secret in the path. */
function maskPath(address: string): string {
  const { origin, pathname, search } = new URL(address);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/${MASK}`;
}

function maskEndpoint(endpoint: UpstreamEndpoint): UpstreamEndpoint {
  return endpoint.type === 'stdio'
    ? { ...endpoint, args: maskArguments(endpoint.args), env: maskValues(endpoint.env) }
    : { ...endpoint, url: maskUrl(endpoint.url), headers: maskValues(endpoint.headers) };
}

function maskValues(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, MASK]));
}

function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => (isSecretFlag(args[index - 1]) ? MASK : maskArgument(argument)));
}

/** `--api-key`, whose value is the next argument. */
function isSecretFlag(argument: string | undefined): boolean {
  return argument !== undefined && /^--?[\w-]+$/.test(argument) && SENSITIVE.test(argument);
}

/** Masks `--token=x`, `GITHUB_TOKEN=x`, `Authorization: x`, and the credentials and query of an address. */
function maskArgument(argument: string): string {
  const [, name, sign] = /^([\w.-]+)(=|:(?!\/\/)\s*)./s.exec(argument) ?? [];
  if (name !== undefined && sign !== undefined && SENSITIVE.test(name)) return `${name}${sign}${MASK}`;
  return maskUrl(argument.replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${MASK}`));
}

/** By text, not by `new URL`: the address of a disabled server may hold references that were never resolved. */
function maskUrl(text: string): string {
  return text.replace(
    /([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#\s]*@)?([^?#\s]*)(\?[^\s]*)?/gi,
    (match: string, scheme: string, rest: string, query: string | undefined) => {
      const credentials = match.startsWith(`${scheme}${rest}`) ? '' : `${MASK}@`;
      return `${scheme}${credentials}${rest}${query === undefined ? '' : `?${MASK}`}`;
    },
  );
}
