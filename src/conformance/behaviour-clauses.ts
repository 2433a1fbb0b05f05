import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../base/json/json.js';
import { findLeak } from '../base/protocol/clean-words.js';
import { type Clause, examine, type Finding } from './clause.js';
import type { Answer, EvidenceBundle, Observations, RoundTripKind } from './evidence.js';
import { isSelection } from './feature-evidence.js';
import { parametersOf } from './introspection-clauses.js';
import { mentions } from './parameter-evidence.js';
import { BATCH, ENVELOPE, FAILURE } from './wire-shapes.js';

/** What calls have to do: parameters, errors, data that survives, modes, batches. */
export const BEHAVIOUR_CLAUSES: readonly Clause[] = [
  {
    id: 'canonical-names',
    level: 1,
    strength: 'MUST',
    section: '4.3',
    demand: 'parameter names are snake_case: ^[a-z][a-z0-9_]*$',
    judge: ({ bundle }) =>
      examine(parametersOf(bundle), ({ operation, parameter }) =>
        /^[a-z][a-z0-9_]*$/.test(String(parameter['name'])) ? undefined : `${operation}.${String(parameter['name'])}`,
      ),
  },
  {
    id: 'complete-parameters',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1.1, 8.1.2',
    demand: 'documented parameters are accepted, and accepted ones documented',
    judge: ({ bundle }) => judgeCompleteness(bundle),
  },
  {
    id: 'missing-parameters',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1.1 (3)',
    demand: 'a call without a required parameter is refused, and the parameter named',
    judge: ({ bundle }) =>
      examine(bundle.parameter_tests.missing_required, ({ operation, parameter, response }) =>
        !response.success && mentions(response, parameter) ? undefined : `${operation}.${parameter}`,
      ),
  },
  {
    id: 'unknown-parameters',
    level: 1,
    strength: 'MUST',
    section: '4.6; introspection 8.2.1',
    demand: 'an unknown parameter is refused or warned of, and named',
    judge: ({ bundle, notProbed }) =>
      examine(
        bundle.parameter_tests.unknown_parameter,
        ({ operation, parameter, response }) =>
          mentions(response, parameter) || JSON.stringify(response['warnings'] ?? []).includes(parameter)
            ? undefined
            : operation,
        notProbed.length === 0 ? undefined : `${notProbed.length} left out`,
      ),
  },
  {
    id: 'defaults',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1.1, 8.2 (3)',
    demand: 'documented defaults are what happens without the parameter',
    judge: ({ bundle }) =>
      examine(bundle.parameter_tests.optional_defaults, ({ operation, parameter, response, ...expected }) =>
        isDeepStrictEqual(valueAt(response, expected.expected_value_path), expected.expected_value)
          ? undefined
          : `${operation}.${parameter}`,
      ),
  },
  {
    id: 'answer-format',
    level: 1,
    strength: 'MUST',
    section: '5; 10.1',
    demand: 'every answer is a success with data or a failure with code and message',
    judge: (seen) => examine(answersOf(seen), (answer) => ENVELOPE(answer, 'answer')[0]),
  },
  {
    id: 'error-format',
    level: 1,
    strength: 'MUST',
    section: '5.2; operations 8',
    demand: 'what has to be refused is refused, in the form of an error',
    judge: ({ bundle }) =>
      examine(bundle.error_tests, ({ name, response }) => {
        const [fault] = FAILURE(response, 'answer');
        return fault === undefined ? undefined : `${name}: ${fault}`;
      }),
  },
  {
    id: 'no-leaks',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1.3',
    demand: "no message has internals in it, by the published suite's patterns",
    judge: (seen) =>
      examine(
        answersOf(seen).filter(({ success }) => !success),
        ({ error }) => {
          const leak = findLeak(error?.message ?? '');
          return leak === undefined ? undefined : `'${leak}' in: ${error?.message ?? ''}`;
        },
      ),
  },
  {
    id: 'actionable-errors',
    level: 1,
    strength: 'SHOULD',
    section: 'introspection 8.2.3',
    demand: 'messages name what was wrong',
    judge: ({ bundle }) =>
      examine(bundle.error_tests, ({ name, must_mention, response }) => {
        const absent = must_mention.find((word) => !mentions(response, word));
        return absent === undefined ? undefined : `${name}: '${absent}' is not in: ${response.error?.message ?? ''}`;
      }),
  },
  {
    id: 'wrong-endpoints',
    level: 1,
    strength: 'MUST',
    section: '6.3; 10.1',
    demand: 'an operation through the wrong family is refused, and the right tool named',
    judge: ({ modes, routing }) =>
      modes.some(({ mode }) => mode === 'semantic')
        ? examine(routing, ({ operation, tool, response }) =>
            response.error?.code === 'VALIDATION_ENDPOINT_MISMATCH' && mentions(response, tool) ? undefined : operation,
          )
        : 'does not apply: the gateway shows no endpoint families',
  },
  {
    id: 'round-trips',
    level: 1,
    strength: 'MUST',
    section: 'introspection 8.1.1',
    demand: 'what was written is read back unchanged',
    judge: ({ bundle, planned }) =>
      whyNoTrip({ bundle, planned }, 'round_trip', ['CREATE', 'UPDATE']) ??
      examine(bundle.round_trip_tests, ({ name, expected_fields, read_response }) =>
        findDifference(name, expected_fields, read_response),
      ),
  },
  {
    id: 'update-preservation',
    level: 1,
    strength: 'MUST',
    section: '4.5.1',
    demand: 'an update leaves the rest as it was',
    judge: ({ bundle, planned }) =>
      whyNoTrip({ bundle, planned }, 'update_preservation', ['UPDATE']) ??
      examine(bundle.update_preservation_tests, ({ name, preserved_fields, read_response }) =>
        findDifference(name, preserved_fields, read_response),
      ),
  },
  {
    id: 'constraints',
    level: 1,
    strength: 'SHOULD',
    section: 'introspection 8.2.2',
    demand: 'documented constraints are enforced, with a structured error that names the parameter',
    judge: ({ bundle }) =>
      examine(bundle.constraint_tests, ({ name, parameter, response }) =>
        FAILURE(response, name).length === 0 && mentions(response, parameter) ? undefined : name,
      ),
  },
  {
    id: 'semantics',
    level: 1,
    strength: 'SHOULD',
    section: 'the published suite',
    demand: 'a model understands descriptions and errors',
    judge: () => 'cannot be judged without a model',
  },
  {
    id: 'one-mode',
    level: 1,
    strength: 'MUST',
    section: '3.3; 10.1',
    demand: 'semantic or single endpoint mode works',
    judge: ({ modes }) => examine(modes, ({ mode, introspection }) => (introspection.success ? undefined : mode)),
  },
  {
    id: 'both-modes',
    level: 2,
    strength: 'MUST',
    section: '3.3; 10.1',
    demand: 'semantic and single endpoint mode work',
    judge: ({ modes }) =>
      examine(['semantic', 'single'] as const, (wanted) =>
        modes.some(({ mode, introspection }) => mode === wanted && introspection.success)
          ? undefined
          : `${wanted} was not seen; with --url, give the URL of each mode`,
      ),
  },
  {
    id: 'field-selection',
    level: 2,
    strength: 'MUST',
    section: '10.1; field selection',
    demand: "'fields' leaves out the other fields",
    judge: ({ bundle, fieldSelection }) =>
      fieldSelection.length === 0 && bundle.introspection.operation_details.length > 0
        ? "does not apply: no READ beside introspect takes 'fields', or none has answered with several"
        : examine(fieldSelection, (one) => (isSelection(one) ? undefined : `${one.operation}: ${one.field}`)),
  },
  {
    id: 'batches',
    level: 2,
    strength: 'MUST',
    section: '10.1; operations 7',
    demand: 'a batch answers each operation by itself, with a summary',
    judge: ({ bundle }) => judgeBatch(bundle.batch_example),
  },
];

