import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller, HandlerCall, HandlerOutcome, ProgressUpdate } from '../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { ToolCallResult } from '../../../../src/base/protocol/result.js';
import { createCacheInterceptor } from '../../../../src/gateway/interceptor/cache.js';
import { anOperation } from '../../../support/an-operation.js';
import { readHeld } from '../../../support/read-held.js';
import { aCall, aText, aWrite, createHeldInterceptor } from './held-interceptor.js';

const CACHED = anOperation({ cacheSeconds: 60 });

/** The cache interceptor over an upstream that the test answers for, and a clock that the test moves. */
function bench({ maxBytes = 100_000 } = {}) {
  const clock = { ms: 1_000_000 };
  const { handle: inner, calls } = createHeldInterceptor();
  const { over, invalidate } = createCacheInterceptor({ maxBytes, now: () => clock.ms });
  const handle = over(inner);
  /** Asks, and answers in the upstream's place where it is asked. */
  const ask = async (call: HandlerCall, result: ToolCallResult): Promise<HandlerOutcome> => {
    const before = calls.length;
    const outcome = handle(call);
    await turn();
    calls.slice(before).at(-1)?.answer(result);
    return outcome;
  };
  return { clock, calls, handle, invalidate, ask };
}

describe('answers from memory', () => {
  it('are given until they expire, marked with their age', async () => {
    const { ask, calls, clock } = bench();
    await expect(ask(aCall(CACHED), aText('first'))).resolves.toEqual({ toolResult: aText('first') });
    clock.ms += 59_900;
    await expect(ask(aCall(CACHED), aText('second'))).resolves.toEqual({
      toolResult: { ...aText('first'), _meta: { 'mcp-aql/cached': true, 'mcp-aql/cached_age_seconds': 59 } },
    });
    expect(calls).toHaveLength(1);
  });

  it('are read again from the upstream when they have expired', async () => {
    const { ask, clock } = bench();
    await ask(aCall(CACHED), aText('first'));
    clock.ms += 60_001;
    await expect(ask(aCall(CACHED), aText('second'))).resolves.toEqual({ toolResult: aText('second') });
  });

  it('are given to their owner alone where callers do not share the state of an upstream', async () => {
    const { handle: inner, calls } = createHeldInterceptor();
    const ownerOf = (upstream: string, { sessionId }: Caller): string => `${upstream} ${sessionId}`;
    const handle = createCacheInterceptor({ maxBytes: 100_000, ownerOf }).over(inner);
    const from = (sessionId: string): HandlerCall => {
      const call = aCall(CACHED);
      return { ...call, caller: { ...call.caller, sessionId } };
    };
    const [first, second] = [handle(from('anna')), handle(from('bert'))];
    await turn();
    expect(calls).toHaveLength(2);
    calls[0]?.answer(aText("anna's page"));
    calls[1]?.answer(aText("bert's page"));
    expect([await first, await second]).toEqual([
      { toolResult: aText("anna's page") },
      { toolResult: aText("bert's page") },
    ]);
    await expect(handle(from('bert'))).resolves.toMatchObject({ toolResult: aText("bert's page") });
    expect(calls).toHaveLength(2);
  });

  it("keep the upstream's own _meta, and are marked on a copy", async () => {
    const { ask, clock } = bench();
    const said = { 'example.org/kept': 1, cached: false, cached_age_seconds: 7 };
    const sent: ToolCallResult = { ...aText('x'), _meta: said };
    await ask(aCall(CACHED), sent);
    for (const age of [0, 5, 10]) {
      await expect(ask(aCall(CACHED), aText('never'))).resolves.toEqual({
        toolResult: { ...sent, _meta: { ...said, 'mcp-aql/cached': true, 'mcp-aql/cached_age_seconds': age } },
      });
      clock.ms += 5_000;
    }
    expect(Object.keys(said)).toEqual(['example.org/kept', 'cached', 'cached_age_seconds']);
  });

  it.each<[string, Operation, HandlerCall['arguments'], boolean]>([
    ['the same arguments in another order', CACHED, { b: { d: 1, c: 2 }, a: 1 }, true],
    ['another caller', CACHED, { a: 1, b: { c: 2, d: 1 } }, true],
    [
      'a catalog built again from the same definition',
      anOperation({ ...CACHED, inputSchema: { type: 'object' } }),
      {},
      true,
    ],
    ['other arguments', CACHED, { a: 2, b: { c: 2, d: 1 } }, false],
    ['another operation', anOperation({ ...CACHED, qualifiedName: 'demo__other' }), {}, false],
    ['another value of a grouped tool', anOperation({ ...CACHED, fixedArguments: { action: 'b' } }), {}, false],
    ['a changed schema', anOperation({ ...CACHED, inputSchema: { type: 'object', required: [] } }), {}, false],
    ['a changed answer', anOperation({ ...CACHED, outputSchema: { type: 'object' } }), {}, false],
    ['a changed description', anOperation({ ...CACHED, description: 'Gets something else.' }), {}, false],
  ])('depend on the question: %s', async (_what, operation, args, same) => {
    const { ask } = bench();
    await ask(
      aCall(CACHED, { arguments: Object.keys(args).length === 0 ? {} : { a: 1, b: { c: 2, d: 1 } } }),
      aText('1'),
    );
    const caller = { sessionId: 'other', clientName: 'other', transport: 'stdio' } as const;
    const outcome = await ask(aCall(operation, { arguments: args, caller }), aText('2'));
    expect(outcome).toMatchObject({ toolResult: aText(same ? '1' : '2') });
  });

  it.each<[string, Operation]>([
    ['a READ that nobody opted in', anOperation()],
    ['a write, whatever it says', aWrite({ cacheSeconds: 60 })],
  ])('are not cached for %s', async (_what, operation) => {
    const { ask } = bench();
    await ask(aCall(operation), aText('1'));
    await expect(ask(aCall(operation), aText('2'))).resolves.toEqual({ toolResult: aText('2') });
  });

  it('are not cached for a tool that failed', async () => {
    const { ask } = bench();
    await ask(aCall(CACHED), { ...aText('no such item'), isError: true });
    await expect(ask(aCall(CACHED), aText('2'))).resolves.toEqual({ toolResult: aText('2') });
  });

  it('are bounded in bytes: the least recently used are dropped first, and one beyond the bound is not cached', async () => {
    const { ask, calls } = bench({ maxBytes: 10_000 });
    const of = (id: number) => aCall(CACHED, { arguments: { id } });
    for (const id of [1, 2, 3]) await ask(of(id), aText('x'.repeat(3_000)));
    await ask(of(4), aText('x'.repeat(20_000)));
    await ask(of(3), aText('again'));
    await ask(of(2), aText('again'));
    expect(calls).toHaveLength(4);
    await ask(of(1), aText('again'));
    await ask(of(4), aText('again'));
    expect(calls).toHaveLength(6);
  });

  it('are not cached where they are nested too deeply to be measured', async () => {
    const { ask } = bench();
    let deep: unknown = 0;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    await ask(aCall(CACHED), { structuredContent: deep });
    await expect(ask(aCall(CACHED), aText('2'))).resolves.toEqual({ toolResult: aText('2') });
  });
});

