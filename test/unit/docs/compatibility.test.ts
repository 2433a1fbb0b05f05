import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/compatibility.md', 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| \S+ \| \d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the table of compared servers', () => {
  it('has forty servers, none with a difference that no page documents', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(rows.filter((cells) => cells.at(-2) !== '0')).toEqual([]);
  });
});
