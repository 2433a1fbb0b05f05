import { expect, it } from 'vitest';
import { readConsent } from '../../../../src/server/mcp/elicitation-form.js';

it.each([
  [{ action: 'accept', content: { approve: true } }, 'accept'],
  [{ action: 'accept', content: { approve: false } }, 'decline'],
  [{ action: 'accept', content: { approve: 'true' } }, 'decline'],
  [{ action: 'accept', content: {} }, 'decline'],
  [{ action: 'accept', content: [true] }, 'decline'],
  [{ action: 'accept' }, 'decline'],
  [{ action: 'decline', content: { approve: true } }, 'decline'],
  [{ action: 'cancel' }, 'cancel'],
  [{ action: 'ACCEPT', content: { approve: true } }, undefined],
  [{ content: { approve: true } }, undefined],
  [null, undefined],
  ['accept', undefined],
])('reads the elicitation result %j as %s', (result, answer) => {
  expect(readConsent(result)).toBe(answer);
});
