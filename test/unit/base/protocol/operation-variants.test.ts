import { expect, it } from 'vitest';
import { variantOf } from '../../../../src/base/protocol/operation.js';
import { buildTestOperation } from '../../../support/build-test-catalog.js';

const operation = buildTestOperation({ name: 'list_boats', inputSchema: { type: 'object' } });

it('calls of one kind use one object, which rules and learned shapes go by', () => {
  const variant = () => variantOf(operation, 'about a', () => ({ upstream: 'a' }));
  expect(variant()).toBe(variant());
  expect(variant()).toMatchObject({ upstream: 'a', tool: 'list_boats', definition: operation.definition });
  expect(variantOf(operation, 'about b', () => ({ upstream: 'b' }))).not.toBe(variant());
});

it('nothing that was made of an operation is taken for what is made of a copy that differs', () => {
  const reading = (of: typeof operation) => variantOf(of, 'reads', () => ({ retryable: true }));
  expect(reading(operation).timeoutMs).toBe(operation.timeoutMs);
  const copy = { ...operation, timeoutMs: 7 };
  expect(reading(copy)).toMatchObject({ timeoutMs: 7, retryable: true });
  expect(reading(operation).timeoutMs).toBe(operation.timeoutMs);
});

it('a variant has variants of its own', () => {
  const told = variantOf(operation, 'told', () => ({ retryable: false }));
  expect(variantOf(told, 'told', () => ({ timeoutMs: 9 }))).toMatchObject({ retryable: false, timeoutMs: 9 });
});
