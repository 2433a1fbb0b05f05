import { isJsonObject } from '../base/json/json.js';
import { groupBy } from '../base/lib/collections.js';
import { toSnakeCase } from '../base/lib/names.js';
import { type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { Diagnostic, RawTool, ToolSet } from '../base/protocol/tools.js';
import { mapInSteps, runAtOnce, type Sliced } from '../base/turns/turns.js';
import { buildCatalogInSlices, type CatalogInput } from './build-catalog.js';
import type { Catalog, Resolution, WholeCatalog } from './catalog.js';
import { type GuardInput, guardTools, type WithheldTool } from './integrity/guard-tools.js';
import { inspectDefinition } from './integrity/inspect-definition.js';

/** The catalog of what may be offered, with diagnostics for definitions that differ from what was accepted or look hostile. */
export function buildGuardedCatalog(input: CatalogInput & GuardInput): WholeCatalog {
  return runAtOnce(buildGuardedCatalogInSlices(input));
}

/** The same, in slices. */
export function* buildGuardedCatalogInSlices(input: CatalogInput & GuardInput): Sliced<WholeCatalog> {
  const guarded = yield* guardTools(input);
  const built = yield* buildCatalogInSlices({ ...input, toolSets: guarded.toolSets });
  const catalog = withholdOperations(built, guarded.withheld);
  yield;
  const suspicions = yield* inspectToolsInSlices(input.toolSets);
  const whole: WholeCatalog = {
    ...catalog,
    diagnostics: [...catalog.diagnostics, ...guarded.diagnostics, ...suspicions],
    within: (part) => ({
      ...catalog.within(part),
      diagnostics: whole.diagnostics.filter(({ upstream }) => part.upstreams.has(upstream)),
      whole,
    }),
  };
  return whole;
}

/** What an operator should review in the upstreams' definitions. The catalog still offers these tools. */
export function inspectTools(toolSets: readonly ToolSet[]): readonly Diagnostic[] {
  return runAtOnce(inspectToolsInSlices(toolSets));
}

/** The same, in slices. */
function* inspectToolsInSlices(toolSets: readonly ToolSet[]): Sliced<readonly Diagnostic[]> {
  const owners = yield* indexOwners(toolSets);
  const diagnostics: (readonly Diagnostic[])[] = [];
  for (const toolSet of toolSets) {
    diagnostics.push(...(yield* inspectEach(toolSet)), ...(yield* describeMentions(toolSet, owners)));
  }
  return diagnostics.flat();
}

function* inspectEach({ upstream, tools }: ToolSet): Sliced<readonly (readonly Diagnostic[])[]> {
  return yield* mapInSteps(tools, (raw) => {
    if (!isJsonObject(raw)) return [];
    const tool = String(raw['name']);
    return inspectDefinition(raw).map(({ kind, says }) => reportDiagnostic(kind, upstream, tool, says));
  });
}

/**
 * Tools that name a tool of exactly one other upstream, which is how one server steers the calls of another. A name that
 * the server itself uses, for a tool or a parameter, is its own.
 */
function* describeMentions(
  toolSet: ToolSet,
  owners: ReadonlyMap<string, string>,
): Sliced<readonly (readonly Diagnostic[])[]> {
  const tools = toolSet.tools.filter(isJsonObject);
  const isForeign = (word: string): boolean => (owners.get(word) ?? toolSet.upstream) !== toolSet.upstream;
  const foreign = yield* mapInSteps(tools, (tool) => [...wordsOf(tool)].filter(isForeign));
  if (foreign.every((words) => words.length === 0)) return [];
  const own = new Set((yield* mapInSteps(tools, ownNames)).flat());
  return yield* mapInSteps(tools, (tool, index) =>
    (foreign[index] ?? [])
      .filter((word) => !own.has(word))
      .map((word) => {
        const mentions = `mentions '${word}', a tool of '${owners.get(word) ?? ''}'`;
        return reportDiagnostic('names-other-tool', toolSet.upstream, String(tool['name']), mentions);
      }),
  );
}

function reportDiagnostic(kind: string, upstream: string, tool: string, says: string): Diagnostic {
  const message = `Tool '${tool}' of '${upstream}' should be reviewed: its definition ${says}`;
  return { severity: 'warning', kind, upstream, tool, message };
}

/**
 * The catalog without the operations of tools that are withheld. No name changes its meaning: a withheld operation's name
 * calls nothing and resolves to the reason.
 */
function withholdOperations(catalog: WholeCatalog, withheld: readonly WithheldTool[]): WholeCatalog {
  return {
    ...withholdFrom(catalog, withheld),
    // What is outside a part is not known there to be withheld either.
    within(part) {
      const isShown = ({ upstream, tool }: WithheldTool): boolean =>
        catalog.operations.some(
          (each) => each.upstream === upstream && each.tool === tool && part.show(each) !== undefined,
        );
      return withholdFrom(catalog.within(part), withheld.filter(isShown));
    },
  };
}

function withholdFrom(catalog: Catalog, withheld: readonly WithheldTool[]): Catalog {
  if (withheld.length === 0) return catalog;
  const byUpstream = indexByUpstream(withheld);
  const reasonFor = ({ upstream, tool }: Operation): WithheldTool | undefined => byUpstream.get(upstream)?.get(tool);
  const byName = new Map<string, WithheldTool>();
  for (const tool of withheld) for (const name of spellingsOf(tool)) byName.set(name, tool);

  const find = (name: string): Operation | undefined => {
    const operation = catalog.find(name);
    return operation === undefined || reasonFor(operation) !== undefined ? undefined : operation;
  };
  return {
    ...catalog,
    operations: catalog.operations.filter((operation) => reasonFor(operation) === undefined),
    find,
    resolve(name) {
      const exact = catalog.find(name);
      const tool = exact === undefined ? undefined : reasonFor(exact);
      if (tool !== undefined) return { kind: 'quarantined', tool };
      const resolution = leaveOut(catalog.resolve(name), (operation) => reasonFor(operation) === undefined);
      const meant = CALLS_NOTHING.has(resolution.kind) ? byName.get(name) : undefined;
      return meant === undefined ? resolution : { kind: 'quarantined', tool: meant };
    },
  };
}

/** The names that a new tool would have, and its upstream's own. */
function spellingsOf({ upstream, tool }: WithheldTool): readonly string[] {
  const snakeName = toSnakeCase(tool);
  return [tool, snakeName, `${upstream}${QUALIFIER}${snakeName}`];
}

/** How a name resolves that no operation has: it may be the name of a withheld tool. */
const CALLS_NOTHING: ReadonlySet<Resolution['kind']> = new Set(['unknown', 'absent', 'held']);

/** A resolution whose lists hold only operations that are kept. */
function leaveOut(resolution: Resolution, isKept: (operation: Operation) => boolean): Resolution {
  if (resolution.kind === 'held') return { ...resolution, candidates: resolution.candidates.filter(isKept) };
  if (resolution.kind === 'absent') return { ...resolution, nearest: resolution.nearest.filter(isKept) };
  if ('candidates' in resolution) {
    const candidates = resolution.candidates.filter(isKept);
    return candidates.length > 0 ? { ...resolution, candidates } : { kind: 'unknown', nearest: [] };
  }
  return resolution.kind === 'unknown' ? { ...resolution, nearest: resolution.nearest.filter(isKept) } : resolution;
}

/** Two maps instead of one with a joined key, as every call looks a tool up. */
function indexByUpstream(withheld: readonly WithheldTool[]): ReadonlyMap<string, ReadonlyMap<string, WithheldTool>> {
  const byUpstream = groupBy(withheld, ({ upstream }) => upstream);
  return new Map(
    [...byUpstream].map(([upstream, tools]) => [upstream, new Map(tools.map((each) => [each.tool, each]))]),
  );
}

/** Names of a single word, or of few letters, are also English words and do not count. */
const DISTINCTIVE_NAME = /^(?=.{6,})(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)$/;
const NAME_LIKE_WORDS = /[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+/g;

const wordsOfTools = new WeakMap<RawTool, ReadonlySet<string>>();

/** Distinctive names that one upstream alone offers, and which. */
function* indexOwners(toolSets: readonly ToolSet[]): Sliced<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { upstream, tools } of toolSets) {
    for (const tool of tools.filter(isJsonObject)) {
      yield;
      const name = tool['name'];
      if (typeof name !== 'string' || !DISTINCTIVE_NAME.test(name)) continue;
      if (owners.has(name) && owners.get(name) !== upstream) shared.add(name);
      owners.set(name, upstream);
    }
  }
  for (const name of shared) owners.delete(name);
  return owners;
}

function wordsOf(tool: RawTool): ReadonlySet<string> {
  const known = wordsOfTools.get(tool);
  if (known !== undefined) return known;
  const { description } = tool;
  const words = new Set(typeof description === 'string' ? description.match(NAME_LIKE_WORDS) : []);
  wordsOfTools.set(tool, words);
  return words;
}

function ownNames({ name, inputSchema }: RawTool): readonly string[] {
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  return [String(name), ...Object.keys(properties)];
}
