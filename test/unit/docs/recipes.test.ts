import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { load } from '../config/config-folder.js';

const TEXT = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
const RECIPES = TEXT.split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n')[0] ?? '',
    config: /```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '',
  }));

const env = {
  ADA_TOKEN: 'token-of-ada-0123456789',
  WEB_TOKEN: 'token-of-web-0123456789',
  DATA_TOKEN: 'token-of-data-0123456789',
  LAPTOP_TOKEN: 'token-of-laptop-0123456789',
  N8N_TOKEN: 'token-of-n8n-0123456789ab',
};

it.each(RECIPES)('the recipe "$title" is a valid configuration without a warning', async ({ config }) => {
  expect((await load(config, { env })).warnings).toEqual([]);
});

it('there are recipes', () => {
  expect(RECIPES.length).toBeGreaterThan(8);
});
