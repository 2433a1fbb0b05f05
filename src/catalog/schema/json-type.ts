/** The name by which JSON Schema calls a value's type; numbers are never told apart further. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The types that a schema's `type` names; empty where it names none. */
export function declaredTypes(type: unknown): readonly string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === 'string');
}
