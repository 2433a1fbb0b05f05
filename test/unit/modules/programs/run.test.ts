import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { ErrorCode } from '../../../../src/base/protocol/error-table.js';
import type { OperationFailure, Reply } from '../../../../src/base/protocol/result.js';
import { ProgramRun, type Progress, type RunEnd } from '../../../../src/modules/programs/run.js';
import { Sandbox } from '../../../../src/modules/programs/sandbox.js';
import type { EngineBounds } from '../../../../src/modules/programs/thread-messages.js';

import '../../../support/property-seed.js';

const BOUNDS: EngineBounds = {
  memoryBytes: 64 * 1024 * 1024,
  computeMs: 20_000,
  maxCalls: 500,
  maxCallBytes: 100_000,
  maxOpenBytes: 400_000,
  limits: {
    maxRequestSize: 1_000_000,
    maxResponseSize: 10_000_000,
    maxStringLength: 100_000,
    maxArrayElements: 10_000,
    maxNestingDepth: 32,
    maxValues: 20_000,
  },
  maxResultBytes: 1_000_000,
  maxConsoleBytes: 1_000,
};

const reply = (code: ErrorCode | 'OK', envelope: JsonObject): Reply => ({
  text: JSON.stringify(envelope),
  blocks: [],
  isError: false,
  code,
});
const given = (data: unknown): Reply => reply('OK', { success: true, data });
const failing = (code: ErrorCode, details: JsonObject = {}): Reply =>
  reply(code, { success: false, error: { code, message: code, details } });

const askOf = (id: number): Reply =>
  failing('CONFIRMATION_REQUIRED', { confirmation_token: `agreed ${id}`, confirmation_message: `Run ${id}?` });

/** What calls reach: each is counted when it runs, and some ask first. */
interface World {
  readonly ran: string[];
  /** How many times a call asks before it runs, by its id. */
  readonly asks: (id: number) => boolean;
  /** In which order calls that run together end. */
  readonly turnsOf: (id: number) => number;
}

const idOf = (params: unknown): number => Number((params as JsonObject)['id']);

function openRun(code: string, world: World, bounds: Partial<EngineBounds> = {}) {
  const started = {
    code,
    input: '{"start":3}',
    families: ['read', 'create'],
    started: 0,
    bounds: { ...BOUNDS, ...bounds },
  };
  const sandbox = Sandbox.open(started);
  return new ProgramRun({
    engine: {
      begin: async () => (await sandbox).begin(),
      deliver: async (delivery) => (await sandbox).deliver(delivery),
      close: () => undefined,
    },
    async send(_call, { operation, params }) {
      const id = idOf(params);
      for (let turn = world.turnsOf(id); turn > 0; turn -= 1) await new Promise(setImmediate);
      const token = (params as JsonObject)['_confirmation'];
      if (world.asks(id) && token !== `agreed ${id}`) {
        return askOf(id);
      }
      world.ran.push(`${String(operation)} ${id}`);
      return operation === 'fail' ? failing('NOT_FOUND_RESOURCE') : given({ id, value: (id * 7) % 5 });
    },
    reads: ({ operation }) => operation === 'look',
    async askAhead(_call, { params }) {
      const id = idOf(params);
      if (!world.asks(id)) return undefined;
      return JSON.parse(askOf(id).text) as OperationFailure;
    },
    maxParallel: 4,
    maxAnswerBytes: 1_000_000,
    maxResultBytes: 1_000_000,
    timeoutMs: 60_000,
    cancellation: new Cancellation(),
    onProgress: undefined,
  });
}

/** As the store keeps it. */
const kept = (progress: Progress): Progress => JSON.parse(JSON.stringify(progress));

interface Story {
  readonly end: RunEnd;
  readonly stops: number;
}

/** Runs it from stop to stop, each in an engine of its own. */
async function runThrough(code: string, world: World): Promise<Story> {
  let progress: Progress | undefined;
  for (let stops = 0; ; stops += 1) {
    const run = openRun(code, world);
    const end = await run.toEnd(progress);
    if (end.kind !== 'asked') return { end, stops };
    progress = kept(run.progress);
  }
}

