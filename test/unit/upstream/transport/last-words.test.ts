import { expect, it } from 'vitest';
import { describeLastWords } from '../../../../src/upstream/transport/last-words.js';

it.each([
  [['deprecated, and moved', 'Run: railway mcp install', 'https://docs.example'], 'a few lines'],
  [['TypeError: fetch failed', 'at line 3', '[cause]: Error: getaddrinfo ENOTFOUND svelte.example'], 'errors'],
])('says what a server said last: %s', (lines) => {
  const told = describeLastWords(lines);
  for (const line of lines.filter((each) => !each.startsWith('at '))) expect(told).toContain(line);
});
