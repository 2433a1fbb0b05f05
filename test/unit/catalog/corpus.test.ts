import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { groupBy } from '../../../src/base/lib/collections.js';
import { NAME_PATTERN, type Operation } from '../../../src/base/protocol/operation.js';
import type { ToolSet } from '../../../src/base/protocol/tools.js';
import { bindArguments } from '../../../src/catalog/arguments/bind-arguments.js';
import { exampleParams } from '../../../src/catalog/arguments/example-params.js';
import { buildCatalog } from '../../../src/catalog/build-catalog.js';
import type { Catalog } from '../../../src/catalog/catalog.js';
import { findGroupingParameter } from '../../../src/classify/facts.js';
import { describeParameters, describeReturns } from '../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { buildTypeRegistry, type TypeRegistry } from '../../../src/gateway/builtin/introspect/types/type-registry.js';
import { validatorFor } from '../../../src/schema/validator.js';
import { anUpstream } from '../../support/build-test-catalog.js';
import { corpusCatalog, corpusIsHere, readCorpus } from '../../support/corpus.js';
import { createDice, generateArguments, withoutForeign } from '../../support/generate-arguments.js';
import { minutes } from '../../support/patience.js';

const SCHEMAS = new URL('../../../../shared/spec/schemas/', import.meta.url);

/** The caller's form of arguments that a direct caller would send: canonical names, an UPDATE's fields inside `input`. */
function toCallerForm(
  { parameters, fixedArguments = {} }: Operation,
  direct: JsonObject,
  spelling: 'name' | 'upstreamName',
): JsonObject {
  const byUpstreamName = new Map(parameters.map((parameter) => [parameter.upstreamName, parameter]));
  const params: JsonObject = {};
  const input: JsonObject = {};
  for (const [key, value] of Object.entries(direct).filter(([key]) => !Object.hasOwn(fixedArguments, key))) {
    const parameter = byUpstreamName.get(key);
    if (parameter === undefined) throw new Error(`'${key}' is not a parameter`);
    (parameter.place === 'input' ? input : params)[parameter[spelling]] = value;
  }
  return parameters.some(({ place }) => place === 'input') ? { ...params, input } : params;
}

/** Arguments that the tool's own schema accepts, as rich as the generator manages, with what the operation fixes. */
function generateValid({ inputSchema, fixedArguments = {} }: Operation, seed: number): JsonObject | undefined {
  const dice = createDice(seed);
  for (let attempt = 0; attempt < 40; attempt++) {
    const generated = generateArguments(inputSchema, dice);
    const direct = { ...withoutForeign(inputSchema, generated, fixedArguments), ...fixedArguments };
    if (validatorFor(inputSchema).check(direct).violations.length === 0) return direct;
  }
  return undefined;
}

/** Every name that introspection documents as acceptable, by place. */
function documentedNames(operation: Operation, types: TypeRegistry): { params: string[]; input: string[] } {
  const beside = describeParameters(operation);
  const input = operation.parameters.some(({ place }) => place === 'input') ? beside.at(-1) : undefined;
  const details = input === undefined ? null : types.find(input.type);
  const fields = details?.kind === 'object' ? details.fields : [];
  return {
    params: beside.filter((parameter) => parameter !== input).map(({ name }) => name),
    input: fields.map(({ name }) => name),
  };
}

