import { describe, expect, it } from 'vitest';
import { compileNameTest, isPattern } from '../../../src/base/lib/glob.js';
import { loadOnly, problemsOf } from './config-folder.js';

const client = (pattern: string) => ({
  clients: { ci: { token: 'a-token-of-sufficient-length', ignoreArguments: [pattern] } },
});
const profile = (pattern: string) => ({
  profiles: {
    own: {
      all: { purpose: 'All.', categories: ['CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'], patterns: [pattern] },
    },
  },
});
const curation = (pattern: string) => ({
  mcpServers: { demo: { command: 'demo', operations: { [pattern]: { hide: true } } } },
});

/** Each setting that takes patterns, and where a pattern stands in it. */
const NAMES: readonly (readonly [path: string, write: (pattern: string) => unknown])[] = [
  [
    'policy.rules[0].match.operation',
    (operation) => ({ policy: { rules: [{ match: { operation }, decision: 'deny' }] } }),
  ],
  [
    'quotas.pricing[0].match.operation',
    (operation) => ({ quotas: { pricing: [{ match: { operation }, cost_per_call: 1 }] } }),
  ],
  ['views.own.upstreams', (upstreams) => ({ views: { own: { upstreams } } })],
  ['views.own.operations.exclude[0]', (exclude) => ({ views: { own: { operations: { exclude: [exclude] } } } })],
  ['audit.redactKeys[0]', (pattern) => ({ audit: { redactKeys: [pattern] } })],
  ['clients.ci.ignoreArguments[0]', client],
  ['profiles.own.all.patterns[0]', profile],
];
const VALUES: typeof NAMES = [
  [
    'policy.rules[0].match.params.a.glob',
    (glob) => ({ policy: { rules: [{ match: { params: { a: { glob } } }, decision: 'deny' }] } }),
  ],
  ['safetyLoop.deny[0]', (pattern) => ({ safetyLoop: { deny: [pattern] } })],
];

const placesOf = async (config: unknown) =>
  (await problemsOf(config)).map(({ path, message, suggestion }) => [path, message, suggestion]);

const EXTENDED = [
  'expected a pattern without extended globs such as @(a|b), and without named classes',
  'write {a,b} for alternatives, and \\( for a parenthesis',
];
const NEGATED = [
  "expected the names that are meant: a leading '!' does not turn a pattern round",
  'write patterns of the others, or \\! for the sign itself',
];

describe('a pattern of a setting', () => {
  it.each([...NAMES, ...VALUES])('is refused at %s where it is an extended glob', async (path, write) => {
    expect(await placesOf(write('get_@(a|b)'))).toEqual([[path, ...EXTENDED]]);
  });

  it.each(NAMES)('is refused at %s where a negation begins it', async (path, write) => {
    expect(await placesOf(write('!get_*'))).toEqual([[path, ...NEGATED]]);
  });

  it.each(VALUES)('begins with a sign as any other at %s', async (_, write) => {
    expect((await loadOnly(write('!important'))).policy).toBeDefined();
  });

  it('is refused as the name of a curation, too', async () => {
    const at = 'mcpServers.demo.operations';
    expect(await placesOf(curation('*(x)'))).toEqual([[`${at}["*(x)"]`, ...EXTENDED]]);
    expect(await placesOf(curation('!x'))).toEqual([[`${at}["!x"]`, ...NEGATED]]);
  });

  it('says what is wrong with a class', async () => {
    expect(await placesOf(profile('[z-a]*'))).toEqual([
      ['profiles.own.all.patterns[0]', expect.stringContaining('classes such as [a-z]'), 'write a list of patterns'],
    ]);
  });

  it('may have wildcards, classes, braces and signs behind a backslash in every setting', async () => {
    for (const [, write] of [...NAMES, ...VALUES]) await loadOnly(write('{a,b}_[a-z]?*\\(1\\)'));
    await loadOnly(curation('{a,b}_[a-z]?*\\(1\\)'));
  });
});

describe('a pattern of names', () => {
  it.each([
    ['get_*', 'get_a/b', true],
    ['.*', '.hidden', true],
    ['*', '.hidden', true],
    ['{get,list}_[!x]*', 'list_users', true],
    ['{get,list}_[!x]*', 'list_xs', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
  ])('%j holds %j: %s', (pattern, name, expected) => {
    expect(compileNameTest(pattern)(name)).toBe(expected);
  });

  it('is told from a name by its signs; parentheses are none', () => {
    expect(['a*', 'a?', '[a]', '{a,b}', '\\a'].every(isPattern)).toBe(true);
    expect(['a', 'My server (test)', 'a!', '@a'].some(isPattern)).toBe(false);
  });
});
