import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCommand } from '../support/run-command.js';

const RELATION = { relationship: 'uses', operation: 'read_graph', source: 'from', target: 'to' };

async function modulesOf(config: object, ...flags: readonly string[]) {
  await using folder = await makeDirectory();
  await writeFile(join(folder.path, 'gateway.config.json'), JSON.stringify(config));
  return (await runCommand(['modules', ...flags], { cwd: folder.path })).stdout;
}

it('modules shows which are on by the configuration, what each may do and its operations', async () => {
  const listed = JSON.parse(
    await modulesOf(
      { programs: { enabled: true }, mcpServers: { notes: { command: 'notes', relations: [RELATION] } } },
      '--json',
    ),
  );
  expect(listed).toEqual([
    {
      name: 'relationships',
      on: true,
      may: ['operations'],
      operations: [{ name: 'query_relationships', category: 'READ' }],
    },
    {
      name: 'programs',
      on: true,
      may: ['settings', 'operations'],
      operations: [
        { name: 'run_program', category: 'EXECUTE' },
        { name: 'run_program_read_only', category: 'READ' },
      ],
    },
  ]);
});

it('modules shows what is off, too, and what it would add', async () => {
  expect(await modulesOf({ mcpServers: {} })).toBe(
    'relationships\ton\toperations\t\n' +
      'programs\toff\tsettings, operations\trun_program (EXECUTE), run_program_read_only (READ)\n',
  );
});
