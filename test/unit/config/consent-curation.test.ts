import { describe, expect, it } from 'vitest';
import { loadOnly, problemsOf } from './config-folder.js';

const curate = (operation: unknown): unknown => ({ mcpServers: { a: { command: 'x', operations: { t: operation } } } });

describe('the curation of consent', () => {
  it('is accepted in the main file and in an upstream file', async () => {
    const main = {
      cooldownSeconds: 30,
      confirmationMessage: 'Really {name}?',
      requiresReauth: true,
      auditContext: ['payments'],
    };
    const files = { 'upstreams/a.json': { operations: { '*': { sensitive: ['apiKey'] } } } };
    const config = await loadOnly(curate(main), { files });
    expect(config.upstreams[0]?.curation).toEqual([
      { pattern: 't', ...main },
      { pattern: '*', sensitive: ['apiKey'] },
    ]);
  });

  it.each([
    [{ cooldownSeconds: 3601 }, 'cooldownSeconds', 'expected at least 0 and at most 3600, got 3601'],
    [{ cooldownSeconds: 1.5 }, 'cooldownSeconds', 'expected an integer, got a number'],
    [{ confirmationMessage: '' }, 'confirmationMessage', 'expected text, got an empty string'],
    [{ requiresReauth: 'yes' }, 'requiresReauth', 'expected a boolean, got a string'],
    [{ auditContext: 'payments' }, 'auditContext', 'expected an array, got a string'],
    [{ sensitive: 'password' }, 'sensitive', 'expected an array, got a string'],
    [{ sensitive: [''] }, 'sensitive[0]', 'expected text, got an empty string'],
  ])('refuses %j', async (operation, key, message) => {
    expect(await problemsOf(curate(operation))).toEqual([
      expect.objectContaining({ path: `mcpServers.a.operations.t.${key}`, message }),
    ]);
  });
});
