import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { findGroupingParameter } from '../../../src/classify/facts.js';
import { choice, text } from './tool-example.js';

const find = (properties: JsonObject, required: readonly string[] = []) =>
  findGroupingParameter({ name: 'tool', inputSchema: { type: 'object', properties, required } });

describe('findGroupingParameter', () => {
  test.each([
    ['an enum of verbs', 'action', choice('list', 'create', 'delete')],
    ['verbs in any style', 'method', choice('getRows', 'insert-rows', 'DELETE_ROWS')],
    ['two opposite writes', 'action', choice('PAUSE', 'RESUME')],
    ['a few values that are no verbs', 'mode', choice('list', 'create', 'show-current', 'delete', 'other')],
    ['a qualified selector', 'user_action', choice('ban', 'invite')],
    ['constants in a union', 'operation', { anyOf: [{ const: 'add' }, { const: 'remove' }] }],
    ['enums in a union', 'operation', { oneOf: [choice('read'), choice('write', 'list')] }],
  ])('finds %s', (_what, name, schema) => {
    expect(find({ id: text, [name]: schema })?.parameter).toBe(name);
  });

  test('returns all values in their spelling and order', () => {
    expect(find({ action: choice('list', 'createTable', 'soft') })).toEqual({
      parameter: 'action',
      values: ['list', 'createTable', 'soft'],
      closed: true,
    });
  });

  test('finds a parameter that is no selector only where it is required and all values are verbs', () => {
    const values = choice('replace_content', 'insert_content');
    expect(find({ type: values }, ['type'])?.parameter).toBe('type');
    expect(find({ type: values })).toBeNull();
    expect(find({ type: choice('insert_content', 'text') }, ['type'])).toBeNull();
  });

  test('prefers a selector to another grouping parameter', () => {
    const kind = choice('insert_content', 'delete_content');
    expect(find({ kind, action: choice('start', 'stop') }, ['kind'])?.parameter).toBe('action');
  });
  test.each([
    ['reads alone', { action: choice('list', 'get', 'search') }],
    ['means of travel', { mode: choice('driving', 'walking') }],
    ['HTTP methods', { method: choice('GET', 'POST', 'DELETE') }],
    ['sort orders', { order: choice('asc', 'desc') }],
    ['one value', { action: choice('delete') }],
    ['free text', { action: text }],
    ['states of a resource', { state: choice('open', 'closed') }],
  ])('does not find %s', (_what, properties) => {
    expect(find(properties)).toBeNull();
  });

  test.each([undefined, null, 'x', { properties: [] }, { properties: { action: null } }])(
    'finds nothing in the malformed schema %j',
    (schema) => {
      expect(findGroupingParameter({ name: 'tool', inputSchema: schema })).toBeNull();
    },
  );
});
