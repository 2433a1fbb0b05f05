import { describe, expect, it } from 'vitest';
import { createWarnings } from '../../../src/pipeline/warnings.js';
import type { Warning } from '../../../src/protocol/result.js';

function render(...warnings: readonly (Warning | undefined)[]): readonly Warning[] {
  const collected = createWarnings();
  for (const warning of warnings) collected.add(warning);
  return collected.render();
}

describe('createWarnings', () => {
  it('renders nothing when there are no warnings', () => {
    expect(render()).toEqual([]);
    expect(render(undefined)).toEqual([]);
  });

  it.each([
    [
      'code and message',
      { code: 'A', message: 'm', details: { n: 1 } },
      { code: 'A', message: 'm', details: { n: 2 } },
    ],
    [
      'code and details, in any order',
      { code: 'A', message: 'm', details: { n: 1, o: 2 } },
      { code: 'A', message: 'other', details: { o: 2, n: 1 } },
    ],
    ['code and message without details', { code: 'A', message: 'm' }, { code: 'A', message: 'm' }],
  ])('merges warnings with the same %s and counts them', (_what, first, second) => {
    expect(render(first, second)).toEqual([
      { ...first, details: { ...('details' in first ? first.details : {}), occurrence_count: 2 } },
    ]);
  });

  it.each([
    [
      { code: 'A', message: 'm' },
      { code: 'B', message: 'm' },
    ],
    [
      { code: 'A', message: 'm' },
      { code: 'A', message: 'n' },
    ],
    [
      { code: 'A', message: 'm', details: { n: 1 } },
      { code: 'A', message: 'o', details: { n: 2 } },
    ],
  ])('keeps different warnings separate: %j %j', (first, second) => {
    expect(render(first, second)).toEqual([first, second]);
  });

  it('adds up earlier occurrence counts', () => {
    const counted = { code: 'A', message: 'm', details: { occurrence_count: 3 } };
    expect(render(counted, { code: 'A', message: 'm' })[0]?.details).toEqual({ occurrence_count: 4 });
    expect(render(counted)).toEqual([counted]);
  });

  it('orders by severity and keeps the order within one severity', () => {
    const severities = ['low', 'high', undefined, 'medium', 'high'] as const;
    const warnings = severities.map((severity, n) => ({
      code: 'A',
      message: `${n}`,
      ...(severity === undefined ? {} : { severity }),
    }));
    expect(render(...warnings).map(({ message }) => message)).toEqual(['1', '4', '3', '0', '2']);
  });

  it('renders ten warnings, or nine and the number of the others', () => {
    const warnings = Array.from({ length: 15 }, (_, n): Warning => ({ code: 'A', message: `${n}`, severity: 'high' }));
    expect(render(...warnings.slice(0, 10))).toEqual(warnings.slice(0, 10));
    const capped = render(...warnings);
    expect(capped.slice(0, 9)).toEqual(warnings.slice(0, 9));
    expect(capped.slice(9)).toEqual([
      {
        code: 'VALIDATION_TRUNCATED_WARNING',
        message: expect.stringContaining('6 more'),
        details: { field: 'warnings', original_count: 15, truncated_count: 9, limit: 10 },
        severity: 'low',
      },
    ]);
  });
});
