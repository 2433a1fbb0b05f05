import { expect, it } from 'vitest';
import { Parts } from '../../../src/gateway/parts.js';
import { planReload } from '../../../src/gateway/reload-plan.js';
import { loadOnly } from '../config/config-folder.js';

it('the lifecycle closes each resource once, in reverse order, and continues after a failure', async () => {
  const log: string[] = [];
  const parts = new Parts((name) => log.push(`fault: ${name}`));
  parts.add('first', { close: () => void log.push('first') });
  parts.add('broken', { close: () => Promise.reject(new Error('no')) });
  parts.add('last', { close: async () => void log.push('last') });
  await Promise.all([parts.close(), parts.close()]);
  await parts.close();
  expect(log).toEqual(['last', 'fault: broken', 'first']);
});

it('a reload goes through the parts in their order, and stops where one refuses it', async () => {
  const log: string[] = [];
  const parts = new Parts(() => undefined);
  parts.add('first', { apply: async () => void log.push('first') });
  parts.add('only closed', {});
  parts.add('second', { apply: () => void log.push('second') });
  parts.add('broken', { apply: () => Promise.reject(new Error('no')) });
  parts.add('last', { apply: () => void log.push('last') });
  const config = await loadOnly({ mcpServers: {} });
  await expect(parts.apply(planReload(config, config))).rejects.toThrow('no');
  expect(log).toEqual(['first', 'second']);
});
