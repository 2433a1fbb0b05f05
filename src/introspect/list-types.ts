import type { TypeInfo } from '../catalog/type-registry.js';
import type { JsonObject } from '../protocol/json.js';
import type { PageRequest } from './parse-query.js';
import { takePage } from './take-page.js';

/**
 * A page of types, which come ordered by name; with a search of those whose name and description hold every word of it.
 * The published schema has no place for paging facts in this answer, so the last type's description says what follows.
 */
export function listTypes(types: readonly TypeInfo[], search: string | undefined, request: PageRequest): JsonObject {
  const words = search?.toLowerCase().match(/\S+/g) ?? [];
  const items = types.filter((type) => holdsEvery(type, words));
  const scope = JSON.stringify(['types', search]);
  const page = takePage({ items, orderedByName: true, scope }, request);
  if (page.after === null) return { types: page.items };
  const more = `[one page of ${page.total}; for the next: after '${page.after}']`;
  return { types: page.items.map((type, index) => (index === page.items.length - 1 ? addNote(type, more) : type)) };
}

function holdsEvery({ name, description = '' }: TypeInfo, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function addNote(type: TypeInfo, note: string): TypeInfo {
  return { ...type, description: type.description === undefined ? note : `${type.description} ${note}` };
}
