import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../../src/base/json/json.js';
import type { Answer, EvidenceBundle } from '../../src/conformance/evidence.js';

/** The published schemas are not part of the repository: the tests that need them are skipped where they are absent. */
export const PUBLISHED_SCHEMAS = new URL('../../../shared/spec/schemas/', import.meta.url);

/** One rule of the published conformance runner (MCPAQL/spec, scripts/run-conformance-tests.mjs), in our own words. */
export interface RuleOutcome {
  readonly category: string;
  readonly strength: 'MUST' | 'SHOULD';
  readonly rule: string;
  readonly cases: number;
  readonly faults: readonly string[];
}

type Validate = (value: unknown) => readonly string[];

/** Judges a bundle by every rule of the published runner but the semantic ones, which need a model. */
export function judgeByPublishedRules(bundle: EvidenceBundle): readonly RuleOutcome[] {
  const schemas = openSchemas();
  return [
    ...judgeIntrospection(bundle, schemas),
    ...judgeParameters(bundle),
    ...judgeErrors(bundle, schemas),
    ...judgeRoundTrips(bundle),
    ...judgeLevelTwo(bundle, schemas),
  ];
}

function openSchemas(): { readonly result: Validate; readonly introspection: (name: string) => Validate } {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const read = (name: string): JsonObject => JSON.parse(readFileSync(new URL(name, PUBLISHED_SCHEMAS), 'utf8'));
  const validate = (schema: JsonObject): Validate => {
    const check = ajv.compile(schema);
    return (value) => (check(value) ? [] : (check.errors ?? []).map((e) => `${e.instancePath} ${e.message}`));
  };
  const { $defs } = read('introspection-response.schema.json');
  return {
    result: validate(read('operation-result.schema.json')),
    introspection: (name) => validate({ $defs, $ref: `#/$defs/${name}` }),
  };
}

type Schemas = ReturnType<typeof openSchemas>;

function outcome(
  category: string,
  strength: RuleOutcome['strength'],
  rule: string,
  faults: readonly (readonly string[])[],
): RuleOutcome {
  return { category, strength, rule, cases: faults.length, faults: faults.flat() };
}

function judgeIntrospection(bundle: EvidenceBundle, { introspection }: Schemas): readonly RuleOutcome[] {
  const { operations_list, types_list, operation_details: details } = bundle.introspection;
  const rule = (name: string, faults: readonly (readonly string[])[]) =>
    outcome('Introspection Fidelity', 'MUST', name, faults);
  const listed = (answer: Answer, schema: string): readonly string[] =>
    answer.success ? introspection(schema)(answer.data) : ['the query failed'];
  const isDetails = introspection('OperationDetails');
  return [
    rule('operations query', [listed(operations_list, 'OperationsListData')]),
    rule('types query', [listed(types_list, 'TypesListData')]),
    rule(
      'operation details',
      details.map((one) => isDetails(one)),
    ),
    rule(
      'accepted parameters are the documented ones',
      details.map((one) => {
        const documented = parametersOf(one).map(({ name }) => name);
        const accepted = bundle.accepted_parameters[String(one['name'])] ?? [];
        return [
          ...accepted.filter((name) => !documented.includes(name)),
          ...documented.filter((name) => !accepted.includes(name)),
        ].map((name) => `${String(one['name'])}.${name}`);
      }),
    ),
  ];
}

interface NamedParameter {
  readonly name: string;
  readonly required: boolean;
}

function parametersOf({ parameters }: JsonObject): readonly NamedParameter[] {
  return parameters as readonly NamedParameter[];
}

