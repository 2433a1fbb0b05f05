import { canonicalJson } from '../../lib/canonical-json.js';
import type { OperationHandler } from '../../protocol/call.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Warning } from '../../protocol/result.js';
import { type RelationSource, readRelationRequest, type Section } from './graph.js';
import { openRelationPage, takeRelationPage } from './page.js';
import { traverseRelations } from './traverse.js';

/** The handler of `query_relationships`. */
export function createRelationshipsHandler(sources: readonly RelationSource[]): OperationHandler {
  return async (call) => {
    const request = readRelationRequest(call.arguments);
    const upstream = call.arguments['upstream'] ?? sources[0]?.upstream;
    const own = sources.filter((source) => source.upstream === upstream);
    const { first: _first, after: _after, ...asked } = call.arguments;
    const question = canonicalJson(asked);
    const opened = openRelationPage(request.page, question);
    const { incomplete, ...answer } = await traverseRelations(request, own, (...read) => call.host.read(call, ...read));
    const page = takeRelationPage(answer, opened, question);
    return {
      data: selectSections(page.answer, request.sections),
      ...(Array.isArray(incomplete) && { warnings: incomplete.filter(isJsonObject).map(warnOfGap) }),
      ...(page.pageInfo !== undefined && { meta: { pageInfo: page.pageInfo } }),
    };
  };
}

/** The published schema has no place in the answer for what could not be found out. */
function warnOfGap(gap: JsonObject): Warning {
  const { relationship, reason } = gap;
  const subject = relationship === undefined ? 'Relationships' : `Relationship '${String(relationship)}'`;
  return {
    code: 'RELATIONSHIPS_INCOMPLETE_WARNING',
    message: `${subject} may be missing: ${String(reason)}`,
    details: gap,
    severity: 'medium',
  };
}

/** The sections of an answer that were asked for, and the root, which the published schema requires. */
function selectSections(answer: JsonObject, sections: readonly Section[]): JsonObject {
  const graph = isJsonObject(answer['graph']) ? answer['graph'] : {};
  const wanted =
    (prefix: string) =>
    ([key]: readonly [string, unknown]) =>
      key === 'root' || sections.some((section) => section === prefix + key);
  const parts = Object.entries(graph).filter(wanted('graph.'));
  return {
    ...Object.fromEntries(Object.entries(answer).filter(wanted(''))),
    ...(parts.length > 0 && { graph: Object.fromEntries(parts) }),
  };
}
