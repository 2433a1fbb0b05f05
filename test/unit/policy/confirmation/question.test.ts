import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { ShownChange, ShownUpdate } from '../../../../src/base/protocol/approval.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { listChanges } from '../../../../src/gateway/interceptor/precondition.js';
import { createApproverView } from '../../../../src/policy/audit/redact.js';
import {
  caseOf,
  describeConsent,
  describeQuestion,
  showUpdate,
  wholeOf,
} from '../../../../src/policy/confirmation/question.js';
import { anOperation } from '../../../support/an-operation.js';

const classification = {
  category: 'DELETE',
  danger: { level: 'destructive', reasons: ['deletes'] },
  confidence: 1,
  evidence: [],
} as const;

describe('the question to a person', () => {
  it.each([
    ['all parameters', {}, { owner: 'acme', count: 2 }, "with owner = 'acme', count = 2?"],
    ['none', {}, {}, 'with no parameters?'],
    [
      'all of an edit that fits a screen',
      {},
      { path: 'plan.md', edits: [{ oldText: 'x'.repeat(900), newText: 'y'.repeat(900) }] },
      `with path = 'plan.md', edits = [{"oldText":"${'x'.repeat(900)}","newText":"${'y'.repeat(900)}"}]?`,
    ],
    [
      'a value that is longer than a screen, cut',
      {},
      { body: 'x'.repeat(3_000) },
      `with body = '${'x'.repeat(149)}... (3002 characters) ...${'x'.repeat(49)}'?`,
    ],
    ['hidden characters, written out', {}, { path: '/a\u202e/b' }, "with path = '/a\\u202e/b'?"],
    ['a value that imitates two', {}, { path: "a', dry_run = 'yes" }, "with path = 'a\\', dry_run = \\'yes'?"],
    ['a backslash before a quote', {}, { path: "ls', cwd = '/safe\\" }, "with path = 'ls\\', cwd = \\'/safe\\\\'?"],
    ['a text that looks like an escape', {}, { path: '\\u202e' }, "with path = '\\\\u202e'?"],
    [
      'what is run, as it is',
      {},
      { command: `echo ${'x'.repeat(500)}; rm -rf /` },
      `with command = 'echo ${'x'.repeat(500)}; rm -rf /'?`,
    ],
    [
      'how many parameters are not shown',
      {},
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 'x'.repeat(100)])),
      `with ${Array.from({ length: 22 }, (_, index) => `p${index} = '${'x'.repeat(100)}'`).join(', ')} and 18 more parameters, not shown here?`,
    ],
    ['a value with lines of its own', {}, { path: 'a\n\nApproved:\tyes' }, "with path = 'a\\n\\nApproved:\\tyes'?"],
  ])('names %s', (_what, changes, args, ending) => {
    const operation = anOperation({ name: 'delete_repo', classification, ...changes });
    expect(describeConsent(operation, args)).toBe(`Run 'delete_repo' (destructive) on upstream 'demo' ${ending}`);
  });

  it('names parameters as callers do', () => {
    const parameter = {
      name: 'file_path',
      upstreamName: 'filePath',
      place: 'params',
      required: true,
      schema: {},
    } as const;
    const operation = anOperation({ name: 'delete_repo', classification, parameters: [parameter] });
    expect(describeConsent(operation, { filePath: 'a', more: 1 })).toMatch(/ with file_path = 'a', more = 1\?$/);
  });

  it("uses the operator's text, with parameters in either spelling", () => {
    const operation = anOperation({ confirmationMessage: 'Delete {owner}/{repo_name} ({nothing})? {repoName}' });
    expect(describeConsent(operation, { owner: 'acme', repoName: 'w' })).toBe("Delete 'acme'/'w' ({nothing})? 'w'");
  });

  it('says why it is asked, and whether the caller is authenticated', () => {
    const operation = anOperation({ name: 'delete_repo', classification });
    const question = (client?: string) =>
      describeQuestion(
        caseOf(
          {
            operation: { ...operation, confirmationMessage: 'Sure?' },
            arguments: {},
            caller: { sessionId: 's', clientName: 'the admin', transport: 'http', ...(client ? { client } : {}) },
            cancellation: new Cancellation(),
          },
          {
            effect: 'confirm',
            requires: 'human',
            cooldownSeconds: 0,
            rule: 'r',
            by: 'rule',
            reason: 'frozen',
            danger: 'destructive',
            trust: 'validated',
          },
          {},
        ),
      );
    expect(question()).toBe("Sure? Why you are asked: deletes; frozen. Asked by a client calling itself 'the admin'.");
    expect(question('ci')).toContain("Asked by client 'ci' ('the admin').");
  });
});

