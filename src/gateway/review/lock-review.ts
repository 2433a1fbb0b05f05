import { groupBy } from '../../base/lib/collections.js';
import { readDefinition, UNREADABLE } from '../../base/protocol/fingerprint-tool.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import type { ToolSet } from '../../base/protocol/tools.js';
import { createOperations, draftCatalog, finishCatalog, nameOperations } from '../../catalog/build-catalog.js';
import { compilePlacement } from '../../catalog/endpoint/place-operation.js';
import { compareTools, type DefinitionChange } from '../../catalog/integrity/compare-tools.js';
import { type DefinitionKind, isOfKind } from '../../catalog/integrity/definition-guard.js';
import { type ScreenedTool, screenTools } from '../../catalog/integrity/screen-tools.js';
import { ToolRecords } from '../../catalog/integrity/tool-record.js';
import type {
  GatewayConfig,
  LockContent,
  LockedOperation,
  LockedTool,
  LockedUpstream,
} from '../../config/gateway-config.js';
import type { Inspected } from '../gateway.js';

export type { DefinitionKind } from '../../catalog/integrity/definition-guard.js';

/** One tool that differs from the lock. */
export interface ToolDifference {
  /** The configured name. */
  readonly upstream: string;
  /** In the upstream's spelling. */
  readonly tool: string;
  /** `reclassified`: the definition is the accepted one, but the gateway classifies it differently. */
  readonly kind: DefinitionChange['kind'] | 'reclassified';
  /** Absent for a tool: a prompt, a template, or what a server says of itself is none. */
  readonly isTool?: false;
  /** A line for each change, for people. */
  readonly details: readonly string[];
}

/** What the upstreams offer now, in the form of a lock. */
export interface CurrentDefinitions extends LockContent {
  /** By configured name. What could not be read counts as it was accepted. */
  readonly unread: Readonly<Record<string, Unread>>;
}

/** Which differences are accepted: all, those of whole upstreams, or those of single tools. */
export type Acceptance = 'everything' | readonly { readonly upstream: string; readonly tool?: string }[];

/** The lock of an upstream that has none. */
const NO_TOOLS: LockedUpstream = Object.freeze({});

/** What could not be read of an upstream now: all of it, or some kinds of definitions beside tools. */
type Unread = 'everything' | readonly DefinitionKind[];

/** Everything that the upstreams offer now. Upstreams without a list are left out. */
export async function describeTools(gateway: Inspected): Promise<CurrentDefinitions> {
  const names = new Map(gateway.config.upstreams.map(({ slug, name }) => [slug, name]));
  const nameOf = (slug: string): string => names.get(slug) ?? slug;
  const upstreams = await describeToolSets(gateway, nameOf);
  const away = [...names.values()].filter((name) => !Object.hasOwn(upstreams, name));
  const unlisted = away.map((name): readonly [string, Unread] => [name, 'everything']);
  const definitions = await gateway.definitions();
  if (definitions === undefined) return { version: 1, upstreams, unread: Object.fromEntries(unlisted) };
  const others = describeAll(definitions, nameOf, () => []);
  const partly = definitions
    .filter(({ unread }) => unread.length > 0)
    .map((set): readonly [string, Unread] => [nameOf(set.upstream), set.unread]);
  return {
    version: 1,
    upstreams,
    others,
    unread: Object.fromEntries([...unlisted, ...partly]),
  };
}

async function describeToolSets(gateway: Inspected, nameOf: NameOf): Promise<LockContent['upstreams']> {
  const toolSets = gateway.toolSets();
  const placed = groupBy(gateway.operations(), keyOfOperation);
  const withheld = await judgeWithheld(gateway.config, toolSets, placed);
  const isJudged = groupBy(withheld, keyOfOperation);
  return describeAll(toolSets, nameOf, (key) => placed.get(key) ?? isJudged.get(key) ?? []);
}

