import { describe, expect, it } from 'vitest';
import { compareLines, fileDifference, toReadableJson } from '../../../../src/console/layout/differences.js';

const show = (before: string, after: string): readonly string[] =>
  compareLines(before, after).map(
    ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+', 'left-out': '~' }[kind]}${text}`,
  );

describe('comparing lines', () => {
  it('shows what changed with the lines around it, and counts the equal lines that it leaves out', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, 'other');
    expect(show(lines.join('\n'), changed.join('\n'))).toEqual([
      '~7 equal lines',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+other',
      ' line 11',
      ' line 12',
      ' line 13',
      '~6 equal lines',
    ]);
    expect(show('a\n', 'a\n')).toEqual([]);
    expect(show('', 'a\nb\n')).toEqual(['+a', '+b']);
  });

  it('shows of a long line the sentences that changed', () => {
    const text = (word: string): string =>
      `${'It reads a file of the folder. '.repeat(10)}It ${word} it. ${'It ends. '.repeat(10)}`;
    const changed = show(text('shows'), text('sends')).filter((line) => /^[-+]/.test(line));
    expect(changed).toHaveLength(2);
    expect(changed[1]).toContain('It sends it.');
  });

  it('stays within its bounds where everything differs', () => {
    const numbers = (from: number): string =>
      Array.from({ length: 50_000 }, (_, index) => `${from + index}`).join('\n');
    const lines = compareLines(numbers(0), numbers(1_000_000));
    expect(lines).toHaveLength(601);
    expect(lines.at(-1)).toEqual({ kind: 'left-out', text: '7400 more lines' });
    expect(compareLines('x'.repeat(5_000_000), 'y').length).toBeLessThanOrEqual(601);
  });

  it('writes JSON in order of names, with invisible characters to be seen', () => {
    expect(toReadableJson({ b: 1, a: ['x\u200by'] })).toBe('{\n  "a": [\n    "x\\u200by"\n  ],\n  "b": 1\n}');
    expect(toReadableJson(undefined)).toBe('');
  });

  it('hides the secrets that a file holds already, and shows what is new and what only refers', () => {
    const before = '{\n  "token": "s3cret-of-ada",\n  "apiKey": "${KEY}"\n}';
    const after = '{\n  "token": "s3cret-of-ada",\n  "apiKey": "${KEY}",\n  "clientToken": "just-pasted"\n}';
    const written = fileDifference({ before, after }).toString();
    expect(written).not.toContain('s3cret-of-ada');
    for (const part of ['[hidden]', '${KEY}', 'just-pasted']) expect(written).toContain(part);
  });
});