describe('a write to the same upstream', () => {
  it.each(['CREATE', 'UPDATE', 'DELETE', 'EXECUTE'] as const)('drops its cached answers: %s', async (category) => {
    const { ask } = bench();
    const write = aWrite({ classification: { ...CACHED.classification, category } });
    await ask(aCall(CACHED), aText('old'));
    await ask(aCall(write), aText('done'));
    await expect(ask(aCall(CACHED), aText('new'))).resolves.toEqual({ toolResult: aText('new') });
  });

  it('drops cached answers when it starts, and none is cached until it ends, however it ends', async () => {
    const { ask, calls, handle } = bench();
    await ask(aCall(CACHED), aText('old'));
    const write = handle(aCall(aWrite()));
    for (const text of ['during', 'still during']) {
      await expect(ask(aCall(CACHED), aText(text))).resolves.toEqual({ toolResult: aText(text) });
    }
    const refusal = new OperationError('INTERNAL_ERROR', 'gone');
    calls[1]?.fail(refusal);
    await expect(write).rejects.toBe(refusal);
    await expect(ask(aCall(CACHED), aText('after'))).resolves.toEqual({ toolResult: aText('after') });
  });

  it('does not affect other upstreams', async () => {
    const { ask } = bench();
    await ask(aCall(CACHED), aText('old'));
    await ask(aCall(aWrite({ upstream: 'other' })), aText('done'));
    await expect(ask(aCall(CACHED), aText('new'))).resolves.toMatchObject({ toolResult: aText('old') });
  });

  it('prevents that a READ that began before its end is cached or joined', async () => {
    const { ask, calls, handle } = bench();
    const early = handle(aCall(CACHED));
    await ask(aCall(aWrite()), aText('done'));
    const late = handle(aCall(CACHED));
    await turn();
    calls[0]?.answer(aText('old'));
    calls[2]?.answer(aText('new'));
    await expect(early).resolves.toEqual({ toolResult: aText('old') });
    await expect(late).resolves.toEqual({ toolResult: aText('new') });
    await expect(ask(aCall(CACHED), aText('never'))).resolves.toMatchObject({ toolResult: aText('new') });
  });

  it('has the same effect as an explicit invalidation', async () => {
    const { ask, calls, handle, invalidate } = bench();
    await ask(aCall(CACHED), aText('old'));
    invalidate('demo');
    const running = handle(aCall(CACHED));
    await turn();
    invalidate('demo');
    calls[1]?.answer(aText('meanwhile'));
    await running;
    await expect(ask(aCall(CACHED), aText('new'))).resolves.toEqual({ toolResult: aText('new') });
  });
});