const leaf = fc.constantFrom('look', 'change', 'fail');
const call = (operation: string): string => `one(${JSON.stringify(operation)})`;
const { step: anyStep } = fc.letrec<{ step: string; block: string }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf.map((operation) => `out.push(await ${call(operation)});`),
    fc
      .array(leaf, { minLength: 2, maxLength: 5 })
      .map((all) => `out.push(await Promise.all([${all.map(call).join()}]));`),
    fc
      .tuple(fc.integer({ min: 1, max: 3 }), tie('block'))
      .map(([times, block]) => `for (let i = 0; i < ${times}; i += 1) {${block}}`),
    fc.tuple(tie('block'), tie('block')).map(([yes, no]) => `if (last % 2 === 0) {${yes}} else {${no}}`),
    fc.constant('out.push(Math.random(), Object.keys({ b: 1, a: 2 }));'),
  ),
  block: fc.array(tie('step'), { minLength: 1, maxLength: 3 }).map((steps) => steps.join(' ')),
}));

/** Every call has an id of its own, which depends on what the program did before. */
const programOf = (steps: readonly string[], joined = 'out'): string => `
  let next = input.start, last = 0; const out = [];
  const one = (operation) => aql.call(operation, { id: next++ })
    .then((given) => { last = given.value; return given; }, (error) => { last = error.code.length; return error.code; });
  ${steps.join('\n')}
  return ${joined};`;

