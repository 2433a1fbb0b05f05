import { describe, expect, it } from 'vitest';
import { caseOf, describeConsent, describeQuestion } from '../../../../src/policy/confirmation/question.js';
import { Cancellation } from '../../../../src/protocol/cancellation.js';
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
      'a long value, cut',
      {},
      { body: 'x'.repeat(500) },
      `with body = '${'x'.repeat(149)}... (502 characters) ...${'x'.repeat(49)}'?`,
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
