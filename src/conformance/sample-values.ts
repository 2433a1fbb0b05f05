import type { JsonObject } from '../protocol/json.js';
import type { DocumentedParameter } from './catalog-view.js';

/** A value of the documented type, within its constraints as far as they are simple. */
export function sampleValue(parameter: DocumentedParameter): unknown {
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
export function violationsOf(parameter: DocumentedParameter): readonly Violation[] {
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