/** Tools that are withheld have no operations: how they would be classified is what an operator accepts. */
async function judgeWithheld(
  config: Inspected['config'],
  toolSets: readonly ToolSet[],
  placed: ReadonlyMap<string, unknown>,
): Promise<readonly JudgedOperation[]> {
  const guarded = new Set(config.upstreams.flatMap(({ slug, integrity }) => (integrity === 'off' ? [] : [slug])));
  const unplaced = toolSets.flatMap(({ upstream, tools }) => {
    const left = tools.filter((tool) => !placed.has(keyOf(upstream, String(tool?.['name']))));
    return guarded.has(upstream) && left.length > 0 ? [{ upstream, tools: left }] : [];
  });
  return unplaced.length === 0 ? [] : judgeTools(config, unplaced);
}

type NameOf = (slug: string) => string;

/** By configured name. @param operationsOf a tool, by its key */
function describeAll(
  toolSets: readonly ToolSet[],
  nameOf: NameOf,
  operationsOf: (key: string) => readonly JudgedOperation[],
): LockContent['upstreams'] {
  const entries = toolSets.map((toolSet) => {
    const described = screenTools(toolSet, new ToolRecords()).tools.flatMap((tool) =>
      describeTool(tool, operationsOf(keyOf(toolSet.upstream, tool.name))),
    );
    return [nameOf(toolSet.upstream), Object.fromEntries(described)] as const;
  });
  return Object.fromEntries(entries);
}

function keyOfOperation({ operation: { upstream, tool } }: JudgedOperation): string {
  return keyOf(upstream, tool);
}

function keyOf(upstream: string, tool: string): string {
  return `${upstream}\n${tool}`;
}

/** What the upstreams offer now, and what was accepted of what could not be read: nobody can say that it is gone. */
function withUnread({ unread, ...current }: CurrentDefinitions, lock: LockContent): LockContent {
  const upstreams = new Map(Object.entries(current.upstreams));
  const others = new Map(Object.entries(current.others ?? {}));
  for (const [name, kinds] of Object.entries(unread)) {
    const accepted = ownMember(lock.upstreams, name);
    if (kinds === 'everything' && accepted !== undefined) upstreams.set(name, accepted);
    const beside = Object.entries(ownMember(lock.others ?? {}, name) ?? {});
    const kept = beside.filter(([key]) => kinds === 'everything' || kinds.some((kind) => isOfKind(key, kind)));
    if (kept.length > 0) others.set(name, { ...others.get(name), ...Object.fromEntries(kept) });
  }
  const isCaptured = current.others === undefined;
  return {
    ...current,
    upstreams: Object.fromEntries(upstreams),
    ...(isCaptured ? {} : { others: Object.fromEntries(others) }),
  };
}

function describeTool(
  { name, raw, record: { fingerprint } }: ScreenedTool,
  operations: readonly JudgedOperation[],
): readonly (readonly [string, LockedTool])[] {
  if (fingerprint === UNREADABLE) return [];
  const judged = Object.fromEntries(operations.map((each) => [localNameOf(each.operation), judge(each)]));
  return [[name, { fingerprint, operations: judged, definition: readDefinition(raw) }]];
}

function judge({ operation, family }: JudgedOperation): LockedOperation {
  const { category, danger } = operation.classification;
  return { category, danger: danger.level, family };
}

/** An operation's name within its upstream: it stays the same whatever other upstreams offer. */
export function localNameOf({ qualifiedName, upstream }: Operation): string {
  return qualifiedName.slice(upstream.length + QUALIFIER.length);
}

/** Every tool that differs from the lock, for the upstreams that were read. */
export async function compareWithLock(
  definitions: CurrentDefinitions,
  lock: LockContent,
): Promise<readonly ToolDifference[]> {
  const current = withUnread(definitions, lock);
  const tools = await compareAll(current.upstreams, lock.upstreams);
  const others = await compareAll(current.others ?? {}, lock.others ?? {});
  return [...tools, ...others.map((difference) => ({ ...difference, isTool: false as const }))];
}

async function compareAll(
  now: LockContent['upstreams'],
  before: LockContent['upstreams'],
): Promise<readonly ToolDifference[]> {
  const differences: (readonly ToolDifference[])[] = [];
  for (const [upstream, tools] of Object.entries(now).sort(([a], [b]) => (a < b ? -1 : 1))) {
    differences.push(await compareUpstream(upstream, tools, ownMember(before, upstream) ?? NO_TOOLS));
  }
  return differences.flat();
}

