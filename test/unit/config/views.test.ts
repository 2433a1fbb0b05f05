import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { load, loadOnly, problemsOf } from './config-folder.js';

const servers = { mcpServers: { github: { command: 'x' }, payroll: { command: 'x' } } };

it('gives a view the settings of the endpoint, save those that it has itself', async () => {
  const { views } = await loadOnly({
    ...servers,
    endpoint: { mode: 'all', passthrough: true },
    views: {
      plain: {},
      own: {
        mode: 'crude',
        profile: 'intent',
        tokenBudget: 500,
        upstreams: 'GitHub',
        operations: { include: 'list_*' },
      },
      tools: { mode: 'passthrough' },
    },
  });
  const of = (name: string) => views.find((view) => view.name === name);
  expect(of('plain')?.endpoint).toMatchObject({ mode: 'all', passthrough: true });
  expect(of('own')).toMatchObject({
    upstreams: ['git_hub'],
    operations: { include: ['list_*'] },
    tokenBudget: 500,
    endpoint: { mode: 'semantic', passthrough: false, profile: { name: 'intent' } },
  });
  expect(of('tools')?.endpoint).toMatchObject({ mode: 'passthrough', passthrough: true });
});

it("adds a view's rules to the policy, each for this view alone, and denies what its filter leaves out", async () => {
  const { policy } = await loadOnly({
    ...servers,
    views: {
      a: {
        operations: { danger: 'destructive', categories: ['READ', 'CREATE'] },
        policy: { rules: [{ match: { upstream: 'github' }, decision: 'confirm' }] },
      },
    },
  });
  expect(policy.rules).toEqual([
    expect.objectContaining({ name: "rule 1 of view 'a'", match: { upstream: ['github'], view: ['a'] } }),
    expect.objectContaining({ decision: 'deny', match: { danger: ['dangerous', 'forbidden'], view: ['a'] } }),
    expect.objectContaining({ decision: 'deny', match: { category: ['UPDATE', 'DELETE', 'EXECUTE'], view: ['a'] } }),
  ]);
});

it('refuses what a view cannot be', async () => {
  const problems = await problemsOf({
    ...servers,
    server: { defaultView: 'cod' },
    views: {
      code: {
        profile: 'intnt',
        operations: { include: '@(a|b)' },
        policy: {
          rules: [
            { match: { operation: 'x' }, decision: 'allow' },
            { match: { view: 'other' }, decision: 'deny' },
          ],
        },
      },
    },
  });
  expect(problems.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'views.code.profile',
      'views.code.operations.include',
      'views.code.policy.rules[0].decision',
      'views.code.policy.rules[1].match.view',
      'server.defaultView',
    ]),
  );
  expect(JSON.stringify(problems)).toContain('\\"view\\": \\"code\\"');
  const [bad] = await problemsOf({ ...servers, views: { 'Not a name': {} } });
  expect(bad?.path).toContain('views');
});

it('warns of servers, clients and views that do not exist', async () => {
  const { warnings } = await load({
    ...servers,
    views: { code: { upstreams: ['githb', 'pay*'], clients: 'dev' } },
    policy: { rules: [{ match: { view: 'cod' }, decision: 'deny' }] },
  });
  const said = warnings.join('\n');
  expect(said).toMatch(/no upstream 'githb'/);
  expect(said).toMatch(/no client 'dev'/);
  expect(said).toMatch(/no view 'cod'; it matches nothing/);
});

it('accepts the examples of docs/views.md', async () => {
  const text = readFileSync(new URL('../../../docs/views.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json);
  expect(examples).toHaveLength(2);
  for (const example of examples) {
    const env = { DEV_TOKEN: 'dev-has-a-long-token', HR_TOKEN: 'hr-has-another-long-token' };
    const { config, warnings } = await load(JSON.parse(example), { env });
    expect(warnings).toEqual([]);
    expect(config.views.length).toBeGreaterThan(0);
  }
});
