import { OwnedMap, type Whose } from '../base/lib/owned-map.js';
import type { Observer } from '../base/observe/observation.js';
import { whenRuns } from '../base/protocol/policy-decision.js';
import type { Absence, Diagnostic, Introduction, ToolSet } from '../base/protocol/tools.js';
import { diffCatalogs } from '../catalog/build-catalog.js';
import { DefinitionGuard, type DefinitionSet, defineServer } from '../catalog/integrity/definition-guard.js';
import { ToolRecords } from '../catalog/integrity/tool-record.js';
import { OperationSearch } from '../catalog/search/search.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import type { PolicyService } from '../policy/policy.js';
import { EVERYBODY, type Reader, Readers } from '../upstream/readers.js';
import type { Upstream } from '../upstream/upstream.js';
import type { IntrospectionPolicy } from './builtin/introspect/handler.js';
import { Usage } from './builtin/introspect/usage.js';
import type { Foundations } from './foundations.js';
import { createHandlers, type Handlers } from './handlers.js';
import { createLiveCatalog, type LiveCatalog } from './live-catalog.js';
import type { Shown } from './module.js';
import { Audiences } from './native.js';
import type { Parts } from './parts.js';
import type { Snapshot } from './pipeline/snapshot.js';
import { createPrimitives, type Primitives } from './primitives/primitives.js';
import { ReadOnlyAccounts } from './read-only-accounts.js';
import { ReaderCatalog } from './reader-catalog.js';
import { buildSnapshot, listEnabled, readBy, rebuildSnapshot, refusedBy } from './snapshot.js';
import { Views } from './views.js';

/** What can be called, and whom its changes concern. */
export interface OpenedCatalog {
  /** As everybody sees it. */
  readonly catalog: LiveCatalog;
  /** As each caller sees it. */
  readonly readerCatalog: ReaderCatalog;
  readonly readers: Readers;
  readonly views: Views;
  readonly handlers: Handlers;
  readonly primitives: Primitives;
  readonly introductions: Introductions;
  readonly usage: Usage;
  readonly audiences: Audiences;
  readonly accounts: ReadOnlyAccounts;
}

