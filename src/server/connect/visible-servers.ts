import { type Gateway, mayShow } from '../../gateway/gateway.js';
import type { CallerIdentity } from '../../protocol/caller.js';
import { ViewBindings } from '../http/view-access.js';

/** A name that a server can have in an address. */
const SLUG = /^[a-z0-9_-]{1,64}$/;

/** Which servers there are for whom: a user of views connects accounts of the servers in these alone. */
export class VisibleServers {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /**
   * What is known of a server while its visitor is not: undefined where there can be none of the name, `unnamed` where it is not said, as
   * views hide servers from some, and an account of one that was removed can still be disconnected by who has it.
   */
  beforeSignIn(server: string): 'there' | 'unnamed' | undefined {
    const { config, connections } = this.#gateway;
    if (connections?.find(server) !== undefined && new ViewBindings(config).isOpen) return 'there';
    return SLUG.test(server) ? 'unnamed' : undefined;
  }

  /** Whether a server exists for a person. */
  existsFor(identity: CallerIdentity, server: string): boolean {
    if (this.#gateway.connections?.find(server) === undefined) return false;
    const places = new ViewBindings(this.#gateway.config).openTo(identity);
    return places.some((view) => view === undefined || mayShow(this.#gateway, view, server));
  }
}
