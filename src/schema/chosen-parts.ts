import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { declaredTypes, followReference } from './schema-shape.js';

/** Compositions in compositions; deeper ones are left to the check of the example. */
const MAX_DEPTH = 4;
/** Keywords by which a part says what a member looks like, rather than narrows what the object says of it. */
const SAYING = ['const', 'enum', 'type', '$ref', 'properties', 'items', 'anyOf', 'oneOf', 'allOf'];

/**
 * The alternatives of an object schema that one attempt at an example goes by: of each `oneOf` and `anyOf` the same branch, and
 * of `if` by turns what follows and what follows otherwise. Choice 0 goes by none: the object's own members alone.
 */
export function chosenParts(schema: JsonSchema, root: JsonSchema, choice: number, depth = 0): readonly JsonSchema[] {
  const source = choice === 0 || depth > MAX_DEPTH ? undefined : followReference(schema, root);
  if (source === undefined) return [];
  const isTrue = choice % 2 === 1;
  const conditional = 'if' in source ? (isTrue ? [source['if'], source['then']] : [source['else']]) : [];
  const taken = [pick(source['oneOf'], choice), pick(source['anyOf'], choice), ...conditional].filter(isJsonObject);
  const parts = taken.map((part) => followReference(part, root)).filter(isJsonObject);
  const merged: unknown = source['allOf'];
  const inner = [...parts, ...(Array.isArray(merged) ? merged : [])].filter(isJsonObject);
  return [...parts, ...inner.flatMap((part) => chosenParts(part, root, choice, depth + 1))];
}

/** The alternative of this attempt; every one has its turn. */
export function pick(branches: unknown, choice: number): unknown {
  return Array.isArray(branches) ? branches[Math.max(choice - 1, 0) % branches.length] : undefined;
}

/** The members that the parts require or fix, with what they say of each; undefined where the object itself has to say it. */
export function demandedMembers(parts: readonly JsonSchema[]): ReadonlyMap<string, JsonSchema | undefined> {
  const demanded = new Map<string, JsonSchema | undefined>();
  for (const part of parts) {
    const properties: JsonSchema = isJsonObject(part['properties']) ? part['properties'] : {};
    const fixed = Object.keys(properties).filter((name) => isFixed(properties[name]));
    for (const name of [...declaredTypes(part['required']), ...fixed]) {
      const said = properties[name];
      const isSaying = isJsonObject(said) && SAYING.some((keyword) => keyword in said);
      if (isSaying) demanded.set(name, said);
      else if (!demanded.has(name)) demanded.set(name, undefined);
    }
  }
  return demanded;
}

function isFixed(schema: unknown): boolean {
  return isJsonObject(schema) && ('const' in schema || 'enum' in schema);
}