describe('equal READs at the same time', () => {
  it('share one upstream call and its answer', async () => {
    const { calls, handle } = bench();
    const outcomes = [1, 2, 3].map(() => handle(aCall(CACHED)));
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.answer(aText('once'));
    await expect(Promise.all(outcomes)).resolves.toEqual(Array(3).fill({ toolResult: aText('once') }));
  });

  it('fail with the same error, and the next one calls the upstream again', async () => {
    const { ask, calls, handle } = bench();
    const outcomes = [1, 2].map(() => handle(aCall(CACHED)));
    await turn();
    const refusal = new OperationError('INTERNAL_ERROR', 'gone');
    calls[0]?.fail(refusal);
    for (const outcome of outcomes) await expect(outcome).rejects.toBe(refusal);
    await expect(ask(aCall(CACHED), aText('back'))).resolves.toEqual({ toolResult: aText('back') });
  });

  it('continue for the other callers when one cancels', async () => {
    const { calls, handle } = bench();
    const leaving = new Cancellation();
    const left = handle(aCall(CACHED, { cancellation: leaving }));
    const stayed = handle(aCall(CACHED));
    await turn();
    leaving.cancel('the client left');
    await expect(left).rejects.toMatchObject({ code: 'INTERNAL_ERROR', details: { reason: 'cancelled' } });
    expect(calls[0]?.cancellation.cancelled).toBe(false);
    calls[0]?.answer(aText('still'));
    await expect(stayed).resolves.toEqual({ toolResult: aText('still') });
  });

  it('are cancelled when no caller waits, and not joined after that', async () => {
    const { calls, handle } = bench();
    const cancellations = [new Cancellation(), new Cancellation()];
    const left = cancellations.map((cancellation) => handle(aCall(CACHED, { cancellation })));
    await turn();
    for (const cancellation of cancellations) cancellation.cancel('the client left');
    for (const outcome of left) await expect(outcome).rejects.toMatchObject({ details: { reason: 'cancelled' } });
    expect(calls[0]?.cancellation.reason).toBe('the client left');
    const next = handle(aCall(CACHED));
    await turn();
    calls[1]?.answer(aText('anew'));
    await expect(next).resolves.toEqual({ toolResult: aText('anew') });
  });

  it('do not start with a call that is already cancelled', async () => {
    const { calls, handle } = bench();
    const cancellation = new Cancellation();
    cancellation.cancel('gone before');
    void handle(aCall(CACHED, { cancellation }));
    const other = handle(aCall(CACHED));
    await turn();
    calls[1]?.answer(aText('mine'));
    await expect(other).resolves.toEqual({ toolResult: aText('mine') });
  });

  it('report progress to every waiting caller, from when it joined', async () => {
    const { calls, handle } = bench();
    const seen: Record<string, ProgressUpdate[]> = { first: [], second: [] };
    const watch = (who: string) =>
      handle(aCall(CACHED, { onProgress: (update: ProgressUpdate) => void seen[who]?.push(update) }));
    const outcomes = [watch('first'), handle(aCall(CACHED))];
    await turn();
    calls[0]?.onProgress?.({ progress: 1 });
    outcomes.push(watch('second'));
    await turn();
    calls[0]?.onProgress?.({ progress: 2 });
    calls[0]?.answer(aText('done'));
    await Promise.all(outcomes);
    expect(seen).toEqual({ first: [{ progress: 1 }, { progress: 2 }], second: [{ progress: 2 }] });
  });

  it('are separate calls where caching is not configured', async () => {
    const { calls, handle } = bench();
    void handle(aCall(anOperation()));
    void handle(aCall(anOperation()));
    await turn();
    expect(calls).toHaveLength(2);
  });
});

