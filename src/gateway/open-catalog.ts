import type { Observer } from '../base/observe/observation.js';
import type { Diagnostic } from '../base/protocol/tools.js';
import { diffCatalogs } from '../catalog/build-catalog.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import type { PolicyService } from '../policy/policy.js';
import type { IntrospectionPolicy } from './builtin/introspect/handler.js';
import { Usage } from './builtin/introspect/usage.js';
import type { Foundations } from './foundations.js';
import { createHandlers, type Handlers } from './handlers.js';
import { type Introductions, openIntroductions } from './introductions.js';
import { createLiveCatalog, type LiveCatalog } from './live-catalog.js';
import { Audiences } from './native.js';
import type { Parts } from './parts.js';
import type { Snapshot } from './pipeline/snapshot.js';
import { createPrimitives, type Primitives } from './primitives/primitives.js';
import { buildSnapshot, listEnabled, rebuildSnapshot } from './snapshot.js';
import { Views } from './views.js';

/** What can be called, and whom its changes concern. */
export interface OpenedCatalog {
  readonly catalog: LiveCatalog;
  readonly views: Views;
  readonly handlers: Handlers;
  readonly primitives: Primitives;
  readonly introductions: Introductions;
  readonly usage: Usage;
  readonly audiences: Audiences;
}

/** Opens the catalog of what the servers have. It is empty until they are connected. */
export function openCatalog(foundations: Foundations, observe: Observer, parts: Parts): OpenedCatalog {
  const { live, policy, pool, links, memory, replicas, results, largeAnswers, safety, executions, programs } =
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
  const primitives = createPrimitives({
    upstreams: pool.upstreams,
    links,
    guard: introductions.guard,
    isCounted: introductions.isShown,
    isAllowed: (operation, args, caller) => policy.rules.decide(operation, args, caller).effect === 'allow',
    onDiagnostic: (upstream, message) => observe({ kind: 'diagnostic', severity: 'warning', upstream, message }),
    onListChanged: (kind, upstream) => audiences.listChanged(kind, upstream),
    onResourceUpdated: (uri, subscribers) => audiences.tell((listener) => listener.resourceUpdated(uri, subscribers)),
  });
  const snapshotServices = {
    get config() {
      return live.config;
    },
    policy: describePolicy(policy),
    results,
    readPart: largeAnswers.readPart,
    usage,
    primitives,
    ...(safety === undefined ? {} : { safety }),
    executions: executions?.inSnapshots,
    programs: programs?.inSnapshots,
    connections: {
      absenceOf: (slug: string) => pool.upstreams.get(slug)?.absence(),
      introductionOf: introductions.of,
      retryNow: (slug: string) => pool.upstreams.get(slug)?.retryNow(),
    },
  };
  const views = new Views(config.views, snapshotServices);
  const catalog = createLiveCatalog({
    buildFirst: (offered) => buildSnapshot({ ...offered, ...snapshotServices, config: live.config, handlers }),
    async build(offered) {
      const input = { ...offered, ...snapshotServices, config: live.config, handlers };
      const snapshot = await rebuildSnapshot(input);
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
  parts.add('views', { apply: ({ config: next }) => views.replace(next.views) });
  return { catalog, views, handlers, primitives, introductions, usage, audiences };
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
  const known = new Set(before.catalog.diagnostics.concat(before.plan.diagnostics).map(({ message }) => message));
  for (const diagnostic of after.catalog.diagnostics.concat(after.plan.diagnostics)) {
    if (!known.has(diagnostic.message)) reportDiagnostic(diagnostic, observe, audit);
  }
}