function judgeParameters({ introspection, parameter_tests: tests }: EvidenceBundle): readonly RuleOutcome[] {
  const rule = (name: string, faults: readonly (readonly string[])[]) =>
    outcome('Parameter Handling', 'MUST', name, faults);
  const parameters = introspection.operation_details.flatMap((one) =>
    parametersOf(one).map((parameter) => ({ ...parameter, operation: String(one['name']) })),
  );
  const isRefused = ({ success, error }: Answer, name: string): boolean =>
    !success && error?.message.includes(name) === true;
  return [
    rule(
      'required parameters are enforced',
      parameters
        .filter(({ required }) => required)
        .map(({ operation, name }) => {
          const seen = tests.missing_required.find((one) => one.operation === operation && one.parameter === name);
          return seen !== undefined && isRefused(seen.response, name) ? [] : [`${operation}.${name}`];
        }),
    ),
    rule(
      'unknown parameters are refused or warned of',
      tests.unknown_parameter.map(({ operation, parameter, response }) => {
        const warnings: unknown = response['warnings'];
        const isWarned = response.success && Array.isArray(warnings) && warnings.length > 0;
        return isRefused(response, parameter) || isWarned ? [] : [operation];
      }),
    ),
    rule(
      'documented defaults are observable',
      tests.optional_defaults.map(({ operation, parameter, response, expected_value_path, expected_value }) =>
        valueAt(response, expected_value_path) === expected_value
          ? []
          : [`${operation}.${parameter}: ${expected_value_path}`],
      ),
    ),
    rule(
      'names are snake_case',
      parameters.map(({ operation, name }) => (/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${operation}.${name}`])),
    ),
  ];
}

/** What the published runner takes for internals; the fourth is meant for stack frames. */
const LEAKS = [
  /typeerror/i,
  /referenceerror/i,
  /syntaxerror/i,
  /at\s+\S+/i,
  /\/src\//i,
  /\/node_modules\//i,
  /\.[tj]s:\d+/i,
];

function judgeErrors({ error_tests: tests }: EvidenceBundle, { result }: Schemas): readonly RuleOutcome[] {
  const rule = (strength: RuleOutcome['strength'], name: string, faultsOf: (one: (typeof tests)[number]) => string[]) =>
    outcome('Error Quality', strength, name, tests.map(faultsOf));
  return [
    rule('MUST', 'errors have the published form', ({ name, response }) =>
      result(response).map((fault) => `${name}: ${fault}`),
    ),
    rule('MUST', 'messages leak no internals', ({ name, response }) => {
      const message = response.error?.message ?? '';
      return LEAKS.some((leak) => leak.test(message)) ? [`${name}: ${message}`] : [];
    }),
    rule('SHOULD', 'messages name what has to be mended', ({ name, must_mention, response }) =>
      must_mention.filter((word) => response.error?.message.includes(word) !== true).map((word) => `${name}: ${word}`),
    ),
  ];
}

function judgeRoundTrips(bundle: EvidenceBundle): readonly RuleOutcome[] {
  const differing = (name: string, fields: JsonObject, response: Answer): readonly string[] =>
    Object.entries(fields)
      .filter(([path, value]) => JSON.stringify(valueAt(response, path)) !== JSON.stringify(value))
      .map(([path]) => `${name}: ${path}`);
  return [
    outcome(
      'Round-Trip Integrity',
      'MUST',
      'what was created is read unchanged',
      bundle.round_trip_tests.map((one) => differing(one.name, one.expected_fields, one.read_response)),
    ),
    outcome(
      'Round-Trip Integrity',
      'MUST',
      'updates leave the rest alone',
      bundle.update_preservation_tests.map((one) => differing(one.name, one.preserved_fields, one.read_response)),
    ),
  ];
}

function judgeLevelTwo(bundle: EvidenceBundle, { result }: Schemas): readonly RuleOutcome[] {
  const { endpoint_modes: modes, capabilities, batch_example, constraint_tests } = bundle;
  const feature = (name: string, faults: readonly (readonly string[])[]) =>
    outcome('Level 2 Features', 'SHOULD', name, faults);
  return [
    feature(
      'both endpoint modes',
      ['crude', 'single'].map((mode) => (modes.includes(mode) ? [] : [mode])),
    ),
    feature('field selection', [capabilities.field_selection ? [] : ['not advertised']]),
    feature('batches', [capabilities.batch_operations ? result(batch_example) : ['not advertised']]),
    outcome(
      'Constraint Documentation',
      'SHOULD',
      'constraints are enforced and documented',
      constraint_tests.map(({ name, documented, response }) =>
        !response.success && typeof response.error?.message === 'string' && documented ? [] : [name],
      ),
    ),
  ];
}

/** As the runner reads it: members of objects and lists, the length of a list included. */
function valueAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], answer);
}
