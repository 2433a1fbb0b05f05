import type { OperationHandler } from '../../protocol/call.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { type RelationSource, readRelationRequest, type Section } from './graph.js';
import { traverseRelations } from './traverse.js';

/** The handler of `query_relationships`. */
export function createRelationshipsHandler(sources: readonly RelationSource[]): OperationHandler {
  return async (call) => {
    const request = readRelationRequest(call.arguments);
    const upstream = call.arguments['upstream'] ?? sources[0]?.upstream;
    const own = sources.filter((source) => source.upstream === upstream);
    const answer = await traverseRelations(request, own, (...read) => call.host.read(call, ...read));
    return { data: selectSections(answer, request.sections) };
  };
}

/** The sections of an answer that were asked for, and `incomplete`, which is always sent. */
function selectSections(answer: JsonObject, sections: readonly Section[]): JsonObject {
  const graph = isJsonObject(answer['graph']) ? answer['graph'] : {};
  const wanted =
    (prefix: string) =>
    ([key]: readonly [string, unknown]) =>
      sections.some((section) => section === prefix + key);
  const parts = Object.entries(graph).filter(wanted('graph.'));
  return {
    ...Object.fromEntries(Object.entries(answer).filter(wanted(''))),
    ...(parts.length > 0 && { graph: Object.fromEntries(parts) }),
    ...('incomplete' in answer && { incomplete: answer['incomplete'] }),
  };
}
