import { createHash, randomUUID } from 'node:crypto';
import { canonicalSchemaJson } from '../lib/canonical-json.js';
import type { Operation, OperationFields, Parameter, ParameterScope } from '../protocol/operation.js';

/** Makes an operation of its fields. What is derived from them is derived once, at its first use. */
export function finishOperation(fields: OperationFields): Operation {
  let scope: ParameterScope | undefined;
  let definition: string | undefined;
  return {
    ...fields,
    get scope() {
      scope ??= createScope(fields.parameters);
      return scope;
    },
    get definition() {
      definition ??= digestDefinition(fields);
      return definition;
    },
  };
}

/** Whether both operations do the same in the same way: what was checked and agreed to for one holds for the other. */
export function isSameDefinition(one: Operation, other: Operation): boolean {
  return one === other || one.definition === other.definition;
}

function createScope(parameters: readonly Parameter[]): ParameterScope {
  const byUpstreamName = new Map(parameters.map((parameter) => [parameter.upstreamName, parameter]));
  return {
    // Canonical names last: where one parameter's spelling is another's canonical name, the canonical one has it.
    byName: new Map([...byUpstreamName, ...parameters.map((parameter) => [parameter.name, parameter] as const)]),
    byUpstreamName,
    canonical: new Set(parameters.map((parameter) => parameter.name)),
    required: parameters.filter((parameter) => parameter.required),
    hasInput: parameters.some((parameter) => parameter.place === 'input'),
  };
}

function digestDefinition(fields: OperationFields): string {
  const { qualifiedName, tool, description, inputSchema, outputSchema, fixedArguments, classification } = fields;
  const { category, danger, risks, trial, statement } = classification;
  const own = [qualifiedName, tool, description, inputSchema, outputSchema, fixedArguments];
  try {
    const text = canonicalSchemaJson([...own, category, danger.level, risks, trial, statement]);
    return createHash('sha256').update(text).digest('base64url');
  } catch {
    // A definition that is nested too deeply to be written is the same as no other.
    return randomUUID();
  }
}
