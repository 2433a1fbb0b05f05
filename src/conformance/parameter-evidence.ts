import type { JsonObject } from '../base/json/json.js';
import type { DocumentedOperation, DocumentedParameter } from './catalog-view.js';
import { gatherDefaults } from './default-evidence.js';
import type { Answer, ConstraintCase, EvidenceBundle, ParameterCase } from './evidence.js';
import type { Probe } from './probe.js';

/** A name that no operation documents. */
const UNKNOWN_PARAMETER = 'conformance_unknown_parameter';

/** Names that the protocol's documents give to many operations; an operation that accepts one has to document it. */
const CROSS_CUTTING = [
  'fields',
  'limit',
  'offset',
  'dry_run',
  'if_match',
  'confirmation_token',
  'element_type',
] as const;

interface ParameterEvidence {
  readonly parameter_tests: EvidenceBundle['parameter_tests'];
  readonly accepted_parameters: EvidenceBundle['accepted_parameters'];
  readonly constraint_tests: readonly ConstraintCase[];
  readonly notProbed: readonly string[];
}

/**
 * Gathers how parameters are handled. Every call leaves out a required parameter or has an unknown one, so that a
 * gateway which checks its parameters runs nothing; for what is no READ both where that is possible, so that an upstream
 * whose unknown parameters pass runs nothing either.
 */
export async function gatherParameterEvidence(
  probe: Probe,
  operations: readonly DocumentedOperation[],
): Promise<ParameterEvidence> {
  const reads = operations.filter(isRead);
  const others = operations.filter((operation) => !isRead(operation));
  const missing: ParameterCase[] = [];
  for (const operation of operations) missing.push(...(await leaveOut(probe, operation)));

  const unknown: ParameterCase[] = [];
  for (const operation of reads) unknown.push(await addUnknown(probe, operation, operation.example));
  const lenient = new Set(unknown.filter(({ response }) => response.success).map(({ operation }) => operation));
  const isProbed = (operation: DocumentedOperation): boolean =>
    isRead(operation) || cannotRun(operation) || refusesUnknown(operation.upstream, reads, lenient);
  for (const operation of others.filter(isProbed)) unknown.push(await addUnknown(probe, operation, {}));

  const crossCutting = [...new Set([...CROSS_CUTTING, ...reads.flatMap(({ parameters }) => controlNames(parameters))])];
  const accepted: [string, readonly string[]][] = [];
  for (const operation of operations.filter(isProbed)) {
    accepted.push([operation.name, await findAccepted(probe, operation, crossCutting, missing)]);
  }
  return {
    parameter_tests: {
      missing_required: missing,
      unknown_parameter: unknown,
      optional_defaults: await gatherDefaults(probe, reads, operations.length),
    },
    accepted_parameters: Object.fromEntries(accepted),
    constraint_tests: await gatherConstraints(probe, reads),
    notProbed: operations
      .filter((operation) => !isProbed(operation))
      .map(
        ({ name }) => `${name}: has no required parameter to leave out, and no READ of its upstream proves a refusal`,
      ),
  };
}

export function isRead({ category }: DocumentedOperation): boolean {
  return category === 'READ';
}

/** Whether a call without parameters is refused for a missing one, whatever else is in it. */
function cannotRun({ parameters }: DocumentedOperation): boolean {
  return parameters.some(({ required }) => required);
}

function refusesUnknown(
  upstream: string,
  reads: readonly DocumentedOperation[],
  lenient: ReadonlySet<string>,
): boolean {
  const known = reads.filter((read) => read.upstream === upstream);
  return known.length > 0 && known.every(({ name }) => !lenient.has(name));
}

/** The parameters that the gateway adds to collections: documented alike by several READs. */
function controlNames(parameters: readonly DocumentedParameter[]): readonly string[] {
  return parameters.filter(({ required }) => !required).map(({ name }) => name);
}

async function leaveOut(probe: Probe, operation: DocumentedOperation): Promise<readonly ParameterCase[]> {
  const cases: ParameterCase[] = [];
  for (const { name } of operation.parameters.filter(({ required }) => required)) {
    const params = isRead(operation) ? without(operation.example, name) : {};
    cases.push({ operation: operation.name, parameter: name, response: await send(probe, operation, params) });
  }
  return cases;
}

async function addUnknown(probe: Probe, operation: DocumentedOperation, params: JsonObject): Promise<ParameterCase> {
  const response = await send(probe, operation, { ...params, [UNKNOWN_PARAMETER]: 1 });
  return { operation: operation.name, parameter: UNKNOWN_PARAMETER, response };
}

/**
 * The names that the handler takes: they are sent beside an unknown one, and accepted where the refusal does not name them. A
 * required parameter of what is no READ is accepted where its absence is reported; it is never sent.
 */
async function findAccepted(
  probe: Probe,
  operation: DocumentedOperation,
  crossCutting: readonly string[],
  missing: readonly ParameterCase[],
): Promise<readonly string[]> {
  const { name, parameters } = operation;
  const absent = new Map(
    missing.filter((known) => known.operation === name).map(({ parameter, response }) => [parameter, response]),
  );
  const required = [...absent].filter(([parameter, response]) => mentions(response, parameter));
  const documented = new Set(parameters.map((parameter) => parameter.name));
  const candidates = [
    ...parameters
      .filter((parameter) => !absent.has(parameter.name))
      .map((one) => [one.name, sampleValue(one)] as const),
    ...crossCutting.filter((other) => !documented.has(other)).map((other) => [other, 'conformance'] as const),
  ];
  return [...required.map(([parameter]) => parameter), ...(await findTaken(probe, operation, candidates))];
}

