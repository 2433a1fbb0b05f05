import type { JsonPath } from '../../base/json/json-path.js';
import type { ServerEntry, UpstreamCredentialsEntry } from '../config-document.js';
import type { CredentialStorage, UpstreamCredentials } from '../credentials-config.js';
import type { GatewayConfig, UpstreamConfig, UpstreamEndpoint } from '../gateway-config.js';
import { isOwnMachine } from '../own-machine.js';
import { TRANSPORT_FACTS } from '../transport-facts.js';
import { noteAddress } from './build-access.js';
import type { Diagnostics } from './diagnostics.js';
import { buildHeaders, readSecret, type SecretContext } from './secrets.js';

type Type = UpstreamCredentials['type'];

/** The keys that each type has beside `type` and `discovery`; the first ones must be given. */
const KEYS: Readonly<Record<Type, { readonly needs: readonly Key[]; readonly knows: readonly Key[] }>> = {
  perUser: { needs: [], knows: ['issuer', 'clientId', 'clientSecret', 'clientSecret_FILE', 'scopes'] },
  exchange: {
    needs: ['tokenEndpoint', 'clientId'],
    knows: ['clientSecret', 'clientSecret_FILE', 'audience', 'resource', 'scopes'],
  },
  forwardHeaders: { needs: ['headers'], knows: ['allowAuthorization'] },
};

type Key = Exclude<keyof UpstreamCredentialsEntry, 'type' | 'discovery'>;

/** Whose rights the calls of a server use; undefined where its fixed ones. What is wrong goes into the diagnostics. */
export function buildUpstreamCredentials(
  { credentials: entry, isolation }: ServerEntry,
  endpoint: UpstreamEndpoint,
  context: SecretContext,
): UpstreamCredentials | undefined {
  if (entry === undefined) return undefined;
  const { path, diagnostics } = context;
  const { sharedBecause: why } = TRANSPORT_FACTS[endpoint.type];
  if (endpoint.type === 'stdio' || why !== undefined) {
    diagnostics.problem(path, `only a server over Streamable HTTP can be called with the rights of each user; ${why}`);
    return undefined;
  }
  if (isolation === 'shared') {
    const message = "expected no 'shared': each user has a connection of their own to a server with 'credentials'";
    diagnostics.problem([...path.slice(0, -1), 'isolation'], message, 'leave it out');
  }
  const { type } = entry;
  if (type === undefined) {
    if (!diagnostics.has([...path, 'type'])) diagnostics.problem([...path, 'type'], 'missing; expected a type');
    return undefined;
  }
  noteKeys(entry, type, context);
  return BUILD[type](entry, { ...context, discovery: buildDiscovery(entry, context) });
}

type Build = (
  entry: UpstreamCredentialsEntry,
  context: SecretContext & Pick<UpstreamCredentials, 'discovery'>,
) => UpstreamCredentials | undefined;

const BUILD: Readonly<Record<Type, Build>> = {
  perUser: (entry, context) => {
    const { issuer, clientId, scopes = [] } = entry;
    if (issuer !== undefined) noteAddress(issuer, { ...context, path: [...context.path, 'issuer'] });
    if (clientId === undefined && (entry.clientSecret ?? entry.clientSecret_FILE) !== undefined) {
      context.diagnostics.problem([...context.path, 'clientId'], 'missing; a secret belongs to a client id');
    }
    return {
      type: 'perUser',
      discovery: context.discovery,
      scopes,
      ...(issuer === undefined ? {} : { issuer }),
      ...(clientId === undefined ? {} : { clientId }),
      ...readClientSecret(entry, context),
    };
  },
  exchange: (entry, context) => {
    const { tokenEndpoint, clientId, audience, resource, scopes = [] } = entry;
    if (tokenEndpoint === undefined || clientId === undefined) return undefined;
    noteAddress(tokenEndpoint, { ...context, path: [...context.path, 'tokenEndpoint'] });
    return {
      type: 'exchange',
      discovery: context.discovery,
      tokenEndpoint,
      clientId,
      scopes,
      ...(audience === undefined ? {} : { audience }),
      ...(resource === undefined ? {} : { resource }),
      ...readClientSecret(entry, context),
    };
  },
  forwardHeaders: ({ headers = [], allowAuthorization = false }, { discovery, path, diagnostics }) => {
    const names = [...new Set(headers.map((name) => name.toLowerCase()))];
    for (const name of names) noteForwarded(name, allowAuthorization, [...path, 'headers'], diagnostics);
    return { type: 'forwardHeaders', discovery, headers: names };
  },
};

