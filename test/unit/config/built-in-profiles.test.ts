import { minimatch } from 'minimatch';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/base/protocol/operation.js';
import { BUILT_IN_PROFILES } from '../../../src/config/built-in-profiles.js';
import type { FamilyDefinition } from '../../../src/config/gateway-config.js';
import { buildProfiles } from '../../../src/config/load/build-profile.js';
import { load, problemsOf } from './config-folder.js';

/** Finds the family of an operation, in the order patterns, verbs, categories. */
function findFamily(
  profile: string,
  name: string,
  category: FamilyDefinition['categories'][number],
): string | undefined {
  const families = BUILT_IN_PROFILES.find((each) => each.name === profile)?.families ?? [];
  const verb = name.split('_')[0] ?? '';
  return (
    families.find((family) => family.patterns.some((pattern) => minimatch(name, pattern))) ??
    families.find((family) => family.verbs.includes(verb)) ??
    families.find((family) => family.categories.includes(category))
  )?.name;
}

describe('the built-in profiles', () => {
  it('are those of the specification, with their families in order', () => {
    const families = BUILT_IN_PROFILES.map(({ name, families: own }) => [
      name,
      own.map((family) => family.name).sort(),
    ]);
    expect(Object.fromEntries(families)).toEqual({
      crude: ['create', 'delete', 'execute', 'read', 'update'],
      crude_authorize: ['authorize', 'create', 'delete', 'execute', 'read', 'update'],
      intent: ['discover', 'manage', 'operate', 'query'],
      database: ['administer', 'inspect', 'mutate', 'query'],
      device: ['control', 'discover', 'maintain', 'observe'],
      content: ['curate', 'publish', 'search'],
    });
  });

  it.each(BUILT_IN_PROFILES.map((profile) => [profile.name, profile] as const))(
    '%s keeps the rules that hold for the profiles of others',
    async (_, { families }) => {
      const entries = families.map(({ name, ...family }) => [name, family]);
      await load({ profiles: { copy: Object.fromEntries(entries) }, endpoint: { profile: 'copy' } });
    },
  );

  it.each([
    ['crude', 'read'],
    ['crude_authorize', 'read'],
    ['intent', 'discover'],
    ['database', 'inspect'],
    ['device', 'discover'],
    ['content', 'search'],
  ])('%s assigns introspect to %s', (profile, family) => {
    expect(findFamily(profile, 'introspect', 'READ')).toBe(family);
  });

  it('describe each family in at most twelve words', () => {
    for (const { purpose } of BUILT_IN_PROFILES.flatMap((profile) => profile.families)) {
      expect(purpose.split(' ').length, purpose).toBeLessThanOrEqual(12);
    }
  });

  it.each([
    ['grant_access', 'UPDATE', 'authorize'],
    ['approve_merge_request', 'UPDATE', 'authorize'],
    ['create_calendar_permission', 'CREATE', 'authorize'],
    ['delete_drive_item_permissions', 'DELETE', 'authorize'],
    ['rotate_api_key', 'UPDATE', 'authorize'],
    ['list_permissions', 'READ', 'read'],
    ['get_access_token', 'READ', 'read'],
    ['create_issue', 'CREATE', 'create'],
    ['export_design_tokens', 'READ', 'read'],
  ] as const)('crude_authorize puts %s (%s) into %s', (name, category, family) => {
    expect(findFamily('crude_authorize', name, category)).toBe(family);
  });
});

describe('profiles of the operator', () => {
  const read = { purpose: 'Read.', categories: ['READ'] };
  const write = { purpose: 'Write.', categories: ['CREATE', 'UPDATE', 'DELETE', 'EXECUTE'] };

  it('are accepted, with missing members filled in', async () => {
    const { config } = await load({ profiles: { mine: { look: read, act: write } }, endpoint: { profile: 'mine' } });
    expect(config.endpoint.profile).toEqual({
      name: 'mine',
      families: [
        // A family that reads takes nothing else by its name.
        { name: 'look', ...read, verbs: [], patterns: [], only: ['READ'] },
        { name: 'act', ...write, verbs: [], patterns: [], only: [...CATEGORIES] },
      ],
    });
  });

  it.each([
    [{ look: read }, 'profiles.mine', 'no family takes CREATE, UPDATE, DELETE, EXECUTE'],
    [
      { look: read, act: { ...write, categories: ['READ', ...write.categories] } },
      'profiles.mine.act.categories',
      "'READ' is taken by 'look' already",
    ],
    [
      { look: { ...read, verbs: ['go'] }, act: { ...write, verbs: ['go'] } },
      'profiles.mine.act.verbs',
      "'go' is taken by 'look' already",
    ],
    [{ look: read, act: { ...write, patterns: ['intro*'] } }, 'profiles.mine.act', "takes 'introspect'"],
    [{ Look: read, act: write }, 'profiles.mine.Look', 'expected text that matches'],
    [{ look: { categories: ['READ'] }, act: write }, 'profiles.mine.look.purpose', 'missing'],
  ])('are refused for %j', async (mine, path, message) => {
    const problems = await problemsOf({ profiles: { mine } });
    expect(problems).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
  });

  it('may have neither a built-in name nor the name of the single-mode tool', async () => {
    const problems = await problemsOf({
      endpoint: { toolPrefix: 'mcp_' },
      profiles: { crude: { look: read, act: write }, mine: { aql: read, act: write } },
    });
    expect(problems.map(({ path }) => path)).toEqual(['profiles.crude', 'profiles.mine.aql']);
  });

  it('come after the built-in ones', () => {
    const diagnostics = {
      source: 'x',
      problem: () => {},
      warning: () => {},
      has: () => false,
      readFrom: () => undefined,
    };
    expect(
      buildProfiles({ mine: {} }, 'mcp_aql_', diagnostics)
        .map(({ name }) => name)
        .at(-1),
    ).toBe('mine');
  });
});
