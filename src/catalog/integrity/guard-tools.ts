import { cutText } from '../../base/lib/text.js';
import type { Diagnostic, ToolSet } from '../../base/protocol/tools.js';
import type { LockContent, UpstreamConfig } from '../../config/gateway-config.js';
import {
  compareTools,
  type DefinitionChange,
  isKnownTool,
  type KnownTools,
  knowTools,
  listAsNew,
} from './compare-tools.js';
import type { ToolRecord, ToolRecords } from './tool-record.js';

export interface GuardInput {
  readonly toolSets: readonly ToolSet[];
  readonly upstreams: readonly UpstreamConfig[];
  /** What the operator accepted; null when there is no lock. */
  readonly lock: LockContent | null;
  /** What each upstream, by slug, offered first since the start; compared with where there is no lock. */
  readonly firstToolSets: ReadonlyMap<string, ToolSet>;
  /** The records of all these tools. */
  readonly records: ToolRecords;
  /** What messages call one of them; a tool where absent. */
  readonly what?: string;
}

/** A tool that may not be called until an operator accepts it. */
export interface WithheldTool {
  /** By slug. */
  readonly upstream: string;
  readonly tool: string;
  readonly kind: 'new' | 'changed';
  /** What an operator types to accept it. */
  readonly acceptance: string;
}

