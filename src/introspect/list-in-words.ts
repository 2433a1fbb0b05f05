/** Values in single quotes, as the specification wants them in messages: `'read', 'update'`. */
export function listInWords(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}