describe('a program that stops for confirmations', () => {
  // The clock seeds an engine's random numbers; in its thread it stands.
  beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(1_000_000));
  afterEach(() => vi.restoreAllMocks());

  it('runs each call at most once and ends as it would have without a stop', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 5 }),
        fc.func(fc.boolean()),
        async (steps, asks) => {
          const code = programOf(steps);
          const plain: World = { ran: [], asks: () => false, turnsOf: () => 0 };
          const whole = await runThrough(code, plain);
          const stopped: World = { ran: [], asks: (id) => asks(id), turnsOf: () => 0 };
          const parts = await runThrough(code, stopped);
          expect(whole.stops).toBe(0);
          expect(parts.end).toEqual(whole.end);
          expect(stopped.ran.toSorted()).toEqual(plain.ran.toSorted());
          expect(new Set(stopped.ran).size).toBe(stopped.ran.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('does so whatever the order is in which calls end, also where the program depends on it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            anyStep,
            fc.constant(`out.push(await Promise.race([${call('look')}, ${call('look')}, ${call('look')}]));`),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        fc.func(fc.boolean()),
        fc.func(fc.integer({ min: 0, max: 4 })),
        async (steps, asks, turnsOf) => {
          const world: World = { ran: [], asks: (id) => asks(id), turnsOf: (id) => turnsOf(id) };
          const { end } = await runThrough(programOf(steps), world);
          expect(end.kind).toBe('value');
          expect(new Set(world.ran).size).toBe(world.ran.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  const CODE = programOf([
    `out.push(await ${call('look')});`,
    `out.push(await ${call('change')});`,
    `out.push(await ${call('change')});`,
  ]);

  async function stopOf(world: World): Promise<Progress> {
    const run = openRun(CODE, world);
    expect(await run.toEnd()).toMatchObject({
      kind: 'asked',
      questions: [{ error: { code: 'CONFIRMATION_REQUIRED' } }],
    });
    return kept(run.progress);
  }

  it.each([
    [
      'an answer of another call',
      (progress: Progress): Progress => ({
        ...progress,
        recorded: progress.recorded.map((each) => ({ ...each, digest: 'other' })),
      }),
    ],
    [
      'an answer twice',
      (progress: Progress): Progress => ({ ...progress, recorded: [...progress.recorded, ...progress.recorded] }),
    ],
    [
      'an answer of a call that it has not made',
      (progress: Progress): Progress => ({
        ...progress,
        recorded: progress.recorded.map((each) => ({ ...each, call: 9 })),
      }),
    ],
    [
      'a question about another call',
      (progress: Progress): Progress => ({
        ...progress,
        asked: progress.asked.map((each) => ({ ...each, digest: 'other' })),
      }),
    ],
    ['fewer answers than its question needs', (progress: Progress): Progress => ({ ...progress, recorded: [] })],
  ])('is refused, and nothing runs, where what was recorded holds %s', async (_what, change) => {
    const world: World = { ran: [], asks: (id) => id === 5, turnsOf: () => 0 };
    const progress = await stopOf(world);
    expect(world.ran).toEqual(['look 3', 'change 4']);
    let taken = 0;
    const going = openRun(CODE, world).toEnd(change(progress), async () => {
      taken += 1;
    });
    await expect(going).rejects.toMatchObject({ code: 'CONFLICT_INVALID_STATE', details: { outcome: 'not_run' } });
    expect({ taken, ran: world.ran }).toEqual({ taken: 0, ran: ['look 3', 'change 4'] });
  });

  it('runs nothing where another one has taken it', async () => {
    const world: World = { ran: [], asks: (id) => id === 5, turnsOf: () => 0 };
    const progress = await stopOf(world);
    const going = openRun(CODE, world).toEnd(progress, () => Promise.reject(new Error('taken')));
    await expect(going).rejects.toThrow('taken');
    expect(world.ran).toEqual(['look 3', 'change 4']);
  });

  it('asks anew where what was agreed to has expired', async () => {
    const world: World = { ran: [], asks: (id) => id === 5, turnsOf: () => 0 };
    const progress = await stopOf(world);
    const late = {
      ...progress,
      asked: progress.asked.map((each) => ({ ...each, answer: { _confirmation: 'too late' } })),
    };
    expect(await openRun(CODE, world).toEnd(late)).toMatchObject({ kind: 'asked' });
    expect(world.ran).toEqual(['look 3', 'change 4']);
  });

  it('lets reads run beside each other, and what may change something alone and in its order', async () => {
    const order: string[] = [];
    const world: World = { ran: order, asks: () => false, turnsOf: (id) => (id === 3 ? 4 : 0) };
    const { end } = await runThrough(
      programOf([`await Promise.all([${['look', 'look', 'change', 'look', 'change'].map(call).join()}]);`]),
      world,
    );
    expect(end.kind).toBe('value');
    expect(order).toEqual(['look 4', 'look 3', 'change 5', 'look 6', 'change 7']);
  });
});

describe('what a program that misbehaves can do to its engine', () => {
  const NOWHERE: World = { ran: [], asks: () => false, turnsOf: () => 0 };
  const endOf = (code: string, bounds: Partial<EngineBounds> = {}) => openRun(code, NOWHERE, bounds).toEnd();
  const resultOf = async (code: string): Promise<unknown> => {
    const end = await endOf(code);
    return end.kind === 'value' ? JSON.parse(end.text) : end;
  };

  it.each([
    'while (true) {}',
    'for (;;) await null;',
    '/(a+)+$/.test("a".repeat(40) + "b");',
    'Promise.resolve().then(function again() { return Promise.resolve().then(again); }); await new Promise(() => {});',
  ])('computes no longer than it may: %s', async (code) =>
    expect(await endOf(code, { computeMs: 200 })).toEqual({ kind: 'fault', fault: 'time' }),
  );

  it.each([
    'const all = []; for (;;) all.push(new Array(10_000).fill(1));',
    'return "x".repeat(2 ** 28);',
    'let s = "x"; for (;;) s += s;',
  ])('takes no more memory than it may: %s', async (code) => {
    const end = await endOf(code, { memoryBytes: 16 * 1024 * 1024 });
    expect(JSON.stringify(end)).toMatch(/out of memory|string too long/);
  });

  it('recurses no deeper than its engine bears', async () => {
    expect(JSON.stringify(await endOf('const f = () => f() + 1; return f();'))).toMatch(/stack overflow/);
    expect(await resultOf('const f = () => f(); try { f(); } catch { return "caught"; }')).toBe('caught');
  });

  it('waits for no promise that nothing settles', async () => {
    expect(await endOf('await new Promise(() => {});')).toEqual({ kind: 'fault', fault: 'stuck' });
  });

  it('finds nothing of the process that runs it', async () => {
    const names = [
      'process',
      'require',
      'fetch',
      'setTimeout',
      'WebAssembly',
      'Buffer',
      'performance',
      'std',
      'os',
      'WeakRef',
      'FinalizationRegistry',
      'Worker',
      'navigator',
    ];
    expect(
      await resultOf(`return ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== "undefined");`),
    ).toEqual([]);
    expect(await resultOf('return [].constructor.constructor("return typeof process")();')).toBe('undefined');
    expect(await resultOf('}); globalThis.seen = typeof process; (async () => { return seen;')).toBe('undefined');
    expect(await resultOf('return aql.call.constructor("return typeof require")();')).toBe('undefined');
    expect(await resultOf('return await import("node:fs").then(() => "loaded", () => "refused");')).toBe('refused');
  });

  it('changes nothing but itself by changing what is built in', async () => {
    const tampering = `
      Object.prototype.success = true; Array.prototype.toJSON = () => 'gone'; Promise.prototype.then = () => 'gone';
      Map.prototype.get = () => ({ resolve() {}, reject() {} }); JSON.stringify = () => 'gone'; JSON.parse = () => ({});
      Object.defineProperty(Object.prototype, 'operation', { get: () => 'evil', configurable: true });
      return 'still here';`;
    await endOf(tampering);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as JsonObject)['success']).toBeUndefined();
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const end = await openRun(
      'const given = await aql.call("look", JSON.parse(\'{"id":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')); return [given.id, {}.polluted];',
      world,
    ).toEnd();
    expect(end).toEqual({ kind: 'value', text: '[1,null]' });
    expect(({} as JsonObject)['polluted']).toBeUndefined();
    expect(await resultOf('aql.call = () => "mine"; aql.extra = 1; return Object.keys(aql);')).toEqual([
      'call',
      'find',
      'read',
      'create',
    ]);
  });

  it('makes no more calls than it may, and the others cost the gateway nothing', async () => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const code =
      'const all = await Promise.allSettled(Array.from({ length: 10_000 }, (_, id) => aql.call("look", { id }))); return [all.filter((each) => each.status === "fulfilled").length, all.at(-1).reason.code, all.at(-1).reason.message];';
    expect(await openRun(code, world, { maxCalls: 50 }).toEnd()).toEqual({
      kind: 'value',
      text: '[50,"RATE_LIMIT_EXCEEDED","This call did not run: a program may make 50 calls"]',
    });
    expect(world.ran).toHaveLength(50);
    expect(await endOf('await aql.call("look", { id: 1, text: "x".repeat(200_000) });')).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('VALIDATION_PAYLOAD_TOO_LARGE'),
    });
  });

  it.each([
    ['a value that is no number', 'NaN', /'days' is NaN/],
    ['an infinity', '1 / 0', /'days' is Infinity/],
    [
      'an integer that is not exact',
      '9007199254740993',
      /'days' is 9007199254740992, which is not exact: send it as text/,
    ],
    ['a number in a list of an object', '[{ n: -1 / 0 }]', /'n' is -Infinity/],
    ['a number as an object', 'new Number(NaN)', /'days' is NaN/],
    ['a date that is none', 'new Date(NaN)', /'days' has no value/],
    ['a big integer', '1n', /'days' is a bigint/],
    ['a function', '() => 1', /'days' is a function/],
    ['a list with a value that is missing', '[1, undefined]', /'1' is undefined/],
    ['a list with a hole', '[1, , 3]', /'1' is undefined/],
    ['a promise that was not awaited', 'Promise.resolve(7)', /'days' is no plain value/],
    ['a set', 'new Set([1])', /'days' is no plain value/],
    ['a member that makes nothing of itself', '{ toJSON() {} }', /'days' has no value/],
  ])('is refused a call with %s, and it does not run', async (_what, value, words) => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const code = `try { await aql.call('change', { id: 1, days: ${value} }); return 'ran'; } catch ({ code, message }) { return [code, message]; }`;
    const end = await openRun(code, world).toEnd();
    expect(end).toEqual({ kind: 'value', text: expect.stringMatching(/^\["VALIDATION_INVALID_VALUE"/) });
    expect(end.kind === 'value' && end.text).toMatch(words);
    expect(world.ran).toEqual([]);
  });

  it('leaves members out that are undefined, and sends what is exact as it is', async () => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const code = `await aql.call('change', { id: 1, none: undefined, nothing: null, at: new Date(0), most: ${Number.MAX_SAFE_INTEGER}, part: 0.1, digits: '12345678901234567890' });`;
    const run = openRun(code, world);
    await run.toEnd();
    expect(run.describe()['changes']).toEqual([
      {
        operation: 'change',
        outcome: 'OK',
        params: {
          id: 1,
          nothing: null,
          at: '1970-01-01T00:00:00.000Z',
          most: Number.MAX_SAFE_INTEGER,
          part: 0.1,
          digits: '12345678901234567890',
        },
      },
    ]);
  });

  it.each([
    ['a list that is too long', 'Array(10_001).fill(1)', 'array_elements'],
    ['too many values in all', 'Array(9_000).fill([1, 2])', 'values'],
    ['too much nesting', 'JSON.parse("[".repeat(40) + "]".repeat(40))', 'nesting_depth'],
    ['a text that is too long', '"é".repeat(49_990) + "xxxxxxxxxxxxxxxxxxxxxxxxxx"', 'string_length'],
  ])('cannot send a call that no request may be: %s', async (_what, value, limit) => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const code = `return await aql.call('look', { id: 1, value: ${value} }).catch(({ code, details }) => [code, details.limit_type]);`;
    const end = await openRun(code, world, { maxCallBytes: 1_000_000, maxOpenBytes: 4_000_000 }).toEnd();
    expect(end).toEqual({ kind: 'value', text: JSON.stringify(['VALIDATION_PAYLOAD_TOO_LARGE', limit]) });
    expect(world.ran).toEqual([]);
  });

  it('has only so many bytes of calls open together, and room again as they are answered', async () => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 1 };
    const code = `const text = 'x'.repeat(90_000); const one = (id) => aql.call('look', { id, text }).then(() => 'OK', ({ code, details }) => code + ' ' + details.reason);
      return [...await Promise.all([1, 2, 3, 4, 5].map(one)), await one(6)];`;
    expect(await openRun(code, world).toEnd()).toEqual({
      kind: 'value',
      text: JSON.stringify(['OK', 'OK', 'OK', 'OK', 'RATE_LIMIT_EXCEEDED program_open', 'OK']),
    });
    expect(world.ran).toHaveLength(5);
  });

  it.each([
    "Object.prototype.toJSON = () => 1; throw new Error('as it is');",
    "Object.prototype.toJSON = () => null; throw new Error('as it is');",
    "Array.prototype.toJSON = () => undefined; throw new Error('as it is');",
    "globalThis.String = () => 5; throw new Error('as it is');",
    "Map.prototype.get = Map.prototype.set = () => undefined; await aql.call('look', { id: 2 }); throw new Error('as it is');",
    "globalThis.Object = () => 5; throw new Error('as it is');",
    "throw { toJSON: () => 5, message: 'as it is' };",
    "throw { message: { toString: () => 'as it is' }, code: 1, details: { toJSON: () => 5 } };",
  ])('is told what it threw, whatever it has done to the built-ins: %s', async (code) => {
    const end = await endOf(`await aql.call('look', { id: 1 }); ${code}`);
    expect(end.kind === 'error' && JSON.parse(end.text)).toMatchObject({
      message: 'as it is',
      name: expect.any(String),
    });
  });

  it('sends its calls as they are with poisoned built-ins, or not at all', async () => {
    const poison = 'Array.prototype.toJSON = () => "gone"; Object.prototype.toJSON = () => "gone";';
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    await openRun(`${poison} await aql.call('look', { id: 1 }); return 1;`, world).toEnd();
    expect(world.ran).toEqual(['look NaN']);
  });

  it('runs no call after it has ended, and says so', async () => {
    const world: World = { ran: [], asks: () => false, turnsOf: () => 0 };
    const run = openRun(
      'aql.call("change", { id: 1 }).then(() => aql.call("change", { id: 2 })); return "done";',
      world,
    );
    expect(await run.toEnd()).toEqual({ kind: 'value', text: '"done"' });
    expect(world.ran).toEqual([]);
    expect(run.warnings).toMatchObject([
      { code: 'PROGRAM_CALLS_LEFT_WARNING', details: { calls: 1, operations: ['change'] } },
    ]);
  });

  it.each([
    ['return 1n;', 'BigInt'],
    ['const loop = {}; loop.loop = loop; return loop;', 'circular'],
    ['throw { get message() { throw 1; } };', 'cannot be shown'],
    ['throw null;', 'null'],
    ['return (', 'SyntaxError'],
  ])('is told what is wrong with %s', async (code, words) => {
    const end = await endOf(code);
    expect(end).toMatchObject({ kind: 'error', text: expect.stringContaining(words) });
  });

  it('returns and says no more than it may', async () => {
    expect(await endOf('return "x".repeat(2_000);', { maxResultBytes: 1_000 })).toEqual({
      kind: 'fault',
      fault: 'result',
    });
    const run = openRun('for (let i = 0; i < 100; i += 1) console.log("y".repeat(50)); return 1;', NOWHERE);
    await run.toEnd();
    expect(run.console.length).toBeLessThan(1_020);
    expect(run.console).toMatch(/… \(cut\)\n$/);
  });

  it('may be written as a function, too', async () => {
    expect(await resultOf('async () => { return 1; }')).toBe(1);
    expect(await resultOf('async function main(aql, input) { return input.start; }')).toBe(3);
    expect(await resultOf('(aql, input) => input.start + 1;')).toBe(4);
    expect(await resultOf('async function helper() { return 2; }\nreturn await helper();')).toBe(2);
    expect(await resultOf('const { id } = await aql.call({ operation: "look", params: { id: 8 } }); return id;')).toBe(
      8,
    );
  });
});
