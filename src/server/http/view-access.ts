import type { CallerIdentity } from '../../base/protocol/call.js';
import type { GatewayConfig, ViewConfig } from '../../config/gateway-config.js';
import type { Authenticated } from '../auth/authenticated.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { type RequestHandler, sendRpcError } from './responder.js';

/** Why a client may not enter; undefined where it may. */
export type ViewAccess = (identity: CallerIdentity) => ViewRefusal | undefined;

/** The view that an endpoint serves, and whom it refuses. */
export interface ServedView {
  /** Its name; the whole where absent. */
  readonly name?: string | undefined;
  /** Everyone may enter where absent. */
  readonly access?: ViewAccess | undefined;
}

interface ViewRefusal {
  readonly status: 403 | 404;
  readonly message: string;
}

/**
 * Who may enter which view. A view that names clients or groups is for them alone, and they may enter such views alone. What is not open
 * to a client is answered as what does not exist.
 */
export class ViewBindings {
  readonly #views: readonly ViewConfig[];
  readonly #defaultView: string | undefined;

  constructor({ views, server }: Pick<GatewayConfig, 'views' | 'server'>) {
    this.#views = views;
    this.#defaultView = server.defaultView;
  }

  /** Undefined where no view names clients or groups: then every caller may enter everything that there is. */
  accessTo(view: string | undefined): ViewAccess | undefined {
    if (!this.#views.some(isBinding)) return undefined;
    return (identity) => this.refusalOf(view, identity);
  }

  /** @param view by its name; the whole where absent */
  refusalOf(view: string | undefined, identity: CallerIdentity): ViewRefusal | undefined {
    const own = this.#views.filter((each) => names(each, identity));
    if (own.length > 0) {
      const isOwn = own.some(({ name }) => name === view);
      return isOwn ? undefined : { status: 403, message: `Forbidden: this client sees ${this.#list(own)} alone.` };
    }
    const asked = this.#views.find(({ name }) => name === view);
    if (view === undefined || (asked !== undefined && !isBinding(asked))) return undefined;
    const open = this.#views.filter((each) => !isBinding(each));
    const isWholeOpen = this.#defaultView === undefined;
    const listed = [...(isWholeOpen ? ['/mcp'] : []), ...(open.length > 0 ? [this.#list(open)] : [])].join(', ');
    const others = listed === '' ? 'None is open to it' : `It may use ${listed}`;
    return { status: 404, message: `Not found: there is no such view for this client. ${others}.` };
  }

  /** Whether every caller may enter the whole, so that nothing is hidden from anyone. */
  get isOpen(): boolean {
    return this.#defaultView === undefined && !this.#views.some(isBinding);
  }

  /** Where a client may enter: the views, and the whole as undefined. */
  openTo(identity: CallerIdentity): readonly (ViewConfig | undefined)[] {
    const whole = this.#defaultView === undefined ? [undefined] : [];
    return [...whole, ...this.#views].filter((view) => this.refusalOf(view?.name, identity) === undefined);
  }

  #list(views: readonly ViewConfig[]): string {
    return views.map(({ name }) => (name === this.#defaultView ? '/mcp' : `/mcp/${name}`)).join(', ');
  }
}

/** Lets those who may enter pass, and answers the others. */
export function refuseAt(refusalOf: ViewAccess, handle: RequestHandler): RequestHandler {
  return (request, response, client) => {
    const refusal = refusalOf(client?.identity ?? {});
    if (refusal === undefined) handle(request, response, client);
    else sendRpcError(response, refusal.status, RPC_ERROR.refused, refusal.message);
  };
}

/** Whether a token is for the address at which its holder enters. @param view undefined is the whole */
export function isForView({ views }: Authenticated, view: string | undefined): boolean {
  return views === undefined || (view !== undefined && views.includes(view));
}

/** Whether a view is for those whom it names alone. */
function isBinding({ clients, groups }: ViewConfig): boolean {
  return clients !== undefined || groups !== undefined;
}

function names({ clients = [], groups = [] }: ViewConfig, identity: CallerIdentity): boolean {
  const { client, groups: own = [] } = identity;
  return (client !== undefined && clients.includes(client)) || own.some((group) => groups.includes(group));
}
