import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** How often its keys were fetched, and tokens asked about. */
  readonly counts: { readonly keys: number; readonly introspections: number };
  /** Answers requests in its place, where the function returns true; none any more without one. */
  intercept(answer?: (request: IncomingMessage, response: ServerResponse) => boolean): void;
  /** While it is down it answers 503 to everything. */
  setDown(isDown: boolean): void;
}

export interface AuthorizationServerOptions {
  /** What tokens are issued for where a client names nothing. */
  readonly resource: string;
  readonly format?: 'jwt' | 'opaque';
  /** By the name that a person signs in with. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Client ID metadata documents by their address. */
  readonly documents?: Readonly<Record<string, object>>;
  readonly clients?: readonly object[];
  /** How long access tokens live; an hour unless given. */
  readonly tokenSeconds?: number;
}

export function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer>;

/** Opens the address as a browser does, signs in and agrees. */
export function signIn(
  address: string | URL,
  login: string,
): Promise<{
  readonly code: string;
  readonly iss: string | undefined /** Where the browser was sent back to. */;
  readonly location: string;
}>;
