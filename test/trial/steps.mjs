/** A step through the gateway: a family, and what is asked of its tool. */
export function run(family, operation, params) {
  const request =
    typeof operation === 'string'
      ? { operation, params }
      : { operations: operation.map(([name, given]) => ({ operation: name, params: given })) };
  return { family, request };
}

export function introspect(params) {
  return run('read', 'introspect', params);
}
