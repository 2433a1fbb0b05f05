import type { Observer } from '../base/observe/observation.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { Connections, CredentialService } from '../upstream/credentials/credential-service.js';
import type { UserRights } from '../upstream/transport/user-rights.js';

export type { Connections } from '../upstream/credentials/credential-service.js';

/** The rights of users for upstreams. What they need is loaded when a configuration has such an upstream, or operators who sign in at an issuer. */
export class Credentials {
  readonly #observe: Observer;
  readonly #policy: Pick<PolicyService, 'audit' | 'store'>;
  #service: CredentialService | undefined;

  constructor(observe: Observer, policy: Pick<PolicyService, 'audit' | 'store'>) {
    this.#observe = observe;
    this.#policy = policy;
  }

  /** How users connect their accounts; absent where nothing wants that. */
  get connections(): Connections | undefined {
    return this.#service?.connections;
  }

  /** Loads and opens what the configuration needs, before its upstreams are connected. */
  async prepare(config: GatewayConfig): Promise<void> {
    if (this.#service !== undefined) {
      this.#service.follow(config);
      return;
    }
    if (!config.upstreams.some(hasUserRights) && config.policy.approvals.operatorGroups.length === 0) return;
    await this.open(config);
  }

  /** The same, whether the configuration needs it or not. */
  async open(config: GatewayConfig): Promise<CredentialService> {
    const { openCredentialService } = await import('../upstream/credentials/credential-service.js');
    const { audit, store } = this.#policy;
    this.#service = openCredentialService(config, {
      store,
      warn: (message) => this.#observe({ kind: 'notice', level: 'warn', message }),
      record: (action, details, operator) =>
        audit.record({ type: 'admin', action, details, actor: { operator, transport: 'http' } }),
    });
    return this.#service;
  }

  readonly rightsOf = (upstream: UpstreamConfig): UserRights | undefined => this.#service?.rightsOf(upstream);
}

function hasUserRights({ credentials, disabled }: UpstreamConfig): boolean {
  return credentials !== undefined && !disabled;
}
