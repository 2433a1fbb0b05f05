import { isJsonObject } from '../base/json/json.js';
import { groupBy, oncePer } from '../base/lib/collections.js';
import { toSnakeCase } from '../base/lib/names.js';
import { type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { Diagnostic, RawTool, ToolSet } from '../base/protocol/tools.js';
import { type CatalogDraft, type CatalogInput, draftCatalog, finishCatalog, nameOperations } from './build-catalog.js';
import type { Catalog, Resolution, WholeCatalog } from './catalog.js';
import {
  type GuardedTools,
  type GuardInput,
  guardTools,
  isAccepted,
  reportSuspicion,
  type WithheldTool,
} from './integrity/guard-tools.js';
import { inspectDefinition } from './integrity/inspect-definition.js';

/** The catalog of what may be offered, with diagnostics for definitions that differ from what was accepted or look hostile. */
export function buildGuardedCatalog(input: CatalogInput & GuardInput): WholeCatalog {
  const draft = draftGuardedCatalog(input);
  return finishGuardedCatalog(draft, nameOperations(draft));
}

/** A draft of the catalog of what may be offered. */
interface GuardedDraft extends CatalogDraft {
  readonly offered: readonly ToolSet[];
  readonly accepted: Accepted;
  readonly guarded: GuardedTools;
}

/** Compares definitions with what was accepted, and decides which operations there are. */
export function draftGuardedCatalog(input: CatalogInput & GuardInput): GuardedDraft {
  const guarded = guardTools(input);
  const draft = draftCatalog({ ...input, toolSets: guarded.toolSets });
  return { ...draft, offered: input.toolSets, accepted: input, guarded };
}

/** The catalog of a draft; quick where its operations have been created before. */
export function finishGuardedCatalog(
  { offered, accepted, guarded }: GuardedDraft,
  named: ReturnType<typeof nameOperations>,
): WholeCatalog {
  const catalog = withholdOperations(finishCatalog(named), guarded.withheld);
  const suspicions = inspectTools(offered, accepted);
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

type Accepted = Pick<GuardInput, 'upstreams' | 'lock'>;

const NOTHING: Accepted = { upstreams: [], lock: null };

/** What an operator should review in the upstreams' definitions. The catalog still offers these tools. */
export function inspectTools(toolSets: readonly ToolSet[], accepted = NOTHING): readonly Diagnostic[] {
  const owners = indexOwners(toolSets);
  const bySlug = new Map(accepted.upstreams.map((upstream) => [upstream.slug, upstream]));
  const diagnostics: Diagnostic[] = [];
  for (const toolSet of toolSets) {
    const foreign = new Map<RawTool, Mentions>();
    for (const tool of toolSet.tools.filter(isJsonObject)) {
      const isReviewed = isAccepted(tool, bySlug.get(toolSet.upstream), accepted.lock);
      diagnostics.push(...inspect(toolSet.upstream, tool, isReviewed));
      const words = findForeign(tool, toolSet.upstream, owners);
      if (words.length > 0) foreign.set(tool, { words, isReviewed });
    }
    diagnostics.push(...describeMentions(toolSet, foreign, owners));
  }
  return diagnostics;
}

function inspect(upstream: string, tool: RawTool, isReviewed: boolean): readonly Diagnostic[] {
  const name = String(tool['name']);
  return inspectDefinition(tool).map(({ kind, says }) =>
    reportDiagnostic({ kind, upstream, tool: name, says }, isReviewed),
  );
}

/** The names of other upstreams' tools in a tool's description. */
interface Mentions {
  readonly words: readonly string[];
  readonly isReviewed: boolean;
}

/** The names of other upstreams' tools that a tool's description holds. */
function findForeign(tool: RawTool, upstream: string, owners: ReadonlyMap<string, string>): readonly string[] {
  return [...wordsOf(tool)].filter((word) => (owners.get(word) ?? upstream) !== upstream);
}

/**
 * Tools that name a tool of exactly one other upstream, which is how one server steers the calls of another. A name that
 * the server itself uses, for a tool or a parameter, is its own.
 */
function describeMentions(
  { upstream, tools }: ToolSet,
  foreign: ReadonlyMap<RawTool, Mentions>,
  owners: ReadonlyMap<string, string>,
): readonly Diagnostic[] {
  if (foreign.size === 0) return [];
  const own = new Set(tools.filter(isJsonObject).flatMap(ownNames));
  return [...foreign].flatMap(([tool, { words, isReviewed }]) =>
    words
      .filter((word) => !own.has(word))
      .map((word) => {
        const says = `mentions '${word}', a tool of '${owners.get(word) ?? ''}'`;
        return reportDiagnostic({ kind: 'names-other-tool', upstream, tool: String(tool['name']), says }, isReviewed);
      }),
  );
}

interface Finding {
  readonly kind: string;
  readonly upstream: string;
  readonly tool: string;
  readonly says: string;
}

function reportDiagnostic({ says, ...found }: Finding, isReviewed: boolean): Diagnostic {
  const message = `Tool '${found.tool}' of '${found.upstream}' should be reviewed: its definition ${says}`;
  return reportSuspicion({ ...found, message }, isReviewed);
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

/** Names of a single word, or of few letters, are also English words and do not count; no honest name is longer. */
const DISTINCTIVE_NAME = /^(?=.{6,128}$)(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+[A-Z][A-Za-z0-9]*)$/;
/** What stands between words that may be such names, so that each character of a text is looked at once. */
const BETWEEN_WORDS = /[^A-Za-z0-9_-]+|[_-]{2,}/;

/** Distinctive names that one upstream alone offers, and which. */
function indexOwners(toolSets: readonly ToolSet[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { upstream, tools } of toolSets) {
    for (const tool of tools.filter(isJsonObject)) {
      const name = tool['name'];
      if (typeof name !== 'string' || !DISTINCTIVE_NAME.test(name)) continue;
      if (owners.has(name) && owners.get(name) !== upstream) shared.add(name);
      owners.set(name, upstream);
    }
  }
  for (const name of shared) owners.delete(name);
  return owners;
}

/** The words of a description that may be names of tools. */
export const wordsOf = oncePer(({ description }: RawTool): ReadonlySet<string> => {
  const said = typeof description === 'string' ? description.split(BETWEEN_WORDS) : [];
  return new Set(said.map((word) => word.replace(/^[_-]|[_-]$/g, '')).filter((word) => DISTINCTIVE_NAME.test(word)));
});

function ownNames({ name, inputSchema }: RawTool): readonly string[] {
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  return [String(name), ...Object.keys(properties)];
}
