import { resolve } from 'node:path';
import { isJsonObject } from '../../base/json/json.js';
import type { JsonPath } from '../../base/json/json-path.js';
import { readSecretFile } from './secrets.js';

/** What references in strings may name. */
export interface Scope {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Predefined names such as `configDir`; they beat the environment. */
  readonly places: Readonly<Record<string, string>>;
  /** Where relative paths in the environment start. */
  readonly cwd: string;
  /** A reference takes its value from this file. */
  readonly readFrom?: (file: string) => void;
}

/** Called for every reference that cannot be resolved; the reference then stays as it was written. */
export type ReportProblem = (path: JsonPath, message: string, suggestion?: string) => void;

/** `$${` first: it escapes; then a reference, or one that does not end. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([\s\S]*))?$/;

type Answer = { readonly text: string } | { readonly fault: string; readonly suggestion?: string };

/** A copy of a JSON value with the references in all of its strings resolved; keys stay as they are. */
export function interpolate(value: unknown, path: JsonPath, scope: Scope, reportProblem: ReportProblem): unknown {
  if (typeof value === 'string') return interpolateText(value, path, scope, reportProblem);
  if (Array.isArray(value))
    return value.map((item, index) => interpolate(item, [...path, index], scope, reportProblem));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, interpolate(member, [...path, key], scope, reportProblem)]),
  );
}

/** Resolves `${VAR}`, `${VAR:-default}`, `${env:VAR}` and the predefined names in one string; `$${` stands for `${`. */
export function interpolateText(text: string, path: JsonPath, scope: Scope, reportProblem: ReportProblem): string {
  return text.replace(REFERENCE, (match: string, body: string | undefined) => {
    if (match === '$${') return '${';
    const answer = body === undefined ? UNCLOSED : resolveReference(body, scope);
    if ('text' in answer) return answer.text;
    reportProblem(path, answer.fault, answer.suggestion);
    return match;
  });
}

const ESCAPE_HINT = 'write $${ where the text ${ itself is meant';
const UNCLOSED: Answer = { fault: "a reference without its closing '}'", suggestion: ESCAPE_HINT };

function resolveReference(body: string, scope: Scope): Answer {
  const place = scope.places[body];
  if (place !== undefined) return { text: place };
  if (body.startsWith('input:')) {
    const name = body.slice('input:'.length).replace(/\W+/g, '_').toUpperCase() || 'VALUE';
    return {
      fault: `'\${${body}}' asks the user of an editor, which a gateway cannot do`,
      suggestion: `use a variable instead: \${${name}}, or ${name}_FILE with the path of a secret file`,
    };
  }
  const [, name, fallback] = VARIABLE.exec(body) ?? [];
  if (name === undefined) return { fault: `'\${${body}}' is not a valid reference`, suggestion: ESCAPE_HINT };
  return resolveVariable(name, fallback, scope);
}

function resolveVariable(name: string, fallback: string | undefined, scope: Scope): Answer {
  const value = scope.env[name];
  // As in a shell, ':-' also stands in for an empty variable.
  if (value !== undefined && (value !== '' || fallback === undefined)) return { text: value };
  const file = scope.env[`${name}_FILE`];
  if (value === undefined && file) {
    const absolute = resolve(scope.cwd, file);
    scope.readFrom?.(absolute);
    const secret = readSecretFile(absolute);
    return 'text' in secret ? secret : { fault: `${name}_FILE is set, but ${secret.fault}` };
  }
  if (fallback !== undefined) return { text: fallback };
  return {
    fault: `the variable '${name}' is not set`,
    suggestion: `set ${name}, or ${name}_FILE to the path of a secret file, or give a default: \${${name}:-...}`,
  };
}
