import { Pauses } from '../base/pauses/pauses.js';
import type { Operation } from '../base/protocol/operation.js';
import type { Diagnostic, ToolSet } from '../base/protocol/tools.js';
import type { CatalogUpstream } from './account/read-only-account.js';
import type { Catalog, CatalogPart, WholeCatalog } from './catalog.js';
import { createOperation, type DraftOperation } from './create-operation.js';
import { type Drafts, draftOperations } from './draft-operations.js';
import { type CreatedOperation, ToolRecords } from './integrity/tool-record.js';
import { exposeNames, type NameHolders, type NameRules } from './names.js';
import { createNameResolver } from './resolve-name.js';

export interface CatalogInput {
  /** What each upstream offered; several sets of one upstream are one list. */
  readonly toolSets: readonly ToolSet[];
  /** The records of their tools, which go on from one catalog to the next; new ones where absent. */
  readonly records?: ToolRecords;
  readonly upstreams: readonly CatalogUpstream[];
  /** The gateway's own operations; no upstream's operation gets one of their names. */
  readonly builtins: readonly Operation[];
  /** Bare names that stay with one upstream, by slug. */
  readonly pins: Readonly<Record<string, string>>;
  /** Who held which bare name before; nobody held any where absent. */
  readonly holders?: NameHolders | undefined;
  /** Upstreams, by slug, that have never been seen and may own any name: while there are some, new names stay qualified. */
  readonly awaited?: readonly string[] | undefined;
  /** Ignores the annotations that upstreams give their own tools. */
  readonly ignoreAnnotations?: boolean;
}

/**
 * Builds the catalog of everything that the gateway offers. Pure: the same input, in any order, gives the same catalog.
 * Compiles no schema, and never throws for what a server sent: an unusable tool is left out with a diagnostic.
 */
export function buildCatalog(input: CatalogInput): WholeCatalog {
  return finishCatalog(nameOperations(draftCatalog(input)));
}

/** A catalog whose operations have no names yet. */
export interface CatalogDraft {
  readonly input: CatalogInput;
  readonly drafts: readonly Drafts[];
}

/** A catalog whose operations have names and are not created yet. */
interface NamedCatalog {
  readonly input: CatalogInput;
  readonly operations: readonly NamedDraft[];
  readonly scope: Omit<NameRules, 'holders'> & { readonly waiting: boolean };
  readonly holders: NameHolders;
  readonly diagnostics: readonly Diagnostic[];
}

/** An operation that can be created at any time, once. */
class NamedDraft {
  readonly #create: () => CreatedOperation;
  #created: CreatedOperation | undefined;

  constructor(create: () => CreatedOperation) {
    this.#create = create;
  }

  create(): CreatedOperation {
    this.#created ??= this.#create();
    return this.#created;
  }
}

/** Decides which operations there are. */
export function draftCatalog(input: CatalogInput): CatalogDraft {
  const { records = new ToolRecords() } = input;
  const upstreams = input.upstreams.toSorted(bySlug);
  const draft = (upstream: CatalogUpstream): Drafts =>
    draftOperations(upstream, toolsOf(upstream, input.toolSets), records);
  return { input, drafts: upstreams.map(draft) };
}

/** Decides what they are called: of ten thousand in a turn of its own. */
export function nameOperations({ input, drafts }: CatalogDraft): NamedCatalog {
  const { upstreams, builtins, pins, holders = NO_HOLDERS, awaited = [], ignoreAnnotations = false } = input;
  const all = drafts.flatMap((draft) => draft.drafts);
  const requests = all.map(({ upstream, localName }) => ({ upstream: upstream.slug, localName }));
  const configured = new Set(upstreams.map(({ slug }) => slug));
  const scope = { builtins: new Set(builtins.map(({ name }) => name)), pins, configured, waiting: awaited.length > 0 };
  const exposed = exposeNames(requests, { ...scope, holders });
  const create = (draft: DraftOperation, index: number): CreatedOperation =>
    createOperation(draft, exposed.names[index] ?? draft.localName, ignoreAnnotations);
  return {
    input,
    operations: all.map((draft, index) => new NamedDraft(() => create(draft, index))),
    scope,
    holders: exposed.holders,
    diagnostics: [...drafts.flatMap((draft) => draft.diagnostics), ...exposed.diagnostics],
  };
}

/** Creates the operations of a draft, which takes most of the time that a catalog takes; calls are served meanwhile. */
export async function createOperations({ operations }: Pick<NamedCatalog, 'operations'>): Promise<void> {
  const pauses = new Pauses();
  for (const operation of operations) {
    operation.create();
    await pauses.due();
  }
}

