import { isJsonObject } from '../base/json/json.js';
import { groupBy } from '../base/lib/collections.js';
import { toSnakeCase } from '../base/lib/names.js';
import { type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { Diagnostic, ToolSet } from '../base/protocol/tools.js';
import { type CatalogDraft, type CatalogInput, draftCatalog, finishCatalog, nameOperations } from './build-catalog.js';
import type { Catalog, Resolution, WholeCatalog } from './catalog.js';
import { findForeignNames } from './integrity/foreign-names.js';
import {
  type GuardedTools,
  type GuardInput,
  guardTools,
  isAccepted,
  reportSuspicion,
  type WithheldTool,
} from './integrity/guard-tools.js';
import { type ToolRecord, ToolRecords } from './integrity/tool-record.js';

/** The catalog of what may be offered, with diagnostics for definitions that differ from what was accepted or look hostile. */
export function buildGuardedCatalog(input: Omit<GuardedInput, 'records'>): WholeCatalog {
  const draft = draftGuardedCatalog({ ...input, records: new ToolRecords() });
  return finishGuardedCatalog(draft, nameOperations(draft));
}

type GuardedInput = CatalogInput & GuardInput;

/** A draft of the catalog of what may be offered. */
interface GuardedDraft extends CatalogDraft {
  readonly offered: readonly ToolSet[];
  readonly accepted: Accepted;
  readonly guarded: GuardedTools;
}

/** Compares definitions with what was accepted, and decides which operations there are. */
export function draftGuardedCatalog(input: GuardedInput): GuardedDraft {
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

type Accepted = Pick<GuardInput, 'upstreams' | 'lock' | 'records'>;

/** What an operator should review in the upstreams' definitions. The catalog still offers these tools. */
export function inspectTools(
  toolSets: readonly ToolSet[],
  accepted: Accepted = { upstreams: [], lock: null, records: new ToolRecords() },
): readonly Diagnostic[] {
  const { records } = accepted;
  const bySlug = new Map(accepted.upstreams.map((upstream) => [upstream.slug, upstream]));
  const report = (tool: ToolRecord, upstream: string, kind: string, says: string): Diagnostic => {
    const name = String(tool.raw['name']);
    const message = `Tool '${name}' of '${upstream}' should be reviewed: its definition ${says}`;
    const isReviewed = isAccepted(tool, bySlug.get(upstream), accepted);
    return reportSuspicion({ kind, upstream, tool: name, message }, isReviewed);
  };
  const read = toolSets.map(({ upstream, tools }) => {
    return { upstream, tools: tools.filter(isJsonObject).map((tool) => records.of(tool)) };
  });
  const suspicious = read.flatMap(({ upstream, tools }) =>
    tools.flatMap((tool) => tool.suspicions.map(({ kind, says }) => report(tool, upstream, kind, says))),
  );
  const mentioning = findForeignNames(read).flatMap(({ tool, upstream, names }) =>
    names.map(({ word, owner }) =>
      report(tool, upstream, 'names-other-tool', `mentions '${word}', a tool of '${owner}'`),
    ),
  );
  return [...suspicious, ...mentioning];
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
