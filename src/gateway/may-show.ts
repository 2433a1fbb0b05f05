import type { ViewConfig } from '../config/gateway-config.js';
import type { GatewayStatus } from './status.js';
import { compileViewFilter } from './view-filter.js';

interface ViewedGateway {
  status(): GatewayStatus;
  inView(name: string): { status(): GatewayStatus } | undefined;
}

/** Whether a view has a server. One whose tools are not known yet, as its first user has to connect, is in every view that may have it. */
export function mayShow(gateway: ViewedGateway, view: ViewConfig, slug: string): boolean {
  const isShown =
    gateway
      .inView(view.name)
      ?.status()
      .upstreams.some((upstream) => upstream.slug === slug) ?? false;
  if (isShown || !compileViewFilter(view).mayHave(slug)) return isShown;
  return gateway.status().upstreams.some((upstream) => upstream.slug === slug && upstream.tools === 0);
}