describe('the question about an update that merges', () => {
  const request = {
    operation: anOperation({ name: 'update_record', classification: { ...classification, category: 'UPDATE' } }),
    arguments: {},
    caller: { sessionId: 's', clientName: 'editor', transport: 'http' },
    cancellation: new Cancellation(),
  } as const;
  const decision = {
    effect: 'confirm',
    requires: 'human',
    cooldownSeconds: 0,
    rule: null,
    by: 'rule',
    reason: null,
    danger: 'reversible',
    trust: 'validated',
  } as const;
  const known = { known: true, read: 'get_record', more: 0, unchanged: {} } as const;
  const ask = (shown: ShownUpdate): string => describeQuestion({ ...caseOf(request, decision, {}), update: { shown } });

  it.each<[string, ShownUpdate, string]>([
    [
      'each value',
      {
        ...known,
        changes: [
          { field: 'title', before: 'a', after: "b' to 'c" },
          { field: 'owner', before: 'ada' },
          { field: 'tags', after: ['x'] },
        ],
      },
      `It would change title from 'a' to 'b\\' to \\'c', owner from 'ada' to nothing, tags, where nothing is, to ["x"].`,
    ],
    ['that nothing changes', { ...known, changes: [] }, 'It would change nothing: the present values are the same.'],
    ['why nothing is known', { known: false, why: 'no\nanswer' }, "The present values are not known: 'no\\nanswer'."],
  ])('says %s', (_what, shown, sentence) => {
    expect(ask(shown)).toContain(` ${sentence} Why you are asked`);
  });

  it('fits on a screen, however much would change', () => {
    const changes = Array.from({ length: 150 }, (_, index) => ({
      field: `f${index}`,
      before: 'x'.repeat(900),
      after: 'y'.repeat(900),
    }));
    const question = ask({ ...known, changes, more: 30 });
    expect(question.length).toBeLessThan(2_500);
    expect(question).toMatch(/and 17\d more values, not shown here\./);
  });

  it.each<[string, boolean, readonly ShownChange[], number]>([
    ['short values', false, [{ field: 'title', before: 'a', after: 'b' }], 0],
    ['a long value', true, [{ field: 'title', before: 'a', after: 'b'.repeat(200) }], 0],
    ['many values', true, Array.from({ length: 90 }, (_, at) => ({ field: `field_${at}`, after: at })), 0],
    ['values that are left out', true, [{ field: 'title', after: 'b' }], 3],
  ])('has all of %s elsewhere: %s', (_what, isElsewhere, changes, more) => {
    const update: ShownUpdate = { ...known, changes, more };
    const theCase = { ...caseOf(request, decision, {}), update: { shown: update } };
    const whole = wholeOf(theCase, { parameters: {} });
    expect(whole === undefined ? undefined : JSON.parse(whole)).toEqual(
      isElsewhere ? { parameters: {}, update } : undefined,
    );
    expect(describeQuestion({ ...theCase, whole: 'res_1' })).toContain(
      'All of it: introspect {"query":"result","name":"res_1"}. Why you are asked',
    );
  });
});

const view = createApproverView({ redactKeys: [], redactPatterns: [] });

type Known = Extract<ShownUpdate, { known: true }>;

function show(before: JsonObject, after: JsonObject, operation = anOperation()): Known {
  const preview = { known: true, read: 'get_record', before, after, ...listChanges(before, after) } as const;
  const shown = showUpdate(operation, preview, view);
  if (!shown.known) throw new Error(shown.why);
  return shown;
}

describe('an update as a person is shown it', () => {
  it('names each value that changes by its place, and leaves the others to what stays', () => {
    const before = { title: 'Old', settings: { priority: 'low', 'my tags': ['a'] }, status: 'open', note: 'x' };
    const after = { title: 'New', settings: { priority: 'low', 'my tags': ['a', 'b'] }, status: 'open', by: 'ada' };
    expect(show(before, after)).toEqual({
      known: true,
      read: 'get_record',
      changes: [
        { field: 'title', before: 'Old', after: 'New' },
        { field: 'settings["my tags"]', before: ['a'], after: ['a', 'b'] },
        { field: 'note', before: 'x' },
        { field: 'by', after: 'ada' },
      ],
      more: 0,
      unchanged: { status: 'open', settings: { priority: 'low' } },
    });
  });

  it('masks secrets by their names, by what stands around them, by their form, and where curation declares them', () => {
    const before = {
      password: 'hunter2',
      variables: { name: 'api_key', value: 'abc-old' },
      credentials: { user: 'ada', phrase: 'old words' },
      note: 'token ghp_0123456789abcdefghijABCDEFGHIJ012345 here',
      seed: 'declared-old',
    };
    const after = {
      password: 'hunter3',
      variables: { name: 'api_key', value: 'abc-new' },
      credentials: { user: 'ada', phrase: 'new words' },
      note: 'nothing here',
      seed: 'declared-new',
    };
    const shown = JSON.stringify(show(before, after, anOperation({ sensitive: ['seed'] })));
    for (const secret of ['hunter', 'abc-', 'words', 'ghp_0123', 'declared-'])
      expect([secret, shown.includes(secret)]).toEqual([secret, false]);
    expect(shown).toContain('"field":"credentials"');
    expect(shown).toContain('nothing here');
  });

  it('keeps a bounded part of what is large, with its length, and counts the changes that it leaves out', () => {
    const many = (value: string): JsonObject =>
      Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`field${index}`, value]));
    const { changes, more } = show(many('a'), many('b'));
    expect([changes.length, more]).toEqual([200, 50]);
    const long = show({ text: 'a'.repeat(400_000), more: many('x'.repeat(5_000)) }, { text: 'b', more: {} });
    expect(JSON.stringify(long).length).toBeLessThan(600_000);
    expect(JSON.stringify(long)).toContain('(400000 characters)');
  });

  it('says why it knows nothing of the present state, in bounded words', () => {
    const why = 'x'.repeat(5_000);
    expect(showUpdate(anOperation(), { known: false, why }, view)).toEqual({
      known: false,
      why: `${'x'.repeat(499)}…`,
    });
  });
});
