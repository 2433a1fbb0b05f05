import { groupBy } from '../../protocol/group-by.js';
import { type Operation, QUALIFIER } from '../../protocol/operation.js';
import { toSnakeCase } from '../../protocol/snake-case.js';
import type { Catalog, Resolution } from '../catalog.js';
import type { WithheldTool } from './guard-tools.js';

/**
 * The catalog without the operations of tools that are withheld. Names stay what they are: a name of a withheld operation
 * calls nothing, and asking for it is answered with the reason.
 */
export function withholdOperations(catalog: Catalog, withheld: readonly WithheldTool[]): Catalog {
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
    operations: catalog.operations.filter((operation) => reasonFor(operation) === undefined),
    findings: catalog.findings,
    find,
    resolve(name) {
      const exact = catalog.find(name);
      const tool = exact === undefined ? undefined : reasonFor(exact);
      if (tool !== undefined) return { kind: 'quarantined', tool };
      const resolution = leaveOut(catalog.resolve(name), (operation) => reasonFor(operation) === undefined);
      const meant = resolution.kind === 'unknown' ? byName.get(name) : undefined;
      return meant === undefined ? resolution : { kind: 'quarantined', tool: meant };
    },
  };
}

/** The names by which a new tool would be called, and by which its upstream calls it. */
function spellingsOf({ upstream, tool }: WithheldTool): readonly string[] {
  const snakeName = toSnakeCase(tool);
  return [tool, snakeName, `${upstream}${QUALIFIER}${snakeName}`];
}

/** A resolution whose lists hold only operations that are kept. */
function leaveOut(resolution: Resolution, isKept: (operation: Operation) => boolean): Resolution {
  if ('candidates' in resolution) {
    const candidates = resolution.candidates.filter(isKept);
    return candidates.length > 0 ? { ...resolution, candidates } : { kind: 'unknown', nearest: [] };
  }
  return resolution.kind === 'unknown' ? { ...resolution, nearest: resolution.nearest.filter(isKept) } : resolution;
}

/** Two maps instead of one with a joined key: every call asks. */
function indexByUpstream(withheld: readonly WithheldTool[]): ReadonlyMap<string, ReadonlyMap<string, WithheldTool>> {
  const byUpstream = groupBy(withheld, ({ upstream }) => upstream);
  return new Map(
    [...byUpstream].map(([upstream, tools]) => [upstream, new Map(tools.map((each) => [each.tool, each]))]),
  );
}
