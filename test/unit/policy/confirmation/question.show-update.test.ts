import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { ShownUpdate } from '../../../../src/base/protocol/approval.js';
import { runAtOnce } from '../../../../src/base/turns/turns.js';
import { listChanges } from '../../../../src/gateway/interceptor/precondition.js';
import { createApproverView } from '../../../../src/policy/audit/redact.js';
import { showUpdate } from '../../../../src/policy/confirmation/question.js';
import { anOperation } from '../../../support/an-operation.js';

const view = createApproverView({ redactKeys: [], redactPatterns: [] });

type Known = Extract<ShownUpdate, { known: true }>;

function show(before: JsonObject, after: JsonObject, operation = anOperation()): Known {
  const preview = { known: true, read: 'get_record', before, after, ...listChanges(before, after) } as const;
  const shown = runAtOnce(showUpdate(operation, preview, view));
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
    expect(runAtOnce(showUpdate(anOperation(), { known: false, why }, view))).toEqual({
      known: false,
      why: `${'x'.repeat(499)}…`,
    });
  });
});