/** Those names that are accepted: all in one call where its refusal names the unknown ones, else each in its own. */
async function findTaken(
  probe: Probe,
  operation: DocumentedOperation,
  candidates: readonly (readonly [name: string, value: unknown])[],
): Promise<readonly string[]> {
  const values = Object.fromEntries(candidates);
  const unknown = unknownIn(await send(probe, operation, { ...baseOf(operation), ...values, [UNKNOWN_PARAMETER]: 1 }));
  if (unknown.includes(UNKNOWN_PARAMETER)) return Object.keys(values).filter((name) => !unknown.includes(name));
  const taken: string[] = [];
  for (const [name, value] of candidates) {
    if (await takes(probe, operation, name, value)) taken.push(name);
  }
  return taken;
}

async function takes(
  probe: Probe,
  operation: DocumentedOperation,
  parameter: string,
  value: unknown,
): Promise<boolean> {
  const params = { ...baseOf(operation), [parameter]: value, [UNKNOWN_PARAMETER]: 1 };
  return !unknownIn(await send(probe, operation, params)).includes(parameter);
}

/** What a probing call holds besides: nothing for what is no READ, so that its required parameters are missing. */
function baseOf(operation: DocumentedOperation): JsonObject {
  return isRead(operation) ? operation.example : {};
}

/** The parameters that a refusal calls unknown: in its details, or where it has none in the first sentence of its message. */
function unknownIn({ error }: Answer): readonly unknown[] {
  const unknown = error?.details?.['unknown_params'];
  if (Array.isArray(unknown)) return unknown;
  // A missing `input` has the code, and what is unknown beside it the first sentence.
  if (error === undefined || !/^Unknown parameter/.test(error.message)) return [];
  const [listed = ''] = error.message.replace(/ \(did you mean '[^']*'\?\)/g, '').split('. ');
  return Array.from(listed.matchAll(/'([^']*)'/g), ([, quoted]) => quoted);
}

/** Values that break what a READ documents of a parameter. */
async function gatherConstraints(
  probe: Probe,
  reads: readonly DocumentedOperation[],
): Promise<readonly ConstraintCase[]> {
  const cases: ConstraintCase[] = [];
  for (const operation of reads) {
    for (const parameter of operation.parameters) {
      for (const { constraint, value } of violationsOf(parameter)) {
        const [kind = ''] = Object.keys(constraint);
        cases.push({
          name: `${operation.name}.${parameter.name}: ${kind}`,
          operation: operation.name,
          parameter: parameter.name,
          constraint,
          documented: true,
          response: await send(probe, operation, { ...operation.example, [parameter.name]: value }),
        });
      }
    }
  }
  return cases;
}

/** Whether a refusal's message names something. */
export function mentions({ error }: Answer, word: string): boolean {
  return error?.message.includes(word) === true;
}

function send(probe: Probe, { name, tool }: DocumentedOperation, params: JsonObject): Promise<Answer> {
  return probe.send(tool, { operation: name, params });
}

function without(params: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== name));
}

/** A value of the documented type, within its constraints as far as they are simple. */
function sampleValue(parameter: DocumentedParameter): unknown {
  const allowed = parameter['enum'];
  if (Array.isArray(allowed) && allowed.length > 0) return allowed[0];
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return typeof parameter['minimum'] === 'number' ? parameter['minimum'] : 1;
    case 'boolean':
      return false;
    case 'string':
      return 'x'.repeat(typeof parameter['minLength'] === 'number' ? Math.max(1, parameter['minLength']) : 1);
    case 'array':
      return [];
    default:
      return {};
  }
}

/** One documented constraint, and a value that breaks it. */
interface Violation {
  readonly constraint: JsonObject;
  readonly value: unknown;
}

/** A value for each constraint of a parameter that can be broken without knowing the domain. */
function violationsOf(parameter: DocumentedParameter): readonly Violation[] {
  const { minimum, maximum, minLength, maxLength } = parameter;
  const allowed = parameter['enum'];
  const broken: Violation[] = [];
  if (typeof minimum === 'number') broken.push({ constraint: { minimum }, value: minimum - 1 });
  if (typeof maximum === 'number') broken.push({ constraint: { maximum }, value: maximum + 1 });
  if (typeof minLength === 'number' && minLength > 0) broken.push({ constraint: { minLength }, value: '' });
  if (typeof maxLength === 'number' && maxLength < MAX_SENT) {
    broken.push({ constraint: { maxLength }, value: 'x'.repeat(maxLength + 1) });
  }
  if (Array.isArray(allowed) && parameter.type === 'string') {
    broken.push({ constraint: { enum: allowed }, value: 'conformance_none_of_these' });
  }
  return broken;
}

/** Longer texts would test the limit of a request rather than the parameter's own. */
const MAX_SENT = 10_000;
