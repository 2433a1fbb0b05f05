import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { dataOf, namedItems } from './catalog-view.js';
import { type Clause, examine } from './clause.js';
import type { Answer, EvidenceBundle, Observations } from './evidence.js';
import { ENVELOPE, OPERATION_DETAILS, OPERATIONS_DATA, type Shape, TYPE_DETAILS, TYPES_DATA } from './wire-shapes.js';

/** What introspection has to say, and to be right about. */
export const INTROSPECTION_CLAUSES: readonly Clause[] = [
  {
    id: 'introspect-operations',
    level: 1,
    strength: 'MUST',
    section: '10.1; introspection 8.1 (2, 3, 11)',
    demand: 'introspect lists every operation, with _protocol.version',
    judge: ({ bundle }) => judgeList(bundle.introspection.operations_list, 'operations', OPERATIONS_DATA),
  },
  {
    id: 'introspect-types',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (2, 5)',
    demand: 'introspect lists every type',
    judge: ({ bundle }) => judgeList(bundle.introspection.types_list, 'types', TYPES_DATA),
  },
  {
    id: 'introspect-itself',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (1)',
    demand: 'introspect is a READ of a documented endpoint family',
    judge: ({ bundle }) =>
      examine(
        detailsOf(bundle).filter(({ name }) => name === 'introspect'),
        ({ semantic_category, endpoint }) =>
          semantic_category === 'READ' && endpoint !== '' ? undefined : 'introspect is no READ',
      ),
  },
  {
    id: 'operation-details',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (4, 7)',
    demand: 'the details of every listed operation have the published form',
    judge: ({ bundle }) => {
      const details = new Map(detailsOf(bundle).map((one) => [one['name'], one]));
      return examine(namedItems(bundle.introspection.operations_list, 'operations'), ({ name }) =>
        misfit(OPERATION_DETAILS, details.get(name), name),
      );
    },
  },
  {
    id: 'type-details',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (6)',
    demand: 'the details of every listed type have the published form',
    judge: ({ bundle, typeDetails }) => {
      const details = new Map(typeDetails.map((one) => [one['name'], one]));
      return examine(namedItems(bundle.introspection.types_list, 'types'), ({ name }) =>
        misfit(TYPE_DETAILS, details.get(name), name),
      );
    },
  },
  {
    id: 'consistent-types',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (8)',
    demand: 'every type that a parameter or a result names is listed',
    judge: judgeTypeNames,
  },
  {
    id: 'unknown-names',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1 (9)',
    demand: 'introspection of an unknown operation or type is null, and no error',
    judge: ({ unknownNames }) =>
      examine(['operation', 'type'] as const, (kind) =>
        unknownNames[kind].success && dataOf(unknownNames[kind])[kind] === null ? undefined : `${kind}: not null`,
      ),
  },
  {
    id: 'classification',
    level: 1,
    strength: 'MUST',
    section: '10.1; 8.1 to 8.3',
    demand: 'list and details agree on category and family, and permissions follow the category',
    judge: judgeClassification,
  },
  {
    id: 'examples',
    level: 1,
    strength: 'SHOULD',
    section: 'introspection 8.2 (1)',
    demand: 'every operation has an example',
    judge: ({ bundle }) =>
      examine(detailsOf(bundle), ({ name, examples }) =>
        Array.isArray(examples) && examples.length > 0 ? undefined : String(name),
      ),
  },
  {
    id: 'parameter-descriptions',
    level: 1,
    strength: 'SHOULD',
    section: 'introspection 8.2 (2)',
    demand: 'every parameter has a description',
    judge: ({ bundle }) =>
      examine(parametersOf(bundle), ({ operation, parameter }) =>
        typeof parameter['description'] === 'string' ? undefined : `${operation}.${String(parameter['name'])}`,
      ),
  },
  {
    id: 'protocol-types',
    level: 1,
    strength: 'SHOULD',
    section: 'introspection 8.2 (5, 7)',
    demand: 'the protocol types are listed, and introspect among the operations',
    judge: ({ bundle }) => {
      const types = namedItems(bundle.introspection.types_list, 'types').map(({ name }) => name);
      const operations = namedItems(bundle.introspection.operations_list, 'operations').map(({ name }) => name);
      const names = new Set([...types, ...operations]);
      return examine(['SemanticCategory', 'OperationInput', 'OperationResult', 'introspect'], (name) =>
        names.has(name) ? undefined : name,
      );
    },
  },
];

