import { groupBy } from '../../../../base/lib/collections.js';
import { toPascalCase } from '../../../../base/lib/names.js';
import { cleanText, summarizeText } from '../../../../base/lib/text.js';
import { Pauses } from '../../../../base/pauses/pauses.js';
import type { Operation, Parameter } from '../../../../base/protocol/operation.js';
import type { Catalog } from '../../../../catalog/catalog.js';
import { readSchema } from '../../../../schema/schema-shape.js';
import { type NamedType, readOperationTypes } from './operation-types.js';
import { describeMember, nameType, type ParameterInfo } from './parameter-info.js';
import { PROTOCOL_TYPES } from './protocol-types.js';
import type { TypeDetails, TypeInfo } from './type-info.js';

export type { TypeInfo } from './type-info.js';

/** Every type that a catalog's operations use, and the protocol's own. */
export interface TypeRegistry {
  /** Ordered by name. */
  list(): Promise<readonly TypeInfo[]>;
  find(name: string): TypeDetails | null;
}

/** The types of a catalog, read on demand; a look-up reads only the operations that the type can belong to. */
export function buildTypeRegistry(catalog: Catalog): TypeRegistry {
  let owners: Owners | undefined;
  let listed: Promise<readonly TypeInfo[]> | undefined;
  return {
    list: () => (listed ??= listTypes(catalog.operations)),
    find: (name) => {
      owners ??= indexOwners(catalog.operations);
      return findType(name, owners);
    },
  };
}

/** Reading the types of one operation takes up to some milliseconds, and there may be thousands. */
async function listTypes(operations: readonly Operation[]): Promise<readonly TypeInfo[]> {
  const all = [...PROTOCOL_TYPES];
  const pauses = new Pauses();
  for (const operation of operations) {
    all.push(...detailTypes(operation));
    await pauses.due();
  }
  const listed: TypeInfo[] = [];
  for (const types of groupBy(all, (type) => type.name).values()) {
    for (const { name, kind, description } of separate(types)) {
      listed.push({ name, kind, ...(description !== undefined && { description: summarizeText(description) }) });
    }
    await pauses.due();
  }
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A type's name begins with its operation's, so few operations can own it. */
interface Owners {
  readonly byPrefix: ReadonlyMap<string, readonly Owner[]>;
  /** Of the prefixes, each once: no more than the longest name of an operation has characters, however long a name is asked for. */
  readonly lengths: readonly number[];
}

interface Owner {
  readonly operation: Operation;
  /** Its place in the catalog, whose order numbers the types that share a name. */
  readonly place: number;
}

function indexOwners(operations: readonly Operation[]): Owners {
  const owners = operations.map((operation, place) => ({ operation, place }));
  const byPrefix = groupBy(owners, ({ operation }) => toPascalCase(operation.name));
  return { byPrefix, lengths: [...new Set([...byPrefix.keys()].map(({ length }) => length))] };
}

function ownersOf(name: string, { byPrefix, lengths }: Owners): readonly Operation[] {
  return lengths
    .filter((length) => length <= name.length)
    .flatMap((length) => byPrefix.get(name.slice(0, length)) ?? [])
    .sort((a, b) => a.place - b.place)
    .map(({ operation }) => operation);
}

function findType(name: string, owners: Owners): TypeDetails | null {
  const exact = separate(detailsOf(name, owners))[0];
  if (exact !== undefined) return exact;
  // `Name2` may be the second of several that share the name.
  const base = /^(.*\D)\d+$/.exec(name)?.[1];
  const shared = base === undefined ? [] : separate(detailsOf(base, owners));
  return shared.find((type) => type.name === name) ?? null;
}

function detailsOf(name: string, owners: Owners): readonly TypeDetails[] {
  const own = PROTOCOL_TYPES.filter((type) => type.name === name);
  return [...own, ...ownersOf(name, owners).flatMap((operation) => detailTypes(operation, name))];
}

/**
 * Two operations can give two types one name (`get_user` with `settings_list`, `get_user_settings` with `list`). Where the
 * types differ, the name stands for any of them, and numbers distinguish them.
 */
function separate(types: readonly TypeDetails[]): readonly TypeDetails[] {
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  const [first] = different;
  if (first === undefined || different.length === 1) return different;
  const numbered = different.map((type, index) => ({ ...type, name: `${type.name}${index + 1}` }));
  const description = 'Several operations use this name: each for one of these';
  return [{ name: first.name, kind: 'union', description, members: numbered.map(({ name }) => name) }, ...numbered];
}

/** The types of one operation; with a name only that one. */
function detailTypes(operation: Operation, only?: string): readonly TypeDetails[] {
  const { named, updateInput, input } = readOperationTypes(operation);
  const isWanted = ({ name }: { readonly name: string }): boolean => only === undefined || name === only;
  const types = [...named.values()].filter(isWanted).map(detailType);
  if (updateInput === undefined || !isWanted(updateInput)) return types;
  const fields = updateInput.parameters.map((parameter) =>
    noteRemoval(operation, parameter, describeMember(parameter, input)),
  );
  const description = `The fields '${operation.name}' can change`;
  return [...types, { name: updateInput.name, kind: 'object', description, fields }];
}

function detailType({ name, shape, source, scope }: NamedType): TypeDetails {
  const text = cleanText(source['description'] ?? source['title']);
  const description = text === '' ? {} : { description: text };
  return shape.kind === 'object'
    ? { name, kind: 'object', ...description, fields: shape.fields.map((field) => describeMember(field, scope)) }
    : {
        name,
        kind: 'union',
        ...description,
        members: [...new Set(shape.branches.map((branch) => nameType(branch, scope)))],
      };
}

/** Where the gateway merges, null removes a field; says so of one that cannot be removed (specification, section 4.5.2). */
function noteRemoval(operation: Operation, { upstreamName, schema }: Parameter, field: ParameterInfo): ParameterInfo {
  const { merge, inputSchema } = operation;
  if (merge === undefined) return field;
  const required = inputSchema['required'];
  const isNeeded = Array.isArray(required) && required.includes(upstreamName);
  const { shape, nullable } = readSchema(schema, inputSchema);
  const takesNull = nullable || (shape.kind === 'scalar' && shape.type === 'any');
  if (takesNull || (merge.writes === 'whole' && !isNeeded)) return field;
  const { description = '' } = field;
  const separator = description === '' ? '' : /[.!?]$/.test(description) ? ' ' : '. ';
  return { ...field, description: `${description}${separator}Cannot be removed.` };
}
