import type { JsonSchema } from '../../protocol/json.js';
import { declaredTypes } from './json-type.js';
import { followReference } from './local-reference.js';
import { quoteValue, quoteValues } from './quote-value.js';

/** In a few words what a value of this schema looks like: `string`, `one of 'a', 'b'`, `object with 'id'`. */
export function describeForm(schema: JsonSchema, root: JsonSchema): string {
  const target = followReference(schema, root) ?? {};
  if ('const' in target) return quoteValue(target['const']);
  if (Array.isArray(target['enum'])) return `one of ${quoteValues(target['enum'])}`;
  const types = declaredTypes(target['type']).join(' or ');
  const required = declaredTypes(target['required']);
  if (required.length > 0) return `${types || 'object'} with ${quoteValues(required)}`;
  return types || 'any value';
}