/** Opens the catalog of what the servers have. It is empty until they are connected. */
export function openCatalog(foundations: Foundations, observe: Observer, parts: Parts): OpenedCatalog {
  const { live, policy, pool, links, memory, replicas, results, largeAnswers, safety, executions, modules } =
    foundations;
  const { config } = live;
  const handlers = createHandlers(config, pool.upstreams, policy, links);
  const usage = new Usage(replicas?.rankings);
  const audiences = new Audiences();
  const introductions = openIntroductions(
    () => live.config,
    pool.upstreams,
    (finding) => reportDiagnostic(finding, observe, policy.audit),
  );
  const readers = new Readers(pool.upstreams);
  const primitives = createPrimitives({
    readers,
    upstreams: pool.upstreams,
    links,
    guard: introductions.guard,
    isCounted: introductions.isShown,
    isAllowed: (operation, args, caller) => whenRuns(policy.rules.decide(operation, args, caller).effect) === 'freely',
    isTold: (upstream, kind, name) =>
      live.config.upstreams.find(({ slug }) => slug === upstream)?.[kind]?.[name] !== undefined,
    onDiagnostic: (upstream, message) => observe({ kind: 'diagnostic', severity: 'warning', upstream, message }),
    // What everybody sees is shown to owners, too, to whom the server shows nothing of their own.
    onListChanged: (kind, { upstream, owner }) =>
      audiences.listChanged(
        kind,
        upstream,
        (caller) => owner === undefined || pool.upstreams.get(upstream)?.readerOf(caller) === owner,
      ),
    onResourceUpdated: (uri, subscribers) => audiences.tell((listener) => listener.resourceUpdated(uri, subscribers)),
  });
  const accounts = new ReadOnlyAccounts({
    settings: () => live.config,
    pool,
    audit: policy.audit,
    observe,
    isRefused: refusedBy(describePolicy(policy)),
    refresh: () => catalog.reconfigure(listEnabled(live.config.upstreams), []),
  });
  parts.add('read-only accounts', {
    apply({ upstreams: { removed, replaced, adjusted } }) {
      for (const { slug } of [...removed, ...replaced, ...adjusted]) accounts.forget(slug);
    },
    close: () => accounts.close(),
  });
  const snapshotServices = {
    get config() {
      return live.config;
    },
    policy: describePolicy(policy),
    results,
    readPart: largeAnswers.readPart,
    records: new ToolRecords(),
    search: new OperationSearch(),
    usage,
    ...(safety === undefined ? {} : { safety }),
    executions: executions?.inSnapshots,
    own: (shown: Shown) => [...(executions?.own ?? []), ...modules.ownOf(shown)],
    accountOf: (upstream: UpstreamConfig) => accounts.of(upstream),
  };
  const seenBy = (reader: Reader) => ({
    reader,
    primitives: primitives.seenBy(reader),
    connections: {
      absenceOf(upstream: string): Absence | undefined {
        const owner = reader.ownerOf(upstream);
        const refusal = readerCatalog.refusalOf({ upstream, owner });
        return refusal === undefined ? pool.upstreams.get(upstream)?.absence(owner) : { retryAfterMs: 0, refusal };
      },
      unreadOf(upstream: string): Absence | undefined {
        const isDue = pool.upstreams.get(upstream)?.announced(reader.ownerOf(upstream))?.isDue === true;
        return isDue || catalog.lacks(upstream) ? { under: 'unread', retryAfterMs: 0 } : undefined;
      },
      introductionOf: (upstream: string) => introductions.of({ upstream, owner: reader.ownerOf(upstream) }),
      retryNow: (slug: string) => pool.upstreams.get(slug)?.retryNow(),
    },
  });
  const inputFor = (reader: Reader) => ({ ...snapshotServices, ...seenBy(reader), config: live.config, handlers });
  const views = new Views(config.views, { ...snapshotServices, primitives });
  const catalog = createLiveCatalog({
    buildFirst: (offered) => buildSnapshot({ ...offered, ...inputFor(EVERYBODY) }),
    async build(offered) {
      const snapshot = await rebuildSnapshot({ ...offered, ...inputFor(EVERYBODY) });
      await views.prepare(snapshot);
      return snapshot;
    },
    async onChange(before, after, known) {
      memory.keeper.keep(known);
      reportChange(before, after, observe, policy.audit);
    },
    onDefect: (cause) => observe({ kind: 'defect', where: 'catalog', cause }),
    enabled: listEnabled(config.upstreams),
    known: memory.known,
  });
  catalog.onReplaced((_before, after) => accounts.see(after));
  parts.add('views', { apply: ({ config: next }) => views.replace(next.views) });
  const readerCatalog = new ReaderCatalog({
    live: catalog,
    readers,
    upstreams: pool.upstreams,
    build(of, toolSets, firstToolSets) {
      const { holders } = of.catalog;
      const built = buildSnapshot({ ...inputFor(EVERYBODY), toolSets, firstToolSets, holders });
      reportRemarks(of, built, observe, policy.audit);
      return built;
    },
    open: (whole, reader) => readBy(inputFor(reader), whole),
  });
  return { catalog, readerCatalog, readers, views, handlers, primitives, introductions, usage, audiences, accounts };
}

