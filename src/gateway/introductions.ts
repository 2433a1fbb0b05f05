import type { Diagnostic, Introduction, ToolSet } from '../base/protocol/tools.js';
import { DefinitionGuard, type DefinitionSet, defineServer } from '../catalog/integrity/definition-guard.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Upstream } from '../upstream/upstream.js';
import type { Primitives } from './primitives/primitives.js';

/** What servers say of themselves, and what else they define beside tools, as far as it was accepted. */
export interface Introductions {
  readonly guard: DefinitionGuard;
  /** What a server that is vouched for says of itself; undefined where it says nothing, or something that is quarantined. */
  of(slug: string): Introduction | undefined;
  /**
   * One set of definitions for each of these upstreams, in the form in which the lock has them: what each server says of itself, and those
   * of its prompts and templates.
   */
  join(
    upstreams: readonly Pick<ToolSet, 'upstream'>[],
    primitives: Pick<Primitives, 'definitions' | 'unreadKinds'>,
  ): Promise<readonly DefinitionSet[]>;
  /** A server has connected, and may say something else than before. */
  noteConnected(slug: string): void;
  /** A server is judged anew when it is read next. */
  forget(slug: string): void;
  /** Whether what a server has may be shown to callers who have not asked for it. */
  isShown(slug: string): boolean;
}

export function openIntroductions(
  settings: () => Pick<GatewayConfig, 'upstreams' | 'lock'>,
  upstreams: ReadonlyMap<string, Pick<Upstream, 'introduction' | 'absence'>>,
  onFinding: (finding: Diagnostic) => void,
): Introductions {
  const guard = new DefinitionGuard({ settings, onFinding });
  const isVouched = (slug: string): boolean =>
    settings().upstreams.some((upstream) => upstream.slug === slug && upstream.trust !== 'untested');
  const withheld = new Set<string>();
  return {
    guard,
    of: (slug) => (isVouched(slug) && !withheld.has(slug) ? upstreams.get(slug)?.introduction() : undefined),
    async join(listed, primitives) {
      const others = await primitives.definitions();
      return listed.map(({ upstream }) => {
        const own = others.filter((each) => each.upstream === upstream).flatMap(({ tools }) => tools);
        const introduction = upstreams.get(upstream)?.introduction();
        const isAway = introduction === undefined && upstreams.get(upstream)?.absence() !== undefined;
        const unread = [...(isAway ? (['server'] as const) : []), ...primitives.unreadKinds(upstream)];
        return { upstream, tools: [...defineServer(introduction), ...own], unread };
      });
    },
    noteConnected(slug) {
      const found = guard.check(slug, 'server', defineServer(upstreams.get(slug)?.introduction()));
      if (found.size === 0) withheld.delete(slug);
      else withheld.add(slug);
    },
    forget(slug) {
      guard.forget(slug);
      withheld.delete(slug);
    },
    isShown: isVouched,
  };
}
