import { isJsonObject, type JsonObject, type JsonSchema } from '../../protocol/json.js';
import { followReference } from '../schema/local-reference.js';

/** An argument that an operation fixes. */
export interface FixedArgument {
  readonly parameter: string;
  readonly value: unknown;
}

/** Compositions nested deeper are left as they are. */
const MAX_DEPTH = 16;

/**
 * An input schema as it reads once one argument is fixed: the argument itself is gone, and so are the alternatives and
 * conditions that the value rules out. Sound: a part is dropped only where no arguments with that value could meet it. `$ref`s
 * still resolve against the whole schema. For reading; arguments are held against the original.
 */
export function narrowSchema(schema: JsonSchema, fixed: FixedArgument): JsonSchema {
  return narrow(schema, { root: schema, fixed }, 0);
}

interface Narrowing {
  readonly root: JsonSchema;
  readonly fixed: FixedArgument;
}

function narrow(schema: JsonSchema, narrowing: Narrowing, depth: number): JsonSchema {
  if (depth > MAX_DEPTH) return schema;
  const hidden = hideArgument(applyCondition(inline(schema, narrowing.root), narrowing), narrowing.fixed);
  const visit = (part: unknown): unknown => (isJsonObject(part) ? narrow(part, narrowing, depth + 1) : part);
  const narrowed = Object.entries(hidden).map(([keyword, part]) => {
    if (keyword === 'then' || keyword === 'else') return [keyword, visit(part)];
    if (!COMPOSITION.has(keyword) || !Array.isArray(part)) return [keyword, part];
    return [keyword, (keyword === 'allOf' ? part : possibleOf(part, narrowing)).map(visit)];
  });
  return Object.fromEntries(narrowed);
}

const COMPOSITION: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

/** A condition on nothing but the fixed argument is settled: what follows from it holds, the other part never does. */
function applyCondition(schema: JsonSchema, narrowing: Narrowing): JsonSchema {
  const holds = isJsonObject(schema['if']) ? decide(schema['if'], narrowing) : undefined;
  if (holds === undefined) return schema;
  const { if: _settled, then: consequence, else: alternative, ...rest } = schema;
  const applying = holds ? consequence : alternative;
  return applying === undefined ? rest : { ...rest, allOf: [...listOf(rest['allOf']), applying] };
}

/** A reference becomes a part that can be narrowed; what stands beside it is kept. */
function inline(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!('$ref' in schema)) return schema;
  const target = followReference(schema, root);
  if (target === undefined || target === root) return schema;
  const { $ref: _followed, ...rest } = schema;
  return Object.keys(rest).length === 0 ? target : { ...rest, allOf: [...listOf(rest['allOf']), target] };
}

function hideArgument(schema: JsonSchema, { parameter }: FixedArgument): JsonSchema {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties) && { properties: without(properties, parameter) }),
    ...(Array.isArray(required) && { required: required.filter((name) => name !== parameter) }),
  };
}

/** Where no branch is left, no call with this value is right, and the author meant something else. */
function possibleOf(branches: readonly unknown[], narrowing: Narrowing): readonly unknown[] {
  const possible = branches.filter((branch) => !isJsonObject(branch) || decide(branch, narrowing) !== false);
  return possible.length > 0 ? possible : branches;
}

/**
 * Whether arguments with the fixed value can meet a schema: false where it allows the parameter other values alone, true where it
 * says nothing else, undefined where the rest of the arguments decides.
 */
function decide(schema: JsonSchema, narrowing: Narrowing): boolean | undefined {
  const source = followReference(schema, narrowing.root);
  if (source === undefined) return undefined;
  const { parameter, value } = narrowing.fixed;
  const properties = isJsonObject(source['properties']) ? source['properties'] : {};
  const own = Object.hasOwn(properties, parameter) ? properties[parameter] : undefined;
  const allowed = isJsonObject(own) ? constantsOf(own, narrowing.root) : undefined;
  if (allowed !== undefined && !allowed.includes(value)) return false;
  return allowed !== undefined && saysNothingElse(source, parameter) ? true : undefined;
}

function constantsOf(schema: JsonSchema, root: JsonSchema): readonly unknown[] | undefined {
  const source = followReference(schema, root) ?? {};
  if ('const' in source) return [source['const']];
  return Array.isArray(source['enum']) ? source['enum'] : undefined;
}

const HARMLESS = new Set(['properties', 'required', 'type', 'title', 'description', '$comment']);

function saysNothingElse(schema: JsonSchema, parameter: string): boolean {
  const { properties, required, type } = schema;
  return (
    Object.keys(schema).every((keyword) => HARMLESS.has(keyword)) &&
    isJsonObject(properties) &&
    Object.keys(properties).every((name) => name === parameter) &&
    hasConstantsAlone(properties[parameter]) &&
    listOf(required).every((name) => name === parameter) &&
    (type === undefined || type === 'object')
  );
}

function hasConstantsAlone(schema: unknown): boolean {
  const said = isJsonObject(schema) ? Object.keys(schema) : [];
  return said.every((keyword) => ['const', 'enum', 'type', 'title', 'description'].includes(keyword));
}

function without(properties: JsonObject, parameter: string): JsonObject {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== parameter));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
