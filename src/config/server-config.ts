import type { OAuthConfig, TlsConfig } from './access-config.js';
import type { SERVER } from './schema/server-schema.js';
import type { Output } from './schema/setting.js';

/**
 * Where the gateway listens, who may reach it, and what its clients may take. Host names are as `URL` writes them, and `publicUrl` has no
 * slash at its end.
 */
export type ServerConfig = Omit<Output<typeof SERVER>, 'oauth' | 'tls'> & {
  /** The authorization servers whose tokens are accepted. */
  readonly oauth?: OAuthConfig;
  readonly tls?: TlsConfig;
};
