import {
  CATEGORIES,
  CATEGORY_PERMISSIONS,
  type Category,
  type DangerLevel,
  GATEWAY_SOURCE,
  type Operation,
  type OperationFields,
  type Parameter,
} from '../../../../src/base/protocol/operation.js';
import type { Catalog } from '../../../../src/catalog/catalog.js';
import { finishOperation } from '../../../../src/catalog/operation.js';
import type { FamilyDefinition, ProfileDefinition } from '../../../../src/config/gateway-config.js';

interface OperationSketch extends Partial<Omit<OperationFields, 'classification'>> {
  readonly category?: Category;
  readonly danger?: DangerLevel;
  /** Required parameters by name. */
  readonly required?: readonly string[];
  /** Required fields of an UPDATE's `input`, by name. */
  readonly input?: readonly string[];
}

/** An operation with defaults for everything that a test does not set. */
export function fakeOperation(name: string, sketch: OperationSketch = {}): Operation {
  const { category = 'READ', danger, required = [], input = [], ...rest } = sketch;
  const upstream = rest.upstream ?? 'alpha';
  const schemas = Object.fromEntries([...required, ...input].map((key) => [key, { type: 'string' }]));
  return finishOperation({
    name,
    qualifiedName: upstream === GATEWAY_SOURCE || name.includes('__') ? name : `${upstream}__${name}`,
    upstream,
    tool: name,
    classification: {
      category,
      danger: {
        level: danger ?? (CATEGORY_PERMISSIONS[category].readOnly ? 'safe' : 'reversible'),
        reasons: ['by its name'],
      },
      confidence: 0.9,
      evidence: ['the leading word'],
    },
    description: `Does ${name.replaceAll('_', ' ')}.`,
    parameters: [
      ...required.map((key) => fakeParameter(key, 'params')),
      ...input.map((key) => fakeParameter(key, 'input')),
    ],
    identifiers: input.length > 0 ? required : [],
    strict: true,
    inputSchema: { type: 'object', properties: schemas, required: [...required, ...input] },
    retryable: category === 'READ',
    groupedBy: null,
    ...rest,
  });
}

function fakeParameter(name: string, place: Parameter['place']): Parameter {
  return { name, upstreamName: name, place, required: true, schema: { type: 'string' } };
}

/** A catalog over these operations, found by exposed and qualified name. */
export function fakeCatalog(operations: readonly Operation[]): Catalog {
  const ordered = operations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(
    ordered.flatMap((operation) => [operation.name, operation.qualifiedName].map((key) => [key, operation])),
  );
  return {
    operations: ordered,
    diagnostics: [],
    upstreams: [...new Set(ordered.map(({ upstream }) => upstream))],
    holders: new Map(),
    find: (name) => byName.get(name),
    resolve: () => ({ kind: 'unknown', nearest: [] }),
  };
}

export const FAKE_INTROSPECT = fakeOperation('introspect', { upstream: GATEWAY_SOURCE });

export function fakeFamily(name: string, rest: Partial<FamilyDefinition> = {}): FamilyDefinition {
  return { name, purpose: `What ${name} is for.`, categories: [], verbs: [], patterns: [], only: CATEGORIES, ...rest };
}

/** Five families, one for each category. */
export const FAKE_CRUDE: ProfileDefinition = {
  name: 'crude',
  families: [
    fakeFamily('create', { purpose: 'Add new things without changing existing ones.', categories: ['CREATE'] }),
    fakeFamily('read', { purpose: 'Read and search without changing anything.', categories: ['READ'] }),
    fakeFamily('update', {
      purpose: 'Change existing things; the changes go into params.input.',
      categories: ['UPDATE'],
    }),
    fakeFamily('delete', { purpose: 'Remove things, often for good.', categories: ['DELETE'] }),
    fakeFamily('execute', {
      purpose: 'Run actions and everything with effects beyond stored data.',
      categories: ['EXECUTE'],
    }),
  ],
};
