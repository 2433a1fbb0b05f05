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
   * What is known of a server while its visitor is not: undefined where there is none, `unnamed` where that must not be seen yet, as
   * views hide servers from some.
   */
  beforeSignIn(server: string): 'there' | 'unnamed' | undefined {
    if (!new ViewBindings(this.#gateway.config).isOpen) return SLUG.test(server) ? 'unnamed' : undefined;
    return this.#gateway.connections?.find(server) === undefined ? undefined : 'there';
  }

  /** Whether a server exists for a person. */
  existsFor(identity: CallerIdentity, server: string): boolean {
    if (this.#gateway.connections?.find(server) === undefined) return false;
    const places = new ViewBindings(this.#gateway.config).openTo(identity);
    return places.some((view) => view === undefined || mayShow(this.#gateway, view, server));
  }
}
