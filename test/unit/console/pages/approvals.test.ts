import { describe, expect, it } from 'vitest';
import { Frame } from '../../../../src/console/layout/frame.js';
import { csrfOf } from '../../../../src/console/operator-sessions.js';
import { openApprovals } from '../../../../src/console/pages/approvals.js';
import { anApproval, createFakeApprovals } from '../../../support/fake-approvals.js';

const HOSTILE = `</dd><img src=x onerror="alert(1)">'\u202e\u200b`;

/** One page of the section as it is sent. */
async function show(path: string, approvals: Parameters<typeof createFakeApprovals>[0], query = ''): Promise<string> {
  const { pages } = openApprovals({ approvals: createFakeApprovals(approvals) });
  const page = pages.find((each) => each.path === path);
  const visit = {
    params: { id: 'a/b' },
    query: new URLSearchParams(query),
    operator: 'omar',
    origin: 'http://localhost',
  };
  const content = await page?.show(visit, new Frame(path, csrfOf('a browser')));
  return String(content);
}

describe('the pages of approvals', () => {
  it('show hostile texts of every kind as texts', async () => {
    const hostile = anApproval({
      id: 'a/b',
      operation: HOSTILE,
      upstream: HOSTILE,
      message: HOSTILE,
      reasons: [HOSTILE],
      rule: HOSTILE,
      parameters: { [HOSTILE]: { [HOSTILE]: HOSTILE } },
      requester: { client: HOSTILE, clientName: HOSTILE, session: HOSTILE },
    });
    const decision = { by: HOSTILE, at: '2026-11-02T10:05:00.000Z', reason: HOSTILE };
    const decided = anApproval({ ...hostile, status: 'denied', decision });
    for (const approval of [hostile, decided]) {
      for (const path of ['approvals', 'approvals/:id']) {
        const text = await show(path, [approval]);
        expect(text).toContain('&lt;img src=x');
        expect(text).not.toMatch(/<img|onerror="|[\u202e\u200b]/);
      }
    }
  });

  it('quote what a client calls itself, on one line, below what the gateway knows', async () => {
    const clientName = `nice\nServer   sandbox\nDanger safe${'x'.repeat(500)}`;
    const approval = anApproval({ id: 'a/b', requester: { client: null, clientName, session: 's' } });
    const text = await show('approvals/:id', [approval]);
    expect(text).toContain('an unauthenticated client, which calls itself “nice Server sandbox Danger safex');
    expect(text).not.toContain('x'.repeat(101));
    for (const known of ['destructive (DELETE)', 'files', '&quot;report.txt&quot;'])
      expect(text.indexOf(known)).toBeLessThan(text.indexOf('calls itself'));
  });

  it('show an update in its parts: what finds the resource, and each field that would be set', async () => {
    const parameters = { record_id: 'r-7', title: 'new', owner: null };
    const fields = ['title', 'owner', 'status'];
    const text = await show('approvals/:id', [anApproval({ id: 'a/b', category: 'UPDATE', parameters, fields })]);
    const places = ['would be updated', 'record_id', 'r-7', 'would be set', '<bdi>title', 'new', '<bdi>owner', 'null'];
    const found = places.map((each) => text.indexOf(each));
    expect(found).toEqual(found.filter((each) => each > 0).toSorted((one, other) => one - other));
    const destroys = await show('approvals/:id', [anApproval({ id: 'a/b', category: 'DELETE', parameters })]);
    expect(destroys).not.toContain('would be set');
  });

  const UPDATE = { id: 'a/b', category: 'UPDATE', parameters: { id: 'r-7', title: 'new' }, fields: ['title'] } as const;
  const KNOWN = { known: true, read: 'get_record', more: 0, unchanged: {} } as const;

  it('show value by value what an update changes and what stays, instead of the fields that it sets', async () => {
    const changes = [
      { field: 'title', before: 'old', after: 'new' },
      { field: 'note', before: 'x' },
      { field: 'key', before: '[redacted]', after: '[redacted]' },
    ];
    const update = { ...KNOWN, changes, more: 3, unchanged: { status: 'open' } };
    const text = await show('approvals/:id', [anApproval({ ...UPDATE, update })]);
    for (const part of ['r-7', 'get_record', 'removed: </span><bdi>&quot;old', 'added: </span><bdi>&quot;new'])
      expect(text).toContain(part);
    expect(text).toContain('It changes in what is not shown here.');
    expect(text).toContain('3 further values would change');
    expect(text.indexOf('&quot;open&quot;')).toBeGreaterThan(text.indexOf('What stays as it is'));
    expect(text).not.toContain('would be set');
  });

  it('show hostile texts of a server as texts where an update would replace them', async () => {
    const change = { field: HOSTILE, before: { [HOSTILE]: HOSTILE }, after: HOSTILE };
    for (const update of [
      { ...KNOWN, read: HOSTILE, changes: [change], unchanged: { [HOSTILE]: [HOSTILE] } },
      { known: false, why: HOSTILE } as const,
    ]) {
      const text = await show('approvals/:id', [anApproval({ ...UPDATE, update })]);
      expect(text).toContain('&lt;img src=x');
      expect(text).not.toMatch(/<img|onerror="|[\u202e\u200b]/);
    }
  });

  it('say that the present state is not known, why, and which fields would be set', async () => {
    const update = { known: false, why: 'the server does not answer' } as const;
    const text = await show('approvals/:id', [anApproval({ ...UPDATE, update })]);
    expect(text).toContain('The present values are not known: <bdi>the server does not answer');
    expect(text).toContain('Fields that would be set');
    expect(text).toContain('&quot;new&quot;');
  });

  it('show a long difference in part, and in full where it is asked for', async () => {
    const lines = (word: string): readonly string[] => Array.from({ length: 80 }, (_, index) => `${word}${index}`);
    const changes = [{ field: 'lines', before: lines('old'), after: lines('new') }];
    const approvals = [anApproval({ ...UPDATE, update: { ...KNOWN, changes } })];
    expect(await show('approvals/:id', approvals)).not.toContain('new79');
    expect(await show('approvals/:id', approvals, 'full=1')).toContain('new79');
  });

  it('offer a decision about what waits alone, and long values in full where they are cut', async () => {
    const cut = anApproval({ id: 'a/b', full: { path: 'the whole path' } });
    const text = await show('approvals/:id', [cut]);
    expect(text).toContain('action="../approvals/a%2Fb/decide"');
    expect(text).not.toContain('the whole path');
    expect(await show('approvals/:id', [cut], 'full=1')).toContain('the whole path');
    expect(await show('approvals/:id', [{ ...cut, status: 'expired' }])).not.toContain('<form');
  });

  it('show fifty requests at most, and say how many there are', async () => {
    const many = Array.from({ length: 60 }, (_, index) => anApproval({ id: `ap${index}` }));
    const text = await show('approvals', many);
    expect(new Set(text.match(/<a href="[^"]*approvals\/ap\d+/g)).size).toBe(50);
    expect(text).toContain('The first 50 of 60.');
  });
});