const UPSTREAMS = ['one', 'two'] as const;

type Step =
  | { readonly do: 'read'; readonly upstream: (typeof UPSTREAMS)[number] }
  | { readonly do: 'write'; readonly upstream: (typeof UPSTREAMS)[number] }
  /** Calls in flight take effect and come back in any order. */
  | { readonly do: 'apply' | 'return' | 'fail'; readonly pick: number }
  | { readonly do: 'wait'; readonly seconds: number };

const upstream = fc.constantFrom(...UPSTREAMS);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('read' as const, 'write' as const), upstream }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom('apply' as const, 'return' as const, 'fail' as const),
        pick: fc.nat(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(90) }) },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
) as fc.Arbitrary<Step[]>;

/** A server that counts its writes, the cache interceptor before it, and what must hold of every answer. */
class Model {
  readonly #held = createHeldInterceptor();
  readonly #clock = { ms: 1_000_000 };
  readonly #cached = createCacheInterceptor({ maxBytes: 100_000, now: () => this.#clock.ms }).over(this.#held.handle);
  readonly #value: Record<string, number> = { one: 0, two: 0 };
  /** The value that the last write which has ended for its caller made, or a later one. */
  readonly #ended: Record<string, number> = { one: 0, two: 0 };
  /** What each call in flight saw or made, once it has taken effect. */
  readonly #effects = new Map<number, number>();
  readonly #returned = new Set<number>();
  readonly outcomes: Promise<void>[] = [];
  answers = 0;
  fromMemory = 0;

  async take(step: Step): Promise<void> {
    if (step.do === 'wait') this.#clock.ms += step.seconds * 1000;
    else if (step.do === 'read') this.#read(step.upstream);
    else if (step.do === 'write') this.#write(step.upstream);
    else this.#move(step.do, step.pick);
    await turn();
  }

  /** Lets every call in flight come back. */
  async finish(): Promise<void> {
    for (const _call of this.#held.calls) await this.take({ do: 'return', pick: 0 });
    await Promise.all(this.outcomes);
  }

  #read(name: string): void {
    const least = this.#ended[name]!;
    const outcome = this.#cached(aCall(anOperation({ upstream: name, qualifiedName: name, cacheSeconds: 60 })));
    this.outcomes.push(
      outcome.then(
        (answer) => this.#check(answer, name, least),
        () => undefined,
      ),
    );
  }

  #check(answer: HandlerOutcome, name: string, least: number): void {
    const result = 'toolResult' in answer ? readHeld(answer.toolResult) : undefined;
    const value = result?.structuredContent;
    this.answers += 1;
    if (result?._meta?.['mcp-aql/cached'] === true) this.fromMemory += 1;
    expect(value).toBeGreaterThanOrEqual(least);
    expect(value).toBeLessThanOrEqual(this.#value[name]!);
  }

  #write(name: string): void {
    const index = this.#held.calls.length;
    const end = () => {
      this.#ended[name] = Math.max(this.#ended[name]!, this.#effects.get(index) ?? 0);
    };
    this.outcomes.push(this.#cached(aCall(aWrite({ upstream: name }))).then(end, end));
  }

  #move(how: 'apply' | 'return' | 'fail', pick: number): void {
    const open = this.#held.calls.map((_call, index) => index).filter((index) => !this.#returned.has(index));
    const index = open[pick % open.length];
    if (index === undefined) return;
    const call = this.#held.calls[index]!;
    // A call that fails may have taken effect or not.
    if (how !== 'fail') this.#apply(index, call.operation.upstream, call.operation.classification.category === 'READ');
    if (how === 'apply') return;
    this.#returned.add(index);
    if (how === 'fail') call.fail(new OperationError('INTERNAL_ERROR', 'gone'));
    else call.answer({ structuredContent: this.#effects.get(index) });
  }

  #apply(index: number, name: string, reads: boolean): void {
    if (this.#effects.has(index)) return;
    if (!reads) this.#value[name]! += 1;
    this.#effects.set(index, this.#value[name]!);
  }
}

it('no answer is older than the last write to its upstream that had ended when it was asked for', async () => {
  const seen = { answers: 0, fromMemory: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const model = new Model();
      for (const step of list) await model.take(step);
      await model.finish();
      seen.answers += model.answers;
      seen.fromMemory += model.fromMemory;
    }),
    { numRuns: 400 },
  );
  // Without concurrent calls the test would prove nothing.
  expect(seen.answers).toBeGreaterThan(1_000);
  expect(seen.fromMemory).toBeGreaterThan(100);
});
