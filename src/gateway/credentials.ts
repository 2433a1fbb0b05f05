import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { CredentialService } from '../credentials/credential-service.js';
import type { Observer } from '../observe/observation.js';
import type { UserRights } from '../upstream/user-rights.js';

/** The rights of users for upstreams. What they need is loaded when a configuration has such an upstream. */
export class Credentials {
  readonly #observe: Observer;
  #service: CredentialService | undefined;

  constructor(observe: Observer) {
    this.#observe = observe;
  }

  /** Loads and opens what the configuration needs, before its upstreams are connected. */
  async prepare(config: GatewayConfig): Promise<void> {
    if (this.#service !== undefined || !config.upstreams.some(hasUserRights)) return;
    const { openCredentialService } = await import('../credentials/credential-service.js');
    this.#service = await openCredentialService(config, { observe: this.#observe });
  }

  readonly rightsOf = (upstream: UpstreamConfig): UserRights | undefined => this.#service?.rightsOf(upstream);

  async close(): Promise<void> {
    await this.#service?.close();
  }
}

function hasUserRights({ credentials, disabled }: UpstreamConfig): boolean {
  return credentials !== undefined && !disabled;
}
