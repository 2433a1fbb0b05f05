import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { getOrMake } from '../base/lib/collections.js';
import { readFurtherMembers } from './further-members.js';
import { followReference, type ObjectField, readObjectFields } from './schema-shape.js';

/** A member inside an argument that its schema neither names nor says anything of. */
export interface UnknownMember {
  /** Members and indexes from the root of the arguments. */
  readonly path: readonly string[];
  /** The names that its schema has there. */
  readonly known: readonly string[];
}

/** Further ones are not looked for. */
const MOST_FOUND = 20;
/** Values that are looked at: a call of more is not searched to its end. */
const MOST_VALUES = 10_000;
const DEEPEST = 16;

interface Part {
  readonly fields: ReadonlyMap<string, ObjectField>;
  /** Whether the schema names members and is silent about others. */
  readonly isSilent: boolean;
}

const parts = new WeakMap<JsonSchema, Part>();

/**
 * Finds misspelt members in nested objects: where a schema names members and no keyword says what becomes of others, its server
 * ignores those in silence. At the top of the arguments names are matched elsewhere.
 */
export function findUnknownMembers(root: JsonSchema, args: JsonObject): readonly UnknownMember[] {
  const found: UnknownMember[] = [];
  let left = MOST_VALUES;
  const path: string[] = [];
  const enter = (key: string, schema: JsonSchema, value: unknown): void => {
    path.push(key);
    visit(schema, value);
    path.pop();
  };
  const visit = (schema: JsonSchema, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    left -= 1;
    if (left < 0 || found.length >= MOST_FOUND || path.length > DEEPEST) return;
    const target = followReference(schema, root) ?? {};
    if (Array.isArray(value)) {
      const { items } = target;
      if (isJsonObject(items))
        for (let index = 0; index < value.length && left > 0; index += 1) enter(String(index), items, value[index]);
      return;
    }
    const { fields, isSilent } = readPart(target, root);
    for (const [name, member] of Object.entries(value)) {
      const field = fields.get(name);
      if (field !== undefined) enter(name, field.schema, member);
      else if (isSilent && path.length > 0 && found.length < MOST_FOUND) {
        found.push({ path: [...path, name], known: [...fields.keys()] });
      }
    }
  };
  visit(root, args);
  return found;
}

function readPart(schema: JsonSchema, root: JsonSchema): Part {
  return getOrMake(parts, schema, () => {
    const fields = readObjectFields(schema, root);
    const isSilent = fields.length > 0 && readFurtherMembers(schema, root).taken === undefined;
    return { fields: new Map(fields.map((field) => [field.name, field])), isSilent };
  });
}
