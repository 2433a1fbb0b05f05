import type { HandlerCall, OperationHandler } from '../../protocol/handler.js';
import type { CallOperation } from './open-edge-reader.js';
import { readRelationRequest } from './read-relation-request.js';
import type { RelationSource } from './relation-source.js';
import { selectSections } from './select-sections.js';
import { traverseRelations } from './traverse-relations.js';

/**
 * The handler of `query_relationships`.
 * @param callsOf how a call's traversal calls operations: as its caller, and only as long as it is wanted
 */
export function createRelationshipsHandler(
  sources: readonly RelationSource[],
  callsOf: (call: HandlerCall) => CallOperation,
): OperationHandler {
  return async (call) => {
    const request = readRelationRequest(call.arguments);
    const upstream = call.arguments['upstream'] ?? sources[0]?.upstream;
    const own = sources.filter((source) => source.upstream === upstream);
    const answer = await traverseRelations(request, own, callsOf(call));
    return { data: selectSections(answer, request.sections) };
  };
}
