import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { createShapeMemory } from '../../../../src/results/shape/learned-shape.js';
import { anOperation } from '../../../support/an-operation.js';

const GET = anOperation({ name: 'get_issues' });
const page = (...ids: number[]) => ({ total: ids.length, issues: ids.map((id) => ({ id, title: `t${id}` })) });
const ISSUES = { kind: 'collection', path: ['issues'], evidence: 'its earlier answers' };
const OBJECT = { kind: 'object' };

/** What is known after each answer. */
function shapesAfter(operation: Operation, answers: readonly unknown[]): readonly unknown[] {
  const memory = createShapeMemory();
  return answers.map((answer) => {
    memory.learn(operation, answer);
    return memory.shapeOf(operation);
  });
}

describe('shape memory', () => {
  it('is certain of a list after three answers that agree', () => {
    expect(shapesAfter(GET, [page(1), page(2), page(3)])).toEqual([undefined, undefined, ISSUES]);
  });

  it('is certain of an object after three answers that agree', () => {
    const thing = { id: 1, labels: ['a'] };
    expect(shapesAfter(GET, [thing, thing, thing])).toEqual([undefined, undefined, OBJECT]);
    expect(shapesAfter(GET, ['text', 'a\nb', { content: 'x' }])).toEqual([undefined, undefined, OBJECT]);
  });

  it('learns nothing from an empty list, a number or null', () => {
    expect(shapesAfter(GET, [page(1), page(), page(2), [], null, 7, page(3)]).at(-1)).toEqual(ISSUES);
    expect(shapesAfter(GET, [page(), page(), page()]).at(-1)).toBeUndefined();
  });

  it('does not take a line of text between lists for a contradiction', () => {
    expect(shapesAfter(GET, ['none', page(1), page(2), { content: 'none' }, page(3)]).at(-1)).toEqual(ISSUES);
  });

  it.each<[string, unknown]>([
    ['one thing', { id: 1, state: 'open' }],
    ['a text of lines', 'a\nb'],
    ['a list elsewhere', { others: [{ id: 1 }] }],
    ['several lists', { a: [{ id: 1 }], b: [{ id: 1 }] }],
  ])('withdraws a shape for good after an answer that contradicts it: %s', (_, contrary) => {
    const again = [page(1), page(2), page(3)];
    const shapes = shapesAfter(GET, [...again, contrary, ...again]);
    expect(shapes.slice(3)).toEqual([undefined, undefined, undefined, undefined]);
    expect(shapesAfter(GET, [again[0], contrary, ...again]).at(-1)).toBeUndefined();
  });

  it('withdraws the shape of an object when a list comes', () => {
    const thing = { id: 1 };
    expect(shapesAfter(GET, [thing, thing, thing, page(1), thing]).slice(2)).toEqual([OBJECT, undefined, undefined]);
  });

  it('learns the path of a list that a name promised, and goes back to the promise after a contradiction', () => {
    const LIST = anOperation({ name: 'list_issues' });
    const promised = { kind: 'collection', path: null, evidence: 'its name' };
    expect(shapesAfter(LIST, [page(1), page(2), page(3), { id: 1 }])).toEqual([promised, promised, ISSUES, promised]);
    expect(shapesAfter(LIST, [{ id: 1 }, { id: 1 }, { id: 1 }]).at(-1)).toEqual(promised);
  });

  it('returns the same object while nothing is new', () => {
    const memory = createShapeMemory();
    for (const answer of [page(1), page(2), page(3)]) memory.learn(GET, answer);
    const shape = memory.shapeOf(GET);
    memory.learn(GET, page(4));
    expect(memory.shapeOf(GET)).toBe(shape);
  });

  it("learns nothing from answers of callers' own state", () => {
    const memory = createShapeMemory(({ upstream }) => upstream === GET.upstream);
    for (const answer of [page(1), page(2), page(3)]) memory.learn(GET, answer);
    expect(memory.shapeOf(GET)).toBeUndefined();
  });

  it('keeps what it learned when a catalog is rebuilt, but not for a changed tool or another upstream', () => {
    const memory = createShapeMemory();
    for (const answer of [page(1), page(2), page(3)]) memory.learn(GET, answer);
    expect(memory.shapeOf(structuredClone(GET))).toEqual(ISSUES);
    expect(memory.shapeOf(anOperation({ ...GET, name: 'demo__get_issues' }))).toEqual(ISSUES);
    expect(
      memory.shapeOf(anOperation({ ...GET, inputSchema: { type: 'object', properties: { all: {} } } })),
    ).toBeUndefined();
    expect(memory.shapeOf(anOperation({ ...GET, qualifiedName: 'other__get_issues' }))).toBeUndefined();
  });

  it('remembers ten thousand operations and no more', () => {
    const memory = createShapeMemory();
    const operations = Array.from({ length: 10_001 }, (_, index) => anOperation({ name: `get_${index}` }));
    for (const operation of operations) for (let time = 0; time < 3; time++) memory.learn(operation, page(time));
    const [first, ...others] = operations;
    expect(memory.shapeOf(first as Operation)).toBeUndefined();
    expect(others.filter((operation) => memory.shapeOf(operation) === undefined)).toEqual([]);
  });

  it('learns nothing of operations with a declared shape, nor of any but READs', () => {
    const declared = anOperation({ collection: null });
    expect(shapesAfter(declared, [page(1), page(2), page(3)]).at(-1)).toEqual(OBJECT);
    const creating = anOperation({ classification: { ...GET.classification, category: 'CREATE' } });
    expect(shapesAfter(creating, [page(1), page(2), page(3)]).at(-1)).toBeUndefined();
  });
});