describe.skipIf(!corpusIsHere)('real catalogues (skipped where ../shared/corpus is absent)', () => {
  let toolSets: readonly ToolSet[];
  let catalog: Catalog;
  let types: TypeRegistry;

  beforeAll(() => {
    toolSets = readCorpus();
    catalog = corpusCatalog();
    types = buildTypeRegistry(catalog);
  }, minutes(3));

  it('every tool becomes one operation, or one for each value, with a valid name', () => {
    const keyOf = (upstream: string, tool: unknown): string => `${upstream} ${String(tool)}`;
    const tools = toolSets.flatMap(({ upstream, tools }) =>
      tools.map((tool) => [keyOf(upstream, tool['name']), tool] as const),
    );
    const offered = groupBy(catalog.operations, ({ upstream, tool }) => keyOf(upstream, tool));
    expect([...offered.keys()].sort()).toEqual(tools.map(([key]) => key).sort());
    for (const [key, tool] of tools) {
      const operations = offered.get(key) ?? [];
      const grouping = operations[0]?.fixedArguments === undefined ? null : findGroupingParameter(tool);
      const values = operations.map(({ fixedArguments }) => fixedArguments?.[grouping?.parameter ?? '']);
      expect(values.toSorted(), key).toEqual(grouping?.values.toSorted() ?? [undefined]);
    }
    // A few of some thousand tools have a schema without parameters, and a description with some; those of one server have lost theirs.
    const silent = catalog.diagnostics.filter(({ kind }) => kind === 'schema-says-nothing');
    expect(silent.length).toBeLessThan(15);
    const told = catalog.diagnostics.filter(({ severity }) => severity !== 'info');
    expect(told.filter((each) => !silent.includes(each))).toEqual([]);
    const names = catalog.operations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !NAME_PATTERN.test(name))).toEqual([]);
    const parameters = catalog.operations.flatMap((operation) => operation.parameters.map(({ name }) => name));
    expect(parameters.filter((name) => !NAME_PATTERN.test(name) || name.includes('__'))).toEqual([]);
  });

  it('the same tools in another order make the same catalog', () => {
    const shuffled = toolSets.toReversed().map((set) => ({ ...set, tools: set.tools.toReversed() }));
    const upstreams = shuffled.map(({ upstream }) => anUpstream(upstream));
    const again = buildCatalog({ toolSets: shuffled, upstreams, builtins: [], pins: {} });
    expect(again.operations).toEqual(catalog.operations);
    expect(again.diagnostics).toEqual(catalog.diagnostics);
  });

  it('valid arguments reach every tool exactly as a direct caller would send them', () => {
    const ungenerated: string[] = [];
    for (const [index, operation] of catalog.operations.entries()) {
      const direct = generateValid(operation, index + 1);
      if (direct === undefined) {
        ungenerated.push(operation.name);
        continue;
      }
      for (const spelling of ['name', 'upstreamName'] as const) {
        const params = toCallerForm(operation, direct, spelling);
        const bound = bindArguments(operation, params);
        expect(bound, `${operation.name} ${JSON.stringify(params)}`).toEqual({ ok: true, arguments: direct });
      }
    }
    expect(ungenerated).toEqual([]);
  });

  it('what introspection documents is accepted, and nothing else', () => {
    for (const operation of catalog.operations) {
      const documented = documentedNames(operation, types);
      const params: JsonObject = Object.fromEntries(documented.params.map((name) => [name, null]));
      const input: JsonObject = Object.fromEntries(documented.input.map((name) => [name, null]));
      const unknownName = 'surely_not_a_parameter';
      const wraps = documented.input.length > 0;
      const call = (extra: JsonObject): JsonObject =>
        wraps ? { ...params, input: { ...input, ...extra } } : { ...params, ...extra };
      const unknown = (bound: ReturnType<typeof bindArguments>): readonly string[] =>
        bound.ok ? [] : bound.faults.filter(({ code }) => /UNKNOWN|MISSING/.test(code)).map(({ param }) => param);

      expect(unknown(bindArguments(operation, call({}))), operation.name).toEqual([]);
      expect(documented.params.length + documented.input.length).toBe(operation.parameters.length);
      // A tool whose schema allows more takes it.
      const refused = operation.strict ? [wraps ? `input.${unknownName}` : unknownName] : [];
      expect(unknown(bindArguments(operation, call({ [unknownName]: 1 }))), operation.name).toEqual(refused);
    }
  });

  it('a missing required parameter is reported by its name', () => {
    for (const operation of catalog.operations) {
      const required = operation.parameters.filter((parameter) => parameter.required);
      const wraps = operation.parameters.some(({ place }) => place === 'input');
      const bound = bindArguments(operation, wraps ? { input: {} } : {});
      const missed = bound.ok ? [] : bound.faults.filter(({ code }) => code === 'VALIDATION_MISSING_PARAM');
      const expected = required.map(({ place, name }) => (place === 'input' ? `input.${name}` : name));
      expect(
        missed.map(({ param }) => param),
        operation.name,
      ).toEqual(expect.arrayContaining(expected.slice(0, 50)));
    }
  });

  it('nearly every example is a valid call', () => {
    const invalid = catalog.operations.filter((operation) => !bindArguments(operation, exampleParams(operation)).ok);
    // The others have patterns or recursions that only a search could satisfy.
    expect(invalid.length / catalog.operations.length).toBeLessThan(0.003);
  });

  it('every type that is mentioned is described', async () => {
    const json = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'any']);
    const known = new Set((await types.list()).map(({ name }) => name));
    const named = (type: string): string => type.replace(/(?:\[\])+$/, '');
    for (const operation of catalog.operations) {
      const infos = describeParameters(operation);
      const used = [...infos.map(({ type }) => type), ...infos.map(({ items }) => items?.type ?? 'any')];
      const undescribed = [...used, describeReturns(operation).name]
        .map(named)
        .filter((type) => !json.has(type) && !known.has(type));
      expect(undescribed, operation.name).toEqual([]);
    }
    for (const { name, kind } of await types.list()) {
      const details = types.find(name);
      expect(details?.kind, name).toBe(kind);
      const used =
        details?.kind === 'object'
          ? details.fields.map(({ type }) => type)
          : details?.kind === 'union'
            ? details.members
            : [];
      expect(
        used.map(named).filter((type) => !json.has(type) && !known.has(type)),
        name,
      ).toEqual([]);
    }
  });

  it('introspection answers in the shape of the published schema', async () => {
    const published = JSON.parse(readFileSync(new URL('introspection-response.schema.json', SCHEMAS), 'utf8'));
    const ajv = new Ajv2020({ strict: false }).addSchema(published);
    const isParameter = ajv.compile({ $ref: `${published.$id}#/$defs/ParameterInfo` });
    const isType = ajv.compile({ $ref: `${published.$id}#/$defs/TypeDetails` });
    const isListed = ajv.compile({ $ref: `${published.$id}#/$defs/TypeInfo` });
    for (const operation of catalog.operations) {
      expect(describeParameters(operation).filter((info) => !isParameter(info))).toEqual([]);
      expect(isListed(describeReturns(operation)), operation.name).toBe(true);
    }
    expect((await types.list()).filter((type) => !isListed(type))).toEqual([]);
    expect((await types.list()).filter(({ name }) => !isType(types.find(name)))).toEqual([]);
  });
});
