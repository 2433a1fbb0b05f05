import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { ServerInfo } from '../mcp/write-result.js';
import type { AccessSettings } from './admit.js';
import { createMcpEndpoint, type EndpointLoad, type McpEndpoint } from './mcp-endpoint.js';
import { ViewBindings } from './view-access.js';

/** The endpoints of the whole and of each view: what belongs to a connection is never found from another view. */
export interface McpEndpoints extends Omit<McpEndpoint, 'refuse'> {
  /** Answers one HTTP request for a view. */
  handleView(view: string, request: IncomingMessage, response: ServerResponse): void;
}

/** Serves the whole, or the default view, and opens each view with the first request for it. */
export function createMcpEndpoints(gateway: Gateway, serverInfo: ServerInfo, observe: Observer): McpEndpoints {
  const { config } = gateway;
  const { defaultView } = config.server;
  const bindings = new ViewBindings(config);
  const open = (shown: Gateway, name: string | undefined): McpEndpoint =>
    createMcpEndpoint(shown, serverInfo, observe, { name, access: bindings.accessTo(name) });
  const first = defaultView === undefined ? gateway : (gateway.inView(defaultView) ?? gateway);
  const main = open(first, defaultView);
  const views = new Map<string, McpEndpoint>(defaultView === undefined ? [] : [[defaultView, main]]);
  /** Of the endpoints that are opened later too; as at the start where absent. */
  let access: AccessSettings | undefined;
  const isConfigured = new Set(config.views.map(({ name }) => name));
  const all = (): readonly McpEndpoint[] => [...new Set([main, ...views.values()])];
  const openView = (name: string): McpEndpoint | undefined => {
    const known = views.get(name);
    if (known !== undefined || !isConfigured.has(name)) return known;
    const shown = gateway.inView(name);
    if (shown === undefined) return undefined;
    const endpoint = open(shown, name);
    if (access !== undefined) endpoint.replaceAccess(access);
    views.set(name, endpoint);
    return endpoint;
  };
  return {
    handle: main.handle,
    handleView(name, request, response) {
      const endpoint = openView(name);
      if (endpoint === undefined) main.refuse(request, response, (identity) => bindings.refusalOf(name, identity));
      else endpoint.handle(request, response);
    },
    replaceAccess(next) {
      access = next;
      for (const endpoint of all()) endpoint.replaceAccess(next);
    },
    async endStreams() {
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
    close() {
      for (const endpoint of all()) endpoint.close();
    },
  };
}