/** The catalog of its operations. Those that have been created before are the same ones. */
export function finishCatalog({ input, operations: drafts, scope, holders, diagnostics }: NamedCatalog): WholeCatalog {
  const created = drafts.map((draft) => draft.create());
  const operations = [...input.builtins, ...created.flatMap(({ operation }) => operation ?? [])].sort(byName);
  const find = indexByName(operations);
  const names = createNameResolver(operations, { ...scope, holders, find });
  const catalog: WholeCatalog = {
    operations,
    diagnostics: [
      ...diagnostics,
      ...created.flatMap((each) => each.diagnostics),
      ...findUnknownUpstreams(input),
      ...(input.awaited ?? []).map(describeAwaited),
    ],
    upstreams: [...scope.configured].sort(),
    holders,
    find,
    ...names,
    within: (part) => takePart(catalog, part, names.within(part)),
  };
  return catalog;
}

function takePart(whole: Catalog, { show, upstreams }: CatalogPart, names: Pick<Catalog, 'resolve'>): Catalog {
  return {
    operations: whole.operations.flatMap((operation) => show(operation) ?? []),
    diagnostics: whole.diagnostics.filter(({ upstream }) => upstreams.has(upstream)),
    upstreams: whole.upstreams.filter((slug) => upstreams.has(slug)),
    holders: whole.holders,
    find(name) {
      const operation = whole.find(name);
      return operation === undefined ? undefined : show(operation);
    },
    ...names,
    whole,
  };
}

const NO_HOLDERS: NameHolders = new Map();

function indexByName(operations: readonly Operation[]): Catalog['find'] {
  const byAnyName = new Map<string, Operation>();
  for (const operation of operations) {
    byAnyName.set(operation.name, operation).set(operation.qualifiedName, operation);
  }
  return byAnyName.get.bind(byAnyName);
}

function describeAwaited(upstream: string): Diagnostic {
  const message = `'${upstream}' has never listed its tools and may offer any name: new operations of other upstreams have qualified names until it does, or has had time to`;
  return { severity: 'info', kind: 'names-wait', upstream, message };
}

function toolsOf({ slug }: CatalogUpstream, toolSets: readonly ToolSet[]): ToolSet {
  return { upstream: slug, tools: toolSets.filter((set) => set.upstream === slug).flatMap((set) => set.tools) };
}

/** Tools of, or names pinned to, an upstream that is not configured. */
function findUnknownUpstreams({ toolSets, upstreams, pins }: CatalogInput): readonly Diagnostic[] {
  const known = new Set(upstreams.map(({ slug }) => slug));
  const unknown = new Set(toolSets.map((set) => set.upstream).filter((upstream) => !known.has(upstream)));
  const unknownPins = Object.entries(pins).filter(([, upstream]) => !known.has(upstream));
  return [
    ...[...unknown].sort().map((upstream): Diagnostic => {
      const message = `Tools of '${upstream}' are left out: no upstream of that name is configured`;
      return { severity: 'warning', kind: 'upstream-unknown', upstream, message };
    }),
    ...unknownPins.sort().map(([name, upstream]): Diagnostic => {
      const message = `'${name}' is pinned to '${upstream}', which is not configured: no operation has the bare name`;
      return { severity: 'warning', kind: 'pin-unknown', upstream, message };
    }),
  ];
}

function bySlug(a: CatalogUpstream, b: CatalogUpstream): number {
  return a.slug < b.slug ? -1 : 1;
}

function byName(a: Operation, b: Operation): number {
  return a.name < b.name ? -1 : 1;
}

interface CatalogDifference {
  /** Exposed names that are new. */
  readonly added: readonly string[];
  /** Exposed names that are gone. */
  readonly removed: readonly string[];
  /** Names, bare or qualified, that now call something else than before. */
  readonly changed: readonly string[];
}

/** The differences that matter to a caller who knows the earlier catalog. */
export function diffCatalogs(before: Catalog, after: Catalog): CatalogDifference {
  const exposedBefore = new Set(before.operations.map(({ name }) => name));
  const exposedAfter = new Set(after.operations.map(({ name }) => name));
  const known = new Set(before.operations.flatMap(({ name, qualifiedName }) => [name, qualifiedName]));
  const changed: string[] = [];
  for (const name of known) {
    const [then, now] = [before.find(name), after.find(name)];
    // Most operations are the same objects in both.
    if (then !== now && then !== undefined && now !== undefined && targetOf(then) !== targetOf(now)) changed.push(name);
  }
  return {
    added: [...exposedAfter].filter((name) => !exposedBefore.has(name)),
    removed: [...exposedBefore].filter((name) => !exposedAfter.has(name)),
    changed: changed.sort(byText),
  };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** What a call of the operation reaches: the upstream, its tool and the fixed arguments. */
function targetOf({ upstream, tool, fixedArguments = {} }: Operation): string {
  return JSON.stringify([upstream, tool, Object.entries(fixedArguments).sort()]);
}
