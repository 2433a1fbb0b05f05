import type { GatewayConfig } from '../config/gateway-config.js';
import type { Explanation } from '../policy/rules/rule-types.js';
import type { ToolSet } from '../protocol/tools.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import type { LiveCatalog } from './live-catalog.js';
import type { NativeDeps, NativeSurface } from './native.js';
import type { PolicyQuestion } from './operator-api.js';
import { type StatusParts, statusOf } from './read-status.js';
import type { GatewayStatus } from './status.js';
import { createSurface, type Surface, type SurfaceServices } from './surface.js';
import type { OpenedView } from './views.js';

/** What a view shows otherwise than the gateway does. */
interface ShownByView extends Surface {
  readonly config: GatewayConfig;
  readonly purpose?: string | undefined;
  readonly connections: unknown;
  readonly native: NativeSurface;
  status(): GatewayStatus;
  toolSets(): readonly ToolSet[];
  explainPolicy(question: PolicyQuestion): Explanation;
}

interface ShownParts<Whole extends ShownByView> {
  readonly gateway: Whole;
  readonly catalog: LiveCatalog;
  readonly services: SurfaceServices;
  readonly pool: Pick<UpstreamPool, 'statuses'>;
  readonly statusParts: StatusParts;
  /** What the upstreams that exist in the view have beside tools. */
  readonly openNative: (
    over: Pick<NativeDeps, 'snapshot' | 'handle'>,
    shows: (upstream: string) => boolean,
  ) => NativeSurface;
}

/** The gateway as a view shows it. The view's configuration may be replaced meanwhile. */
export function showInView<Whole extends ShownByView>(view: OpenedView, parts: ShownParts<Whole>): Whole {
  const { gateway, catalog, pool } = parts;
  const { name } = view.config;
  const seen = view.over(catalog);
  const { handle, ...rest } = createSurface(seen, { ...parts.services, view: name });
  const handleInView: Surface['handle'] = (call) =>
    handle(call.caller.view === name ? call : { ...call, caller: { ...call.caller, view: name } });
  const shows = (upstream: string): boolean => seen.current().upstreams.has(upstream);
  return {
    ...gateway,
    ...rest,
    handle: handleInView,
    get config() {
      return { ...gateway.config, endpoint: view.config.endpoint };
    },
    get purpose() {
      return view.config.description;
    },
    get connections() {
      return gateway.connections;
    },
    native: parts.openNative({ snapshot: seen.currentOfAll, handle: handleInView }, shows),
    status: () =>
      statusOf(
        seen.current(),
        pool.statuses().filter(({ slug }) => shows(slug)),
        parts.statusParts,
      ),
    toolSets: () => catalog.toolSets().filter(({ upstream }) => shows(upstream)),
    explainPolicy: (question) => gateway.explainPolicy({ ...question, view: name }),
  };
}
