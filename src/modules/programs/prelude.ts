/**
 * What a program finds in its engine, in the engine's own language: an expression of a function that takes the three functions of the
 * border and the names of the families. Texts alone cross; whatever a program does to the built-in objects happens to itself.
 */
export const PRELUDE = `(send, say, end, families) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isFinite, isInteger, isSafeInteger } = Number;
  const { getPrototypeOf, keys } = Object;
  const { isArray } = Array;
  const [NumberOf, plain] = [Number, Object.prototype];
  const PromiseOf = Promise;
  const AsyncFunction = (async () => {}).constructor;
  const waiting = { __proto__: null };
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

  const lost = (value, was) => {
    switch (typeof value) {
      case 'number': return !isFinite(value) ? 'is ' + value : isInteger(value) && !isSafeInteger(value) ? 'is ' + value + ', which is not exact: send it as text' : '';
      case 'bigint': case 'function': case 'symbol': return 'is a ' + typeof value;
      case 'undefined': return was !== value ? 'has no value' : '';
      default: if (value === null) return was !== value ? 'has no value' : '';
    }
    if (typeof value !== 'object' || isArray(value)) return '';
    const kind = getPrototypeOf(value);
    return kind === null || kind === plain || keys(value).length > 0 ? '' : 'is no plain value (a promise is awaited first)';
  };
  // What JSON leaves out, or writes as null, would make it another call than the program means.
  const exact = function (key, given) {
    const value = given instanceof NumberOf ? +given : given;
    const why = value === undefined && isArray(this) ? 'is undefined' : lost(value, this[key]);
    if (why === '') return value;
    throw new OperationError({
      code: 'VALIDATION_INVALID_VALUE',
      message: "This call did not run: '" + key + "' " + why + ', and a call takes what JSON can say',
      details: { param_name: key, reason: 'program_value', outcome: 'not_run' },
    });
  };

  // Without a prototype, so that no toJSON of the program's makes another form of it.
  const write = (operation, params) => stringify({ __proto__: null, operation, params }, exact);

  const call = (family, operation, params) =>
    new PromiseOf((resolve, reject) => {
      const [name, given] = typeof operation === 'object' && operation !== null
        ? [operation.operation, operation.params]
        : [operation, params];
      const index = send(family, write(name ?? null, given ?? {}));
      if (typeof index === 'number') waiting[index] = { resolve, reject };
      else reject(new OperationError(parse(index)));
    });

  const aql = {
    call: (operation, params) => call(undefined, operation, params),
    find: (text) => call(undefined, 'introspect', { query: 'operations', search: text }).then((found) => found?.operations ?? found),
  };
  for (const family of families) aql[family] ??= (operation, params) => call(family, operation, params);
  Object.freeze(aql);

  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return '' + (value.stack ? value + '\\n' + value.stack : value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const log = (...values) => say(values.map(show).join(' '));
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };

  const describe = (thrown) => {
    const { name = 'Error', message = thrown, code, details, stack = '' } = thrown ?? {};
    const told = { __proto__: null, name: '' + name, message: '' + message, stack: '' + stack };
    return stringify(code === undefined ? told : { __proto__: null, ...told, code, details });
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
      const { resolve, reject } = waiting[index];
      delete waiting[index];
      const { success, data, error } = parse(text);
      if (success) resolve(data);
      else reject(new OperationError(error));
    },
  };
}`;
