import { createServer } from 'node:net';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonObject } from '../../src/base/json/json.js';
import { signIn } from './authorization-server.mjs';

const REDIRECT = 'http://127.0.0.1:9/callback';

/** A port that is free at this moment: the canonical address of a gateway is known before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** What a client of either SDK keeps for its OAuth flow, and the person who uses it. */
export class SignedInPerson {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadataUrl: string | undefined;
  readonly clientMetadata: JsonObject = {
    client_name: 'a test client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  /** Where the SDK sent the person's browser to. */
  sentTo: URL | undefined;
  #client: unknown;
  #tokens: { readonly access_token: string } | undefined;
  #verifier = '';
  #discovery: unknown;

  /** @param clientMetadataUrl the address of a document that describes the client; without it the client registers itself. */
  constructor(clientMetadataUrl?: string) {
    this.clientMetadataUrl = clientMetadataUrl;
  }

  get accessToken(): string {
    return this.#tokens?.access_token ?? '';
  }

  clientInformation(): unknown {
    return this.#client;
  }

  saveClientInformation(client: unknown): void {
    this.#client = client;
  }

  tokens(): unknown {
    return this.#tokens;
  }

  saveTokens(tokens: { readonly access_token: string }): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.sentTo = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  discoveryState(): unknown {
    return this.#discovery;
  }

  saveDiscoveryState(discovery: unknown): void {
    this.#discovery = discovery;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** Replaces the access token by one that is not accepted: the SDK has to use the refresh token. */
  spoilAccessToken(): void {
    this.#tokens = { ...this.#tokens, access_token: 'spoiled' };
  }
}

/** A client of an SDK, as far as tests use it. */
export interface OAuthClient {
  callTool(call: { name: string; arguments: JsonObject }): Promise<{ content: readonly { text: string }[] }>;
  close(): Promise<void>;
}

/** Connects a client by the SDK's own OAuth flow: refused, signed in, and connected. */
export async function connectAs(
  sdk: 'v1' | 'v2',
  url: string,
  login: string,
  person: SignedInPerson,
): Promise<OAuthClient> {
  // The two SDKs have types of their own for the same things.
  // biome-ignore lint/suspicious/noExplicitAny: the provider fits both
  const options: any = { authProvider: person };
  // biome-ignore lint/suspicious/noExplicitAny: so do client and transport
  const open = (): any =>
    sdk === 'v1' ? new OldTransport(new URL(url), options) : new NewTransport(new URL(url), options);
  const info = { name: `client of ${sdk}`, version: '1' };
  // biome-ignore lint/suspicious/noExplicitAny: so do client and transport
  const create = (): any =>
    sdk === 'v1' ? new OldClient(info) : new NewClient(info, { versionNegotiation: { mode: 'auto' } });
  const first = open();
  const refused: unknown = await create()
    .connect(first)
    .catch((cause: unknown) => cause);
  if (person.sentTo === undefined) throw refused;
  const { code, iss } = await signIn(person.sentTo, login);
  await first.finishAuth(code, iss);
  const client = create();
  await client.connect(open());
  return client;
}
