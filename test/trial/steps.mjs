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

/** A program, which may write where the task does. */
export function program(code, { input, writes = false } = {}) {
  const params = { code: code.trim(), ...(input === undefined ? {} : { input }) };
  return writes ? run('execute', 'run_program', params) : run('read', 'run_program_read_only', params);
}

/** What the envelope of an answer holds. */
export function dataOf({ first }) {
  return JSON.parse(first).data;
}
