import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Section } from './read-relation-request.js';

/** Of an answer the sections that were asked for; that it is incomplete is always told. */
export function selectSections(answer: JsonObject, sections: readonly Section[]): JsonObject {
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
