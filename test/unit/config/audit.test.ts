import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadOnly, problemsOf } from './config-folder.js';

describe('the audit configuration', () => {
  it('keeps records in the data directory for 90 days by default', async () => {
    const { audit, dataDir } = await loadOnly({});
    expect(audit).toEqual({
      enabled: true,
      directory: join(dataDir, 'audit'),
      calls: 'gated',
      sync: false,
      required: false,
      maxBytes: 1_073_741_824,
      retentionDays: 90,
      redactKeys: [],
      redactPatterns: [],
    });
  });

  it('takes the settings of the file', async () => {
    const given = {
      enabled: false,
      calls: 'all',
      sync: true,
      required: true,
      maxBytes: 0,
      retentionDays: 0,
      redactKeys: ['*_iban'],
      redactPatterns: ['\\p{Lu}{2}\\d{2}', 'ab+'],
    };
    const { audit, directory } = await loadOnly({ audit: { ...given, directory: 'records' } });
    expect(audit).toEqual({ ...given, directory: join(directory, 'records') });
  });

  it.each([
    [{ calls: 'none' }, 'audit.calls', "expected one of 'gated', 'all'"],
    [{ retentionDays: -1 }, 'audit.retentionDays', 'expected at least 0 and at most 3650, got -1'],
    [{ redactKeys: [''] }, 'audit.redactKeys[0]', 'expected text, got an empty string'],
    [{ redactPatterns: 'a' }, 'audit.redactPatterns', 'expected an array, got a string'],
    [
      { redactPatterns: ['a', '('] },
      'audit.redactPatterns[1]',
      'expected a regular expression that compiles (Unterminated group)',
    ],
    [
      { redactPatterns: ['a*'] },
      'audit.redactPatterns[0]',
      'expected a regular expression that does not match the empty text',
    ],
    [{ retention: 1 }, 'audit.retention', "unknown key 'retention'"],
  ])('refuses %j', async (audit, path, message) => {
    expect(await problemsOf({ audit })).toEqual([expect.objectContaining({ path, message })]);
  });
});
