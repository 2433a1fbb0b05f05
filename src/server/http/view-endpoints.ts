import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { getOrMake } from '../../base/lib/collections.js';
import type { Observer } from '../../base/observe/observation.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { ServerInfo } from '../mcp/write-result.js';
import type { AccessSettings } from './admit.js';
import { createMcpEndpoint, type EndpointLoad, type McpEndpoint } from './mcp-endpoint.js';
import { joinRegistries } from './session-registry.js';
import { ViewBindings } from './view-access.js';

/** The endpoints of the whole and of each view: what belongs to a connection is never found from another view. */
export interface McpEndpoints
  extends Pick<McpEndpoint, 'replaceAccess' | 'endStreams' | 'interruptCalls' | 'load' | 'sessions' | 'close'> {
  /** What `/mcp` serves at this moment: the default view, or the whole. */
  readonly plain: { readonly current: Pick<McpEndpoint, 'handle'> };
  /** Answers one HTTP request for a view. */
  handleView(view: string, request: IncomingMessage, response: ServerResponse): void;
}

/** The answer at an address that shows something else now. */
const GONE = {
  status: 404,
  message: 'Not found: the configuration of this address has changed. Connect again.',
} as const;

/** The name of a view; undefined is the whole. */
type Shown = string | undefined;

type ServedViews = Pick<GatewayConfig, 'views' | 'server'>;

/** Serves the whole, or the default view, and opens each view with the first request for it. Follows the views of a reload. */
export function createMcpEndpoints(gateway: Gateway, serverInfo: ServerInfo, observe: Observer): McpEndpoints {
  let served: ServedViews = gateway.config;
  let bindings = new ViewBindings(served);
  const endpoints = new Map<Shown, McpEndpoint>();
  /** Of views that are gone, until their last calls have been answered. */
  const retired = new Set<McpEndpoint>();
  /** Of the endpoints that are opened later too; as at the start where absent. */
  let access: AccessSettings | undefined;
  const all = (): readonly McpEndpoint[] => [...endpoints.values(), ...retired];

  const open = (shown: Gateway, name: Shown): McpEndpoint =>
    getOrMake(endpoints, name, () => {
      const endpoint = createMcpEndpoint(shown, serverInfo, observe, { name, access: bindings.accessTo(name) });
      if (access !== undefined) endpoint.replaceAccess(access);
      return endpoint;
    });
  const openView = (name: string): McpEndpoint | undefined => {
    const shown = gateway.inView(name);
    return shown && open(shown, name);
  };
  const openPlain = (): McpEndpoint => {
    const { defaultView } = served.server;
    return (defaultView === undefined ? undefined : openView(defaultView)) ?? open(gateway, undefined);
  };
  const plain = { current: openPlain() };

  /** It takes no more requests; its sessions end when its calls have been answered. */
  const retire = async (name: Shown, endpoint: McpEndpoint): Promise<void> => {
    endpoints.delete(name);
    retired.add(endpoint);
    // A request whose token is still being checked.
    endpoint.replaceViewAccess((identity) => bindings.refusalOf(name, identity) ?? GONE);
    await endpoint.endStreams();
    await endpoint.settled();
    if (retired.delete(endpoint)) endpoint.close();
  };
  const isServed = (name: Shown): boolean =>
    name === undefined ? served.server.defaultView === undefined : served.views.some((view) => view.name === name);
  const stopFollowing = gateway.onReloaded((next) => {
    const isSame = isDeepStrictEqual(served.views, next.views) && served.server.defaultView === next.server.defaultView;
    if (isSame) return;
    served = next;
    bindings = new ViewBindings(next);
    plain.current = openPlain();
    for (const [name, endpoint] of [...endpoints]) {
      if (isServed(name)) endpoint.replaceViewAccess(bindings.accessTo(name));
      else retire(name, endpoint).catch((cause: unknown) => observe({ kind: 'defect', where: 'ending a view', cause }));
    }
  });
  return {
    plain,
    handleView(name, request, response) {
      const endpoint = openView(name);
      if (endpoint === undefined)
        plain.current.refuse(request, response, (identity) => bindings.refusalOf(name, identity));
      else endpoint.handle(request, response);
    },
    replaceAccess(next) {
      access = next;
      for (const endpoint of all()) endpoint.replaceAccess(next);
    },
    async endStreams() {
      stopFollowing();
      await Promise.all(all().map((endpoint) => endpoint.endStreams()));
    },
    interruptCalls() {
      for (const endpoint of all()) endpoint.interruptCalls();
    },
    load() {
      const loads = all().map((endpoint) => endpoint.load());
      const sum = (key: keyof EndpointLoad): number => loads.reduce((total, load) => total + load[key], 0);
      return { streams: sum('streams'), tasks: sum('tasks') };
    },
    sessions: joinRegistries(() => all().map(({ sessions }) => sessions)),
    close() {
      for (const endpoint of all()) endpoint.close();
      retired.clear();
    },
  };
}
