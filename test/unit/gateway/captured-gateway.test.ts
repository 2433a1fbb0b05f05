import { expect, it } from 'vitest';
import { readToolSet } from '../../../src/gateway/captured-gateway.js';

it.each([
  ['an array', [{ name: 'x' }]],
  ['a list answer', { tools: [{ name: 'x' }], nextCursor: 'y' }],
  ['a JSON-RPC response', { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'x' }] } }],
])('reads a captured tool list from %s', (_, json) => {
  expect(readToolSet('a', json)).toEqual({ upstream: 'a', tools: [{ name: 'x' }] });
});

it.each([null, 5, 'tools', {}, { tools: {} }, { result: null }])('finds no captured tool list in %j', (json) => {
  expect(readToolSet('a', json)).toBeUndefined();
});
