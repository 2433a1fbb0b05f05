import { expect, test } from 'vitest';
import { findCorpus, readAllTools } from './corpus.js';
import { describeDanger, rateTools } from './danger-table.js';

const directory = findCorpus();

// npm run eval -- --danger
test.skipIf(process.env['DANGER'] === undefined || directory === undefined)('the danger of each verb is shown', () => {
  const rated = rateTools(readAllTools(directory ?? ''), false);
  console.log(describeDanger(rated));
  expect(rated.length).toBeGreaterThan(0);
});
