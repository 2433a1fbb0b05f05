import type { Operation, Parameter } from '../../protocol/operation.js';

/** An operation's parameters, ready to be looked up. */
export interface ParameterScope {
  /** By canonical name and by the upstream's spelling. */
  readonly byName: ReadonlyMap<string, Parameter>;
  readonly byUpstreamName: ReadonlyMap<string, Parameter>;
  /** Canonical names, each once. */
  readonly canonical: ReadonlySet<string>;
  readonly required: readonly Parameter[];
  /** Whether some of them lie inside `input`. */
  readonly hasInput: boolean;
}

/** Operations never change, so each is prepared at its first call and forgotten with its catalog. */
const scopes = new WeakMap<Operation, ParameterScope>();

export function parameterScope(operation: Operation): ParameterScope {
  const known = scopes.get(operation);
  if (known !== undefined) return known;
  const { parameters } = operation;
  const byUpstreamName = new Map(parameters.map((parameter) => [parameter.upstreamName, parameter]));
  const scope: ParameterScope = {
    // Canonical names last: where one parameter's spelling is another's canonical name, the canonical one has it.
    byName: new Map([...byUpstreamName, ...parameters.map((parameter) => [parameter.name, parameter] as const)]),
    byUpstreamName,
    canonical: new Set(parameters.map((parameter) => parameter.name)),
    required: parameters.filter((parameter) => parameter.required),
    hasInput: parameters.some((parameter) => parameter.place === 'input'),
  };
  scopes.set(operation, scope);
  return scope;
}

/** A parameter's path as callers write it: `title`, or `input.title`. */
export function pathOf(parameter: Parameter): string {
  return parameter.place === 'input' ? `input.${parameter.name}` : parameter.name;
}
