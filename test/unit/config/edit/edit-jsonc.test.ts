import { expect, it } from 'vitest';
import { editJsonc } from '../../../../src/config/edit/edit-config.js';

it.each([
  ['', ['operations', 'x']],
  ['{}', ['mcpServers', 'shop', 'operations', 'x']],
  ['{"mcpServers": {"shop": {}}} // of us', ['mcpServers', 'shop', 'operations', 'x', 'category']],
  ['{"a": {"b": 1}}', ['a', 'c']],
])('leaves %s as it is where something is removed that is not there', (text, path) => {
  expect(editJsonc(text, [{ path, value: undefined }])).toBe(text);
});

it('removes what is there, and keeps the comments beside it', () => {
  const text = '{\n  // ours\n  "a": 1,\n  "b": 2\n}\n';
  const edits = ['b', 'c'].map((name) => ({ path: [name], value: undefined }));
  expect(editJsonc(text, edits)).toBe('{\n  // ours\n  "a": 1\n}\n');
});