function noteKeys(entry: UpstreamCredentialsEntry, type: Type, { path, diagnostics }: SecretContext): void {
  const { needs, knows } = KEYS[type];
  for (const key of needs) {
    if (entry[key] === undefined && !diagnostics.has([...path, key]))
      diagnostics.problem([...path, key], `missing; '${type}' needs it`);
  }
  const known: readonly string[] = ['type', 'discovery', ...needs, ...knows];
  for (const key of Object.keys(entry)) {
    if (!known.includes(key)) diagnostics.problem([...path, key], `'${type}' has no '${key}'`, 'leave it out');
  }
}

/** Headers that belong to one connection, to the protocol, or to the gateway's own pages. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

function noteForwarded(name: string, allowAuthorization: boolean, path: JsonPath, diagnostics: Diagnostics): void {
  if (NEVER_FORWARDED.has(name)) diagnostics.problem(path, `'${name}' is never passed on`, 'leave it out');
  if (name !== 'authorization' || allowAuthorization) return;
  const message =
    "'authorization' holds the token by which the caller has entered here; the server could use it here too";
  diagnostics.problem(
    path,
    message,
    'use "type": "exchange", or set allowAuthorization where the server is trusted with it',
  );
}

function readClientSecret(
  { clientSecret, clientSecret_FILE }: Pick<UpstreamCredentialsEntry, 'clientSecret' | 'clientSecret_FILE'>,
  context: SecretContext,
): { readonly clientSecret?: string } {
  if (clientSecret === undefined && clientSecret_FILE === undefined) return {};
  const given = {
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientSecret_FILE === undefined ? {} : { clientSecret_FILE }),
  };
  const secret = readSecret(given, 'clientSecret', context);
  return secret === undefined ? {} : { clientSecret: secret };
}

function buildDiscovery(
  { discovery }: UpstreamCredentialsEntry,
  context: SecretContext,
): Readonly<Record<string, string>> {
  return buildHeaders(discovery?.headers ?? {}, { ...context, path: [...context.path, 'discovery', 'headers'] });
}

/** How grants are kept. What is wrong goes into the diagnostics. */
export function buildCredentialStorage(
  entry: { readonly key?: string; readonly key_FILE?: string } | undefined,
  context: SecretContext,
): CredentialStorage {
  if (entry?.key === undefined && entry?.key_FILE === undefined) return {};
  const key = readSecret({ ...entry }, 'key', context);
  return key === undefined ? {} : { key };
}

/** Reports servers whose users could not be told apart, or not be sent to a page of this gateway. */
export function notePerUser(
  upstreams: readonly UpstreamConfig[],
  { server, clients }: Pick<GatewayConfig, 'server' | 'clients'>,
  diagnostics: Diagnostics,
): void {
  const perUser = upstreams.find(({ credentials, disabled }) => credentials?.type === 'perUser' && !disabled);
  if (perUser === undefined || isOwnMachine(server.host)) return;
  if (server.publicUrl === undefined) {
    const message = `missing; users of '${perUser.name}' are sent to a page of this gateway`;
    diagnostics.problem(['server', 'publicUrl'], message, 'write it as https://mcp.example.org');
  }
  if (server.allowUnauthenticated && clients.length === 0 && server.oauth === undefined) {
    const message = `callers are not authenticated, so that each could use what another has granted for '${perUser.name}'`;
    diagnostics.problem(['server', 'allowUnauthenticated'], message, "set 'clients' or 'server.oauth'");
  }
}
