/**
 * What a program finds in its engine, in the engine's own language: an expression of a function that takes the three functions of the
 * border and the names of the families. Texts alone cross; whatever a program does to the built-in objects happens to itself.
 */
export const PRELUDE = `(send, say, end, families) => {
  'use strict';
  const { parse, stringify } = JSON;
  const PromiseOf = Promise;
  const AsyncFunction = (async () => {}).constructor;
  const waiting = new Map();
  // When they are collected depends on the engine's memory: a replay would see it otherwise.
  delete globalThis.WeakRef;
  delete globalThis.FinalizationRegistry;

  class OperationError extends Error {
    constructor({ code, message, details }) {
      super(message);
      this.name = 'OperationError';
      this.code = code;
      this.details = details ?? {};
    }
  }

  const call = (family, operation, params) =>
    new PromiseOf((resolve, reject) => {
      const [name, given] = typeof operation === 'object' && operation !== null
        ? [operation.operation, operation.params]
        : [operation, params];
      const index = send(stringify([family, name ?? null, given ?? {}]));
      if (typeof index === 'number') waiting.set(index, { resolve, reject });
      else reject(new OperationError(parse(index)));
    });

  const aql = {
    call: (operation, params) => call(null, operation, params),
    find: (text) => call(null, 'introspect', { query: 'operations', search: text }).then((found) => found?.operations ?? found),
  };
  for (const family of families) aql[family] ??= (operation, params) => call(family, operation, params);
  Object.freeze(aql);

  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value.stack ? value + '\\n' + value.stack : value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const log = (...values) => say(values.map(show).join(' '));
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };

  const describe = (thrown) => {
    const { name, message, code, details, stack } = Object(thrown);
    return stringify({
      name: String(name ?? 'Error'),
      message: String(message ?? thrown),
      stack: String(stack ?? ''),
      ...(code === undefined ? {} : { code, details }),
    });
  };
  const fail = (thrown) => {
    let text;
    try { text = describe(thrown); } catch { text = '{"name":"Error","message":"it threw what cannot be shown","stack":""}'; }
    end('error', text);
  };

  // Models write a whole function as often as a body.
  const FUNCTION = /^\\s*(?:async\\s*)?(?:function\\b|\\([^()]*\\)\\s*=>|[\\w$]+\\s*=>)/;
  const compile = (code) => {
    if (FUNCTION.test(code)) {
      try {
        const given = new AsyncFunction('aql', 'input', 'return (' + code.replace(/;\\s*$/, '') + '\\n)');
        return async (...values) => (await given(...values))(...values);
      } catch { /* It only begins as a function does. */ }
    }
    return new AsyncFunction('aql', 'input', code);
  };

  return {
    start: async (code, input) => {
      try {
        const value = await compile(code)(aql, parse(input));
        end('value', stringify(value) ?? 'null');
      } catch (thrown) {
        fail(thrown);
      }
    },
    settle: (index, text) => {
      const { resolve, reject } = waiting.get(index);
      waiting.delete(index);
      const { success, data, error } = parse(text);
      if (success) resolve(data);
      else reject(new OperationError(error));
    },
  };
}`;
