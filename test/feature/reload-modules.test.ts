import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { openLiveGateway } from '../support/live-gateway.js';

const WITH = (programs: object) => ({ programs, mcpServers: {} });

it('a reload switches a module on, takes its settings, and switches it off', async () => {
  await using live = await openLiveGateway(WITH({ enabled: false }));
  const client: Client = await live.connect('http', 'modern');
  const run = async (code: string) => JSON.stringify((await live.call(client, 'run_program', { code })).error ?? null);
  expect(await run('return 1')).toContain("Unknown operation: 'run_program'");

  const on = await live.reload(WITH({ enabled: true }));
  expect(on).toMatchObject({ outcome: 'applied', changes: 'programs.enabled' });
  expect(await run('return 1')).toBe('null');

  const bounded = await live.reload(WITH({ enabled: true, maxCodeBytes: 1_024 }));
  expect(bounded).toMatchObject({ outcome: 'applied', changes: 'programs.maxCodeBytes' });
  expect(await run(`return 1; // ${'.'.repeat(1_024)}`)).toContain('1024');

  expect(await live.reload(WITH({}))).toMatchObject({ outcome: 'applied' });
  expect(await run('return 1')).toContain("Unknown operation: 'run_program'");
});