async function compareUpstream(
  upstream: string,
  tools: LockedUpstream,
  locked: LockedUpstream,
): Promise<readonly ToolDifference[]> {
  const offered = { upstream, tools: Object.values(tools).map(({ definition }) => definition) };
  const changes = new Map(compareTools(offered, locked, new ToolRecords()).map((change) => [change.tool, change]));
  const names = [...new Set([...Object.keys(tools), ...Object.keys(locked)])].sort();
  return names.flatMap((tool): readonly ToolDifference[] => {
    const { kind = 'reclassified', details = [] } = changes.get(tool) ?? {};
    const [before, now] = [ownMember(locked, tool), ownMember(tools, tool)];
    const judged =
      before === undefined || now === undefined ? [] : compareOperations(before.operations, now.operations);
    const all = [...details, ...judged];
    return kind === 'reclassified' && all.length === 0 ? [] : [{ upstream, tool, kind, details: all }];
  });
}

/** How the gateway classified a tool before and now. The family is not compared: it follows from this and the profile. */
function compareOperations(before: LockedTool['operations'], now: LockedTool['operations']): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [old, current] = [ownMember(before, name), ownMember(now, name)];
    const [then, today] = [old, current].map((each) => (each === undefined ? 'absent' : showJudgement(each)));
    return then === today ? [] : [`operation '${name}': ${then} -> ${today}`];
  });
}

/** Category and danger in the form that is compared. */
export function showJudgement({ category, danger }: Pick<LockedOperation, 'category' | 'danger'>): string {
  return `${category} ${danger}`;
}

/** The lock after the accepted differences are applied. Entries of other upstreams and tools, and of what was not read, stay unchanged. */
export function acceptTools(lock: LockContent, definitions: CurrentDefinitions, acceptance: Acceptance): LockContent {
  const current = withUnread(definitions, lock);
  const everything: Exclude<Acceptance, string> = Object.keys(current.upstreams).map((upstream) => ({ upstream }));
  const accepted = acceptance === 'everything' ? everything : acceptance;
  const upstreams = accept(lock.upstreams, current.upstreams, accepted);
  const { others = {} } = lock;
  // Captured lists hold tools alone.
  const beside = current.others === undefined ? others : accept(others, current.others, accepted);
  const kept = Object.entries(beside).filter(([, definitions]) => Object.keys(definitions).length > 0);
  return { version: 1, upstreams, ...(kept.length === 0 ? {} : { others: Object.fromEntries(kept) }) };
}

function accept(
  locked: LockContent['upstreams'],
  current: LockContent['upstreams'],
  acceptance: Exclude<Acceptance, string>,
): LockContent['upstreams'] {
  const upstreams = new Map(Object.entries(locked));
  for (const { upstream, tool } of acceptance) {
    const offered = ownMember(current, upstream);
    const accepted = tool === undefined ? offered : acceptTool(upstreams.get(upstream) ?? NO_TOOLS, offered, tool);
    if (accepted === undefined) upstreams.delete(upstream);
    else upstreams.set(upstream, accepted);
  }
  return Object.fromEntries(upstreams);
}

function acceptTool(locked: LockedUpstream, offered: LockedUpstream | undefined, tool: string): LockedUpstream {
  const others = Object.entries(locked).filter(([name]) => name !== tool);
  const now = ownMember(offered ?? NO_TOOLS, tool);
  return Object.fromEntries(now === undefined ? others : [...others, [tool, now]]);
}

/** An own member only: a tool may be called `constructor`. */
function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An operation with its family. */
interface JudgedOperation {
  readonly operation: Operation;
  readonly family: string;
}

/** The operations that tools make under a configuration, whether they are withheld or not. Their bare names need not be those of the whole. */
export async function judgeTools(
  { upstreams, endpoint }: Pick<GatewayConfig, 'upstreams' | 'endpoint'>,
  toolSets: readonly ToolSet[],
): Promise<readonly JudgedOperation[]> {
  const place = compilePlacement(endpoint.profile);
  const named = nameOperations(draftCatalog({ toolSets, upstreams, builtins: [], pins: {} }));
  await createOperations(named);
  const judged = finishCatalog(named).operations.filter(({ upstream }) => upstream !== GATEWAY_SOURCE);
  return judged.map((operation) => ({ operation, family: place(operation).name }));
}
