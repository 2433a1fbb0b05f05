import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import breaks from './breaks.json' with { type: 'json' };

it.each(breaks)('the repair $name can still be taken back by one place in the sources', ({ file, search }) => {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(source.split(search)).toHaveLength(2);
});
