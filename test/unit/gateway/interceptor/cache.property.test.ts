import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HandlerOutcome } from '../../../../src/base/protocol/call.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import { createCacheInterceptor } from '../../../../src/gateway/interceptor/cache.js';
import { anOperation } from '../../../support/an-operation.js';
import { readHeld } from '../../../support/read-held.js';
import { aCall, aWrite, createHeldInterceptor } from './held-interceptor.js';

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
