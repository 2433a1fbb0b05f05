import type { JsonSchema } from '../../../../base/json/json.js';
import { toPascalCase } from '../../../../base/lib/names.js';
import type { Operation, Parameter } from '../../../../base/protocol/operation.js';
import { type ReadSchema, readSchema, type SchemaShape } from '../../../../schema/schema-shape.js';
import { PROTOCOL_TYPE_NAMES } from './protocol-types.js';

/** The schemas of one document, read once, and the names of the types among them. */
export interface TypeScope {
  read(schema: JsonSchema): ReadSchema;
  /** The name of a type that was named; for objects and unions alone. */
  nameOf(source: JsonSchema): string | undefined;
}

/** A type that introspection explains under a name. */
export interface NamedType {
  readonly name: string;
  readonly scope: TypeScope;
  readonly source: JsonSchema;
  readonly shape: Extract<SchemaShape, { kind: 'object' | 'union' }>;
}

/** The types that one operation uses. */
export interface OperationTypes {
  readonly named: ReadonlyMap<string, NamedType>;
  readonly input: TypeScope;
  /** The type of an UPDATE's `input`. */
  readonly updateInput?: { readonly name: string; readonly parameters: readonly Parameter[] };
  /** The result's type, where the tool describes an object. */
  readonly result?: NamedType;
}

/** Deeper types, and more of them, are shown as plain objects. */
const MAX_DEPTH = 6;
const MAX_TYPES = 400;

/**
 * Names the objects and unions inside an operation's schemas by their position: operation, parameter, field. A name therefore
 * never depends on other tools, and connecting a server renames nothing.
 */
export function readOperationTypes(operation: Operation): OperationTypes {
  const prefix = toPascalCase(operation.name);
  const named = new Map<string, NamedType>();
  const changing = operation.parameters.filter((parameter) => parameter.place === 'input');
  const inputName = claimName(`${prefix}Input`, () => false);
  const isTaken = (name: string): boolean => named.has(name) || (changing.length > 0 && name === inputName);
  const input = createNamer(operation.inputSchema, named, isTaken);
  for (const parameter of operation.parameters) input.visit(parameter.schema, prefix + toPascalCase(parameter.name));
  const result = operation.outputSchema === undefined ? undefined : nameResult(operation.outputSchema);

  function nameResult(schema: JsonSchema): NamedType | undefined {
    const output = createNamer(schema, named, isTaken);
    output.visit(schema, `${prefix}Result`);
    return named.get(output.scope.nameOf(output.scope.read(schema).source) ?? '');
  }

  return {
    named,
    input: input.scope,
    ...(changing.length > 0 && { updateInput: { name: inputName, parameters: changing } }),
    ...(result !== undefined && { result }),
  };
}

interface Namer {
  readonly scope: TypeScope;
  /** Names the schema's type, and the types inside it, starting from the name that it asks for. */
  readonly visit: (schema: JsonSchema, name: string, depth?: number) => void;
}

function createNamer(root: JsonSchema, named: Map<string, NamedType>, isTaken: (name: string) => boolean): Namer {
  const reads = new Map<JsonSchema, ReadSchema>();
  const names = new Map<JsonSchema, string>();
  const scope: TypeScope = {
    read: (schema) => {
      const read = reads.get(schema) ?? readSchema(schema, root);
      reads.set(schema, read);
      return read;
    },
    nameOf: (source) => names.get(source),
  };

  const visit = (schema: JsonSchema, wanted: string, depth = 0): void => {
    if (depth > MAX_DEPTH || named.size >= MAX_TYPES) return;
    const { shape, source } = scope.read(schema);
    // A definition that is used again, or contains itself, keeps its first name.
    if (names.has(source)) return;
    if (shape.kind === 'object' || shape.kind === 'union') {
      const name = claimName(wanted, isTaken);
      names.set(source, name);
      named.set(name, { name, scope, source, shape });
    }
    for (const part of partsOf(shape)) visit(part.schema, wanted + part.suffix, depth + 1);
  };
  return { scope, visit };
}

function partsOf(shape: SchemaShape): readonly { readonly schema: JsonSchema; readonly suffix: string }[] {
  switch (shape.kind) {
    case 'object':
      return shape.fields.map(({ name, schema }) => ({ schema, suffix: toPascalCase(name) }));
    case 'union':
      return shape.branches.map((schema, index) => ({ schema, suffix: `Option${index + 1}` }));
    case 'array':
      return shape.items === undefined ? [] : [{ schema: shape.items, suffix: 'Item' }];
    case 'map':
      return shape.values === undefined ? [] : [{ schema: shape.values, suffix: 'Value' }];
    case 'scalar':
      return [];
  }
}

function claimName(wanted: string, isTaken: (name: string) => boolean): string {
  const base = PROTOCOL_TYPE_NAMES.has(wanted) ? `${wanted}Type` : wanted;
  let name = base;
  for (let number = 2; isTaken(name); number++) name = `${base}${number}`;
  return name;
}