/** Whether operations were seen, and none of them is of these categories. */
/** Why there is no round trip to judge: nothing is written, or nothing is known to show what was. Undefined where there has to be one. */
function whyNoTrip(
  { bundle, planned }: Pick<Observations, 'bundle' | 'planned'>,
  kind: RoundTripKind,
  categories: readonly string[],
): string | undefined {
  const { operation_details: details } = bundle.introspection;
  if (details.length === 0 || planned.includes(kind)) return undefined;
  const writers = details.filter((one) => categories.includes(String(one['semantic_category'])));
  const names = writers.map(({ name }) => `'${String(name)}'`);
  if (names.length === 0) return 'does not apply: no operation writes in this way';
  const shown = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
  return `does not apply: no READ is known to show what ${shown} wrote; where there is one, name it with --round-trips`;
}

function judgeCompleteness(bundle: EvidenceBundle): Finding {
  return examine(Object.entries(bundle.accepted_parameters), ([operation, accepted]) => {
    const documented = parametersOf(bundle)
      .filter((one) => one.operation === operation)
      .map(({ parameter }) => String(parameter['name']));
    const hidden = accepted.filter((name) => !documented.includes(name));
    const refused = documented.filter((name) => !accepted.includes(name));
    if (hidden.length > 0) return `${operation}: accepts '${hidden.join("', '")}', which it does not document`;
    return refused.length > 0 ? `${operation}: documents '${refused.join("', '")}', which it refuses` : undefined;
  });
}