export interface GuardedTools {
  /** The tools that get names: changed ones too, so that no other tool takes their names while they are withheld. */
  readonly toolSets: readonly ToolSet[];
  readonly withheld: readonly WithheldTool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Keeps a log line short; the `lock` command shows everything. */
const MAX_DETAILS = 900;

/**
 * Compares what upstreams offer with what was accepted, as far as each upstream's `integrity` asks. Under quarantine, new
 * tools are left out and changed ones are withheld.
 */
export function guardTools(input: GuardInput): GuardedTools {
  const bySlug = new Map(input.upstreams.map((upstream) => [upstream.slug, upstream]));
  const guarded = input.toolSets.map((toolSet): GuardedUpstream => {
    const upstream = bySlug.get(toolSet.upstream);
    return upstream === undefined || upstream.integrity === 'off'
      ? { toolSet, withheld: [], diagnostics: [] }
      : guardUpstream(upstream, toolSet, input);
  });
  return {
    toolSets: guarded.map(({ toolSet }) => toolSet),
    withheld: guarded.flatMap(({ withheld }) => withheld),
    diagnostics: guarded.flatMap(({ diagnostics }) => diagnostics),
  };
}

interface GuardedUpstream {
  readonly toolSet: ToolSet;
  readonly withheld: readonly WithheldTool[];
  readonly diagnostics: readonly Diagnostic[];
}

function guardUpstream(upstream: UpstreamConfig, toolSet: ToolSet, input: GuardInput): GuardedUpstream {
  // Without a lock, a list is the first one again at each start and as long as an upstream's own stays the same.
  if (isTrusted(upstream, toolSet, input)) return { toolSet, withheld: [], diagnostics: [] };
  const known = findKnown(upstream, input);
  const changes = known === undefined ? listAsNew(toolSet, input.records) : compareTools(toolSet, known, input.records);
  const diagnostics =
    known === undefined
      ? describeUnknown(upstream, changes.length, input)
      : changes.map((change) => describeChange(change, upstream, input));
  if (upstream.integrity !== 'quarantine') return { toolSet, withheld: [], diagnostics };
  const withheld = changes.flatMap(({ kind, tool }): readonly WithheldTool[] =>
    kind === 'vanished' ? [] : [{ upstream: upstream.slug, tool, kind, acceptance: acceptanceOf(upstream, tool) }],
  );
  const unnamed = new Set(withheld.filter(({ kind }) => kind === 'new').map(({ tool }) => tool));
  const tools = toolSet.tools.filter((tool) => !unnamed.has(String(tool?.['name'])));
  return { toolSet: { ...toolSet, tools }, withheld, diagnostics };
}

/**
 * Undefined where there is nothing to compare with. Without a lock, the first list is trusted, but never under quarantine:
 * removing the file must not accept everything.
 */
function findKnown(upstream: UpstreamConfig, { lock, firstToolSets, records }: GuardInput): KnownTools | undefined {
  if (lock !== null) return Object.hasOwn(lock.upstreams, upstream.name) ? lock.upstreams[upstream.name] : undefined;
  const first = upstream.integrity === 'quarantine' ? undefined : firstToolSets.get(upstream.slug);
  return first === undefined ? undefined : knowTools(first, records);
}

/** Whether there is nothing to compare the list with, and nothing that is withheld for it. */
function isTrusted(
  { slug, integrity }: UpstreamConfig,
  toolSet: ToolSet,
  { lock, firstToolSets }: GuardInput,
): boolean {
  const first = firstToolSets.get(slug);
  return lock === null && integrity !== 'quarantine' && (first === undefined || first.tools === toolSet.tools);
}

/** Whether an operator has accepted the tool as it is, which is to have read it. */
export function isAccepted(
  tool: ToolRecord,
  upstream: UpstreamConfig | undefined,
  { lock, records }: Pick<GuardInput, 'lock' | 'records'>,
): boolean {
  if (lock === null || upstream === undefined || !Object.hasOwn(lock.upstreams, upstream.name)) return false;
  return isKnownTool(tool, lock.upstreams[upstream.name] ?? {}, records);
}

/** A suspicion, and what ends it: where the lock holds the tool as it is, people have read it, and it is no warning. */
export function reportSuspicion(
  found: Pick<Diagnostic, 'kind' | 'upstream' | 'message'> & { readonly tool: string },
  isReviewed: boolean,
): Diagnostic {
  if (isReviewed) return { severity: 'info', ...found };
  const message = `${found.message}. Once read, 'mcp-aql-gateway lock --accept' takes it as it is`;
  return { severity: 'warning', ...found, message };
}

/** One diagnostic for a whole upstream, as a hundred would hide the others. */
function describeUnknown(
  upstream: UpstreamConfig,
  tools: number,
  { lock, what = 'tool' }: GuardInput,
): readonly Diagnostic[] {
  // Where nothing was accepted and nothing is withheld, there is nothing to report.
  if (tools === 0 || (lock === null && upstream.integrity !== 'quarantine')) return [];
  const { name, slug, integrity } = upstream;
  const why = lock === null ? "there is no gateway.lock.json; 'mcp-aql-gateway lock' writes one" : acceptWith(name);
  const state = integrity === 'quarantine' ? 'quarantined' : 'unreviewed';
  const message =
    tools === 1
      ? `1 ${what} of '${name}' is ${state}, as it has not been accepted: ${why}`
      : `The ${tools} ${what}s of '${name}' are ${state}, as none of them has been accepted: ${why}`;
  return [{ severity: 'warning', kind: 'definition-new', upstream: slug, message }];
}

const PHRASES: Readonly<Record<DefinitionChange['kind'], (since: string) => string>> = {
  new: (since) => `is new since ${since}`,
  changed: (since) => `has changed since ${since}`,
  vanished: () => 'is no longer offered',
};

function describeChange(
  change: DefinitionChange,
  upstream: UpstreamConfig,
  { lock, what: noun = 'tool' }: GuardInput,
): Diagnostic {
  const { kind, tool, details } = change;
  const since = lock === null ? 'it was first offered' : 'it was accepted';
  const what = PHRASES[kind](kind === 'new' ? (lock === null ? 'the start' : 'the lock was written') : since);
  const listed = details.length === 0 ? '' : `: ${cutText(details.join('; '), MAX_DETAILS)}`;
  const held = upstream.integrity === 'quarantine' && kind !== 'vanished' ? ' It is quarantined:' : '';
  const next = lock === null ? '' : `.${held} ${acceptWith(acceptanceOf(upstream, tool))}`;
  const message = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} '${tool}' of '${upstream.name}' ${what}${listed}${next}`;
  return { severity: 'warning', kind: `definition-${kind}`, upstream: upstream.slug, tool, message };
}

function acceptanceOf(upstream: UpstreamConfig, tool: string): string {
  return `${upstream.name}::${tool}`;
}

function acceptWith(subject: string): string {
  return `'mcp-aql-gateway lock --accept ${subject}' accepts ${subject.includes('::') ? 'it' : 'them'}`;
}
