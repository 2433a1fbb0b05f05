import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { scopeOf } from '../../../../src/policy/confirmation/token-types.js';
import { anOperation } from '../../../support/an-operation.js';

describe('scopeOf', () => {
  it('contains the operation and its upstream', () => {
    const scope = scopeOf(anOperation({ name: 'delete_item' }), { id: 1 });
    expect(scope).toMatchObject({ operation: 'demo__delete_item', upstream: 'demo' });
  });

  it('depends on every parameter', () => {
    const operation = anOperation();
    const parametersOf = (args: Record<string, unknown>): string => scopeOf(operation, args).parameters;
    expect(parametersOf({ id: 1, force: true })).toBe(parametersOf({ force: true, id: 1 }));
    expect(parametersOf({ id: 1, dry_run: true })).not.toBe(parametersOf({ id: 1 }));
  });

  const { classification } = anOperation();
  it.each<[string, Partial<Operation>]>([
    ['qualified name', { qualifiedName: 'other__get_item' }],
    ['tool', { tool: 'getItem' }],
    ['description', { description: 'Gets an item, and sends it away.' }],
    ['schema', { inputSchema: { type: 'object', properties: { all: {} } } }],
    ['fixed arguments', { fixedArguments: { method: 'get' } }],
    ['danger', { classification: { ...classification, danger: { level: 'dangerous', reasons: [] } } }],
  ])('has another definition when the %s differs', (_, changes) => {
    expect(scopeOf(anOperation(changes), {}).definition).not.toBe(scopeOf(anOperation(), {}).definition);
  });

  it('is equal for an operation that was created again', () => {
    const again = anOperation({ classification: { ...classification, confidence: 0.5 }, timeoutMs: 1 });
    expect(scopeOf(again, {}).definition).toBe(scopeOf(anOperation(), {}).definition);
  });
});
