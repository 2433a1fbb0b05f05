import { expect, it } from 'vitest';
import { Lifecycle } from '../../../src/gateway/lifecycle.js';

it('the lifecycle closes each resource once, in reverse order, and continues after a failure', async () => {
  const log: string[] = [];
  const lifecycle = new Lifecycle((name) => log.push(`fault: ${name}`));
  lifecycle.opened('first', () => void log.push('first'));
  lifecycle.opened('broken', () => Promise.reject(new Error('no')));
  lifecycle.opened('last', async () => void log.push('last'));
  await Promise.all([lifecycle.close(), lifecycle.close()]);
  await lifecycle.close();
  expect(log).toEqual(['last', 'fault: broken', 'first']);
});