/** What servers say of themselves, and what else they define beside tools, as far as it was accepted. */
interface Introductions {
  readonly guard: DefinitionGuard;
  /** What a server that is vouched for says of itself; undefined where it says nothing, or something that is quarantined. */
  of(whose: Whose): Introduction | undefined;
  /**
   * One set of definitions for each of these upstreams, in the form in which the lock has them: what each server says of itself, and those
   * of its prompts and templates.
   */
  join(
    upstreams: readonly Pick<ToolSet, 'upstream'>[],
    primitives: Pick<Primitives, 'definitions' | 'unreadKinds'>,
  ): Promise<readonly DefinitionSet[]>;
  /** A server has connected, and may say something else than before. */
  noteConnected(whose: Whose): void;
  /** A server is judged anew when it is read next. */
  forget(slug: string): void;
  /** Whether what a server has may be shown to callers who have not asked for it. */
  isShown(slug: string): boolean;
}

function openIntroductions(
  settings: () => Pick<GatewayConfig, 'upstreams' | 'lock'>,
  upstreams: ReadonlyMap<string, Pick<Upstream, 'introduction' | 'absence'>>,
  onFinding: (finding: Diagnostic) => void,
): Introductions {
  const guard = new DefinitionGuard({ settings, onFinding });
  const isVouched = (slug: string): boolean =>
    settings().upstreams.some((upstream) => upstream.slug === slug && upstream.trust !== 'untested');
  const withheld = new OwnedMap<true>();
  const said = ({ upstream, owner }: Whose): Introduction | undefined => upstreams.get(upstream)?.introduction(owner);
  return {
    guard,
    of: (whose) => (isVouched(whose.upstream) && withheld.get(whose) === undefined ? said(whose) : undefined),
    async join(listed, primitives) {
      const others = await primitives.definitions();
      return listed.map(({ upstream }) => {
        const own = others.filter((each) => each.upstream === upstream).flatMap(({ tools }) => tools);
        const introduction = said({ upstream, owner: undefined });
        const isAway = introduction === undefined && upstreams.get(upstream)?.absence(undefined) !== undefined;
        const unread = [...(isAway ? (['server'] as const) : []), ...primitives.unreadKinds(upstream)];
        return { upstream, tools: [...defineServer(introduction), ...own], unread };
      });
    },
    noteConnected(whose) {
      const found = guard.check(whose, 'server', defineServer(said(whose)));
      if (found.size === 0) withheld.delete(whose);
      else withheld.set(whose, true);
    },
    forget(slug) {
      guard.forget(slug);
      withheld.deleteServer(slug);
    },
    isShown: isVouched,
  };
}

/** The part of policy that introspection may show. */
function describePolicy({ gatekeeper, revokeToken, quota }: PolicyService): IntrospectionPolicy {
  return { staticDecision: gatekeeper.staticDecision, revokeToken, quotaStatus: quota.status };
}

/** Tells the log of a diagnostic, and the audit trail of one that an operator should act on. */
function reportDiagnostic(diagnostic: Diagnostic, observe: Observer, audit: Pick<AuditTrail, 'record'>): void {
  observe({ ...diagnostic, kind: 'diagnostic' });
  const { severity, upstream, tool, message } = diagnostic;
  if (severity === 'info') return;
  audit.record({ type: 'integrity', severity, upstream, message, ...(tool === undefined ? {} : { tool }) });
}

/** Reports what a catalog has more and less than the one before, and what is remarked on it for the first time. */
function reportChange(before: Snapshot, after: Snapshot, observe: Observer, audit: AuditTrail): void {
  const change = diffCatalogs(before.catalog, after.catalog);
  observe({ kind: 'catalog', operations: after.catalog.operations.length, ...change });
  reportRemarks(before, after, observe, audit);
}

/** Reports what is remarked on a catalog and was not on the one before. */
function reportRemarks(before: Snapshot, after: Snapshot, observe: Observer, audit: AuditTrail): void {
  const known = new Set(before.catalog.diagnostics.concat(before.plan.diagnostics).map(({ message }) => message));
  for (const diagnostic of after.catalog.diagnostics.concat(after.plan.diagnostics)) {
    if (!known.has(diagnostic.message)) reportDiagnostic(diagnostic, observe, audit);
  }
}
