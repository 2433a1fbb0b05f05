import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestSpelling, suggestName } from '../../../src/lib/names.js';

const KEYS = ['command', 'args', 'env', 'url', 'headers', 'mcpServers', 'timeoutMs'];

describe('nearestSpelling', () => {
  it.each([
    ['comand', 'command'],
    ['commadn', 'command'],
    ['mcp_servers', 'mcpServers'],
    ['MCPSERVERS', 'mcpServers'],
    ['header', 'headers'],
    ['timeoutMS', 'timeoutMs'],
  ])('reads %s as a misspelling of %s', (name, expected) => {
    expect(nearestSpelling(name, KEYS)).toBe(expected);
  });

  it.each(['gallery', 'autoApprove', 'description', 'xyz'])('finds nothing similar to %s', (name) => {
    expect(nearestSpelling(name, KEYS)).toBeUndefined();
  });

  it('finds every name that is among the candidates', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (names) => {
        for (const name of names) expect(nearestSpelling(name, names)).toBe(name);
      }),
    );
  });

  it('becomes a question in suggestName, or undefined where nothing is similar', () => {
    expect(suggestName('comand', KEYS)).toBe("did you mean 'command'?");
    expect(suggestName('comand', [])).toBeUndefined();
  });
});
