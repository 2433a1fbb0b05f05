import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';
import { REPOSITORY } from '../support/served-gateway.js';

const PAGE = readFileSync(join(REPOSITORY, 'docs/recipes.md'), 'utf8');
const TOKENS = {
  ADA_TOKEN: 'ada-has-a-long-token',
  WEB_TOKEN: 'web-has-a-long-token',
  DATA_TOKEN: 'data-has-a-long-token',
};

/** The configuration below a heading of the page. */
function recipeOf(heading: string): string {
  const found = new RegExp(`## \\.\\.\\. ${heading}\\n[^#]*?\`\`\`json\\n([^\`]+)\`\`\``).exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`there is no recipe '${heading}'`);
  return found;
}

it.each([
  ['forbid one operation', ['policy', 'explain', 'files__move_file'], 'move_file: deny'],
  [
    'allow one operation without a question',
    ['policy', 'explain', 'delete_observations'],
    'delete_observations: allow',
  ],
  ['hide an operation, or rename one', ['tools', 'list'], 'add_numbers'],
  ['read only', ['policy', 'explain', 'create_entities'], 'create_entities: deny'],
  ['have a person approve what destroys', ['policy', 'explain', 'delete_entities'], 'confirm (by a person)'],
  [
    'share one gateway between two teams',
    ['policy', 'explain', 'list_directory', '--client', 'web'],
    'list_directory: deny',
  ],
  [
    'share one gateway between two teams',
    ['policy', 'explain', 'list_directory', '--client', 'data'],
    'list_directory: allow',
  ],
])("the recipe '... %s' does what it says: %s", async (heading, command, shown) => {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, recipeOf(heading));
  const { stdout, stderr } = await runCli([...command, '--config', file], { cwd: REPOSITORY, env: TOKENS });
  expect(stdout, stderr).toContain(shown);
  expect(stdout).not.toContain('get_env');
});
