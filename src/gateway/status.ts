import { oncePer } from '../base/lib/collections.js';
import type { AccountFact } from '../base/protocol/account-fact.js';
import type { Category, Operation } from '../base/protocol/operation.js';
import type { OtherReplicas } from '../base/protocol/other-replicas.js';
import type { Diagnostic } from '../base/protocol/tools.js';
import type { JournalState } from '../policy/audit/journal/writer.js';
import type { StoreState } from '../policy/policy.js';
import type { UpstreamStatus } from '../upstream/upstream.js';
import { explainUnknown } from './pipeline/not-found.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { ReadOnlyAccounts } from './read-only-accounts.js';
import type { ReloadState } from './reload.js';

/** The current status of one upstream. */
export interface UpstreamSummary extends UpstreamStatus {
  /** What has been asked of the account behind its connection; absent where nothing has. */
  readonly account?: readonly AccountFact[];
}

/** An operation with its family and its MCP tool. */
export interface PlacedOperation {
  readonly operation: Operation;
  readonly family: string;
  readonly tool: string;
}

export interface GatewayStatus {
  /** Each required upstream, and at least one, is connected and in the catalog, or starts with the next call, or none is enabled. */
  readonly ready: boolean;
  readonly upstreams: readonly UpstreamSummary[];
  readonly operations: number;
  readonly families: readonly { readonly name: string; readonly tool: string; readonly operations: number }[];
  readonly categories: Readonly<Record<Category, number>>;
  readonly diagnostics: readonly Diagnostic[];
  /** The last time that the configuration was read anew; absent where it has not been. */
  readonly reload?: ReloadState | undefined;
  /** What the gateway itself depends on: `degraded` where the journal has lost records. */
  readonly state: {
    readonly audit: DependencyState;
    readonly store: DependencyState;
    /** Absent where the store is of one machine. */
    readonly replicas?: ReplicasState;
  };
}

/** What the gateway depends on, as it is now. */
interface DependencyState {
  readonly state: 'ok' | 'degraded' | 'failing';
  readonly problem?: string | undefined;
}

/** `degraded` where another gateway of the store is configured differently. */
export interface ReplicasState extends DependencyState, OtherReplicas {}

/** What a running gateway's status is read from, besides its snapshot and its upstreams. */
export interface StatusParts {
  readonly policy: { readonly audit: { state(): JournalState }; storeState(): StoreState };
  readonly reloader: { state(): ReloadState | undefined };
  readonly introductions: { readonly guard: { findings(): readonly Diagnostic[] } };
  readonly replicas: { state(): ReplicasState } | undefined;
  readonly catalog: { lacks(slug: string): boolean };
  readonly accounts: Pick<ReadOnlyAccounts, 'factsOf'>;
}

/** The status of the whole, or of what a view shows. */
export function statusOf(
  snapshot: Snapshot,
  upstreams: readonly UpstreamStatus[],
  { policy, reloader, introductions, replicas, catalog, accounts }: StatusParts,
): GatewayStatus {
  const dependencies = describeDependencies(policy.audit.state(), policy.storeState(), replicas?.state());
  const withFacts = upstreams.map((upstream): UpstreamSummary => {
    const account = accounts.factsOf(upstream.slug);
    return account.length === 0 ? upstream : { ...upstream, account };
  });
  return describeStatus(snapshot, withFacts, dependencies, {
    findings: introductions.guard.findings(),
    reload: reloader.state(),
    lacks: (slug) => catalog.lacks(slug),
  });
}

function describeDependencies(
  audit: JournalState,
  store: StoreState,
  replicas: ReplicasState | undefined,
): GatewayStatus['state'] {
  return {
    audit: describeJournal(audit),
    store: store.failing ? { state: 'failing', problem: store.problem } : { state: 'ok' },
    ...(replicas && { replicas }),
  };
}

function describeJournal({ failing, lost }: JournalState): DependencyState {
  if (failing) return { state: 'failing', problem: 'the audit journal cannot be written' };
  if (lost === 0) return { state: 'ok' };
  return { state: 'degraded', problem: `the audit journal has lost ${lost} records since the start` };
}

/** The gateway in figures, for status pages and the command line. */
export function describeStatus(
  snapshot: Snapshot,
  upstreams: readonly UpstreamSummary[],
  state: GatewayStatus['state'],
  {
    findings = [],
    reload,
    lacks,
  }: {
    readonly findings?: readonly Diagnostic[];
    readonly reload?: ReloadState | undefined;
    /** Whether the catalog does not know yet what an upstream has; of a captured one it knows all. */
    readonly lacks?: (slug: string) => boolean;
  } = {},
): GatewayStatus {
  const { catalog, plan } = snapshot;
  const { inFamily, categories } = countsOf(snapshot);
  return {
    ready: isReady(upstreams, lacks),
    upstreams,
    operations: catalog.operations.length,
    families: plan.families.map(({ name }) => ({
      name,
      tool: plan.toolOfFamily(name),
      operations: inFamily.get(name) ?? 0,
    })),
    categories,
    diagnostics: [...catalog.diagnostics, ...plan.diagnostics, ...findings],
    state,
    reload,
  };
}

interface OperationCounts {
  readonly inFamily: ReadonlyMap<string, number>;
  readonly categories: GatewayStatus['categories'];
}

/** A snapshot does not change, and its status is asked for again and again. */
const countsOf = oncePer(({ catalog, plan }: Snapshot): OperationCounts => {
  const inFamily = new Map<string, number>();
  const categories: Record<Category, number> = { CREATE: 0, READ: 0, UPDATE: 0, DELETE: 0, EXECUTE: 0 };
  for (const operation of catalog.operations) {
    const { name } = plan.familyOf(operation);
    inFamily.set(name, (inFamily.get(name) ?? 0) + 1);
    categories[operation.classification.category] += 1;
  }
  return { inFamily, categories };
});

function isReady(upstreams: readonly UpstreamStatus[], lacks: (slug: string) => boolean = () => false): boolean {
  const enabled = upstreams.filter(({ state }) => state !== 'disabled');
  const callable = enabled.filter(({ state, slug }) => canBeCalled(state) && !lacks(slug));
  const required = enabled.filter(({ required: isRequired }) => isRequired === true);
  return (enabled.length === 0 || callable.length > 0) && required.every((each) => callable.includes(each));
}

const CALLABLE: ReadonlySet<UpstreamStatus['state']> = new Set(['ready', 'degraded', 'dormant']);

/** Whether it is connected in this state, or starts with a call. */
export function canBeCalled(state: UpstreamStatus['state']): boolean {
  return CALLABLE.has(state);
}

/** An operation by its name, or why there is none. */
export type NamedOperation =
  | { readonly kind: 'found'; readonly placed: PlacedOperation }
  | { readonly kind: 'none'; readonly explanation: string };

/** The operation that a caller would reach by the name, else the answer to such a call in words. */
export async function findOperation(snapshot: Snapshot, name: string): Promise<NamedOperation> {
  const operation = snapshot.catalog.find(name);
  if (operation === undefined) {
    return { kind: 'none', explanation: await explainUnknown(name, snapshot) };
  }
  return { kind: 'found', placed: placeOperation(operation, snapshot.plan) };
}

/** Every operation of a snapshot with its family and tool. */
export function placeOperations({ catalog, plan }: Snapshot): readonly PlacedOperation[] {
  return catalog.operations.map((operation) => placeOperation(operation, plan));
}

function placeOperation(operation: Operation, plan: Snapshot['plan']): PlacedOperation {
  return { operation, family: plan.familyOf(operation).name, tool: plan.toolFor(operation) };
}