function judgeList(answer: Answer, member: string, shape: Shape): ReturnType<typeof examine> {
  const faults = [...ENVELOPE(answer, 'answer'), ...shape(answer.data, 'data')];
  return { cases: namedItems(answer, member).length, faults };
}

function misfit(shape: Shape, value: unknown, name: string): string | undefined {
  const [fault] = shape(value, name);
  return fault;
}

function detailsOf(bundle: EvidenceBundle): readonly JsonObject[] {
  return bundle.introspection.operation_details;
}

/** Every documented parameter, with the operation that it belongs to. */
export function parametersOf(
  bundle: EvidenceBundle,
): readonly { readonly operation: string; readonly parameter: JsonObject }[] {
  return detailsOf(bundle).flatMap(({ name, parameters }) => {
    const all: unknown[] = Array.isArray(parameters) ? parameters : [];
    return all.filter(isJsonObject).map((parameter) => ({ operation: String(name), parameter }));
  });
}

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'any'];

function judgeTypeNames({ bundle, typeDetails }: Observations): ReturnType<typeof examine> {
  const known = new Set([
    ...JSON_TYPES,
    ...namedItems(bundle.introspection.types_list, 'types').map(({ name }) => name),
  ]);
  const fields = typeDetails.flatMap(({ name, fields: all }) =>
    (Array.isArray(all) ? all : []).filter(isJsonObject).map((parameter) => ({ operation: String(name), parameter })),
  );
  return examine([...parametersOf(bundle), ...fields], ({ operation, parameter }) => {
    const unknown = typeNamesOf(parameter).find((name) => !known.has(name));
    return unknown === undefined ? undefined : `${operation}.${String(parameter['name'])}: '${unknown}' is not listed`;
  });
}

/** The names in `type` and in `items`, without the brackets of lists. */
function typeNamesOf({ type, items }: JsonObject): readonly string[] {
  const own = typeof type === 'string' ? [type.replace(/(\[\])+$/, '')] : [];
  return isJsonObject(items) ? [...own, ...typeNamesOf(items)] : own;
}

const PERMISSIONS: Readonly<Record<string, { readonly readOnly: boolean; readonly destructive?: boolean }>> = {
  CREATE: { readOnly: false, destructive: false },
  READ: { readOnly: true, destructive: false },
  UPDATE: { readOnly: false },
  DELETE: { readOnly: false, destructive: true },
  EXECUTE: { readOnly: false },
};

function judgeClassification({ bundle }: Observations): ReturnType<typeof examine> {
  const listed = new Map(namedItems(bundle.introspection.operations_list, 'operations').map((one) => [one.name, one]));
  return examine(
    detailsOf(bundle),
    ({ name, semantic_category, endpoint, permissions }) => {
      const info = listed.get(String(name));
      if (info?.['semantic_category'] !== semantic_category || info?.['endpoint'] !== endpoint)
        return `${String(name)}: list and details differ`;
      const expected = PERMISSIONS[String(semantic_category)];
      const given = isJsonObject(permissions) ? permissions : {};
      const fits =
        expected !== undefined &&
        given['readOnly'] === expected.readOnly &&
        (expected.destructive === undefined || given['destructive'] === expected.destructive);
      return fits ? undefined : `${String(name)}: permissions do not follow ${String(semantic_category)}`;
    },
    'consistency is judged; whether a category is the right one takes a reader',
  );
}
