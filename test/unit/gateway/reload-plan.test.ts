import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load/load-config.js';
import { describeChanges, isEmptyPlan, planReload } from '../../../src/gateway/reload-plan.js';
import { SECTIONS } from '../../../src/modules/modules.js';
import { makeFolder } from '../config/config-folder.js';

const SERVERS = { one: { command: 'one' }, two: { command: 'two' } };

const plan = async (before: object, after: object) => {
  const cwd = makeFolder({ 'gateway.config.json': before });
  const first = await loadConfig({ env: {}, cwd, sections: SECTIONS });
  writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify(after));
  return planReload(first.config, (await loadConfig({ env: {}, cwd, sections: SECTIONS })).config);
};

describe('planReload', () => {
  it('is empty where nothing differs', async () => {
    const same = { mcpServers: SERVERS, policy: { readOnly: true } };
    expect(isEmptyPlan(await plan(same, same))).toBe(true);
  });

  it('tells a connection that is described otherwise from settings that it does not need', async () => {
    const { upstreams } = await plan(
      { mcpServers: SERVERS },
      {
        mcpServers: {
          one: { command: 'one', args: ['-v'] },
          two: { command: 'two', trust: 'untested' },
          three: { command: '3' },
        },
      },
    );
    const names = Object.entries(upstreams).map(([change, list]) => [
      change,
      list.map(({ name }: { name: string }) => name),
    ]);
    expect(Object.fromEntries(names)).toEqual({
      added: ['three'],
      removed: [],
      replaced: ['one'],
      reassigned: [],
      adjusted: ['two'],
    });
  });

  it.each([
    ['where there are some before and after', ['old'], ['new'], ['new'], []],
    ['not where there were none before, whose pages are not there', [], ['new'], [], ['policy.approvals']],
    ['not where there are none any more', ['old'], [], ['old'], ['policy.approvals']],
  ])('takes over who is an operator %s', async (_, before, after, inForce, waits) => {
    const withOperators = (names: readonly string[]) => ({
      mcpServers: SERVERS,
      policy: {
        approvals: {
          operators: Object.fromEntries(names.map((name) => [name, { token: `a-token-of-${name}-operators` }])),
        },
      },
    });
    const { config, needsRestart } = await plan(withOperators(before), withOperators(after));
    expect(config.policy.approvals.operators.map(({ name }) => name)).toEqual(inForce);
    expect(needsRestart).toEqual(waits);
  });

  it('keeps the values of what is fixed at the start, and names what waits for a restart', async () => {
    const { config, needsRestart, settings } = await plan(
      { mcpServers: SERVERS },
      {
        mcpServers: SERVERS,
        server: { port: 4000 },
        metrics: { enabled: true },
        log: { access: 'stderr' },
        store: { type: 'memory' },
        endpoint: { mode: 'single', errors: 'unrecoverable' },
        limits: { maxNestingDepth: 20 },
      },
    );
    expect([config.server.port, config.store.type, config.metrics]).toEqual([3333, 'sqlite', undefined]);
    expect(needsRestart).toEqual(expect.arrayContaining(['server.port', 'store.type', 'metrics', 'log.access']));
    expect(settings).toEqual(['limits', 'endpoint']);
  });

  it('says in words what changes', async () => {
    const change = await plan(
      { mcpServers: SERVERS },
      { mcpServers: { one: SERVERS.one }, policy: { readOnly: true } },
    );
    expect(describeChanges(change)).toBe("removed 'two'; policy");
  });
});