/** Every answer that was gathered, with the items of the batch. */
function answersOf({ bundle, routing, unknownNames, modes, fieldSelection }: Observations): readonly Answer[] {
  const { introspection, parameter_tests: tests } = bundle;
  return [
    introspection.operations_list,
    introspection.types_list,
    ...[...tests.missing_required, ...tests.unknown_parameter, ...tests.optional_defaults].map(
      ({ response }) => response,
    ),
    ...bundle.error_tests.map(({ response }) => response),
    ...bundle.constraint_tests.map(({ response }) => response),
    ...[...bundle.round_trip_tests, ...bundle.update_preservation_tests].map(({ read_response }) => read_response),
    ...fieldSelection.flatMap(({ whole, selected }) => [whole, selected]),
    ...routing.map(({ response }) => response),
    ...modes.map((seen) => seen.introspection),
    unknownNames.operation,
    unknownNames.type,
    bundle.batch_example,
  ];
}

function findDifference(
  name: string,
  expected: Readonly<Record<string, unknown>>,
  response: Answer,
): string | undefined {
  const differs = Object.entries(expected).find(([path, value]) => !isDeepStrictEqual(valueAt(response, path), value));
  return differs === undefined
    ? undefined
    : `${name}: ${differs[0]} is ${JSON.stringify(valueAt(response, differs[0]))}`;
}

/** The value at a dotted path with indexes; `length` of a list too. */
function valueAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return step === 'length' ? value.length : value[Number(step)];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, answer);
}

/** The first operation of the batch is there, the second is not. */
function judgeBatch(answer: Answer): Finding {
  const faults = BATCH(answer, 'answer');
  if (faults.length > 0) return { cases: 1, faults };
  const { results, summary } = answer as Answer & {
    readonly results: readonly { readonly index: number; readonly result: Answer }[];
    readonly summary: { readonly total: number; readonly succeeded: number; readonly failed: number };
  };
  const outcome = results.map(({ result }) => result.success);
  const counts = [summary.total, summary.succeeded, summary.failed];
  return examine(
    [
      { name: 'results', fits: isDeepStrictEqual(outcome, [true, false]) },
      { name: 'index', fits: results.every(({ index }, position) => index === position) },
      { name: 'summary', fits: isDeepStrictEqual(counts, [2, 1, 1]) },
    ],
    ({ name, fits }) => (fits ? undefined : name),
  );
}
