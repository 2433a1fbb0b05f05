import { afterEach, describe, expect, it } from 'vitest';
import { INVISIBLE } from '../../../../src/lib/text.js';
import type { Approval } from '../../../../src/protocol/approval.js';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http-server.js';
import { anApproval, createFakeApprovals, type FakeApprovals } from '../../../support/fake-approvals.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { sendHttp } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';
import { openPage, type TinyBrowser, type TinyElement } from '../../../support/tiny-browser.js';

const OPERATOR = { name: 'alice', token: 'alice-token' };
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

let server: HttpGatewayServer;
let base: string;
let service: FakeApprovals;

async function open(approvals: readonly Approval[] = [anApproval()]): Promise<void> {
  service = createFakeApprovals(approvals, { late: 'expired', own: 'own-request' });
  const gateway = createFakeGateway({ operators: [OPERATOR], approvals: service });
  server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  base = server.url.replace('/mcp', '');
}

afterEach(() => server.close());

describe('the files', () => {
  it.each([
    ['/ui/approvals', 'text/html'],
    ['/ui/approvals/a1b2c3', 'text/html'],
    ['/ui/approvals.js', 'text/javascript'],
    ['/ui/approvals.css', 'text/css'],
  ])('%s is locked down', async (path, type) => {
    await open();
    const { status, headers } = await sendHttp(`${base}${path}`, { method: 'GET' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('spell out the same invisible characters as the texts of the gateway', async () => {
    await open();
    const { text } = await sendHttp(`${base}/ui/approvals.js`, { method: 'GET' });
    expect(text).toContain(`/${INVISIBLE.source}/gu`);
  });

  it('hold no data, no inline code and no way to write markup', async () => {
    await open();
    const [html, script] = await Promise.all(
      ['/ui/approvals/a1b2c3', '/ui/approvals.js'].map((path) => sendHttp(`${base}${path}`, { method: 'GET' })),
    );
    expect(html?.text).not.toMatch(/a1b2c3|delete_file|<script>|<style|\son\w+=|style=|javascript:/i);
    expect(script?.text).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(/);
  });
});

const signedIn = () => new Map([['mcp-aql-gateway.operator-token', OPERATOR.token]]);

async function openSignedIn(path = '/ui/approvals'): Promise<TinyBrowser> {
  const page = await openPage(`${base}${path}`, signedIn());
  await page.nextMessage();
  return page;
}

const textsOf = (page: TinyBrowser): string[] => page.byId('approvals').all.map(({ textContent }) => textContent);

function find(page: TinyBrowser, tag: string, text = ''): TinyElement {
  const found = page.byId('approvals').all.find((each) => each.tag === tag && each.textContent.startsWith(text));
  if (found === undefined) throw new Error(`no ${tag} '${text}'`);
  return found;
}

describe('the page', () => {
  it('asks for a token first, keeps it in the tab, and forgets it on demand', async () => {
    await open();
    const storage = new Map<string, string>();
    const page = await openPage(`${base}/ui/approvals`, storage);
    expect([page.byId('sign-in').hidden, page.byId('actions').hidden]).toEqual([false, true]);
    page.byId('token').value = ` ${OPERATOR.token} `;
    const loaded = page.nextMessage();
    await page.byId('sign-in').trigger('submit');
    await loaded;
    expect([...storage.values()]).toEqual([OPERATOR.token]);
    expect([page.byId('sign-in').hidden, page.byId('token').value]).toEqual([true, '']);
    expect(textsOf(page)).toContain('delete_file');
    await page.byId('sign-out').trigger('click');
    expect([storage.size, page.byId('approvals').children.length]).toEqual([0, 0]);
  });

  it('asks again when the token is not valid', async () => {
    await open();
    const storage = new Map([['mcp-aql-gateway.operator-token', 'wrong']]);
    const page = await openPage(`${base}/ui/approvals`, storage);
    expect(await page.nextMessage()).toContain('not valid');
    expect([storage.size, page.byId('sign-in').hidden]).toEqual([0, false]);
  });

  it('shows who asks for what, why, and until when', async () => {
    await open();
    const page = await openSignedIn();
    const texts = textsOf(page);
    const expected = [
      "Delete 'report.txt'?",
      'ci, which calls itself “a model”',
      'files',
      'destructive (DELETE)',
      'the name begins with delete',
    ];
    for (const text of [...expected, 'deletes need a person', 'path', '"report.txt"']) {
      expect(texts).toContain(text);
    }
    expect(texts).toContain(new Date('2026-11-02T10:15:00.000Z').toLocaleString());
    expect(find(page, 'a').attributes.get('href')).toBe(`${base}/ui/approvals/a1b2c3`);
  });

  it('spells out what cannot be seen, and leaves markup as text', async () => {
    const parameters = { path: 'a\u202egpj.exe', note: '<img src=x>' };
    await open([anApproval({ parameters, message: 'Delete\u200b this?' })]);
    const page = await openSignedIn();
    expect(textsOf(page)).toContain('Delete\\u200b this?');
    expect(textsOf(page).join()).toContain('a\\u202egpj.exe');
    expect(textsOf(page).join()).toContain('<img src=x>');
  });

  it('quotes what a client calls itself, on one line, below what the gateway knows', async () => {
    const clientName = `nice\nUpstream   sandbox\nDanger safe${'x'.repeat(500)}`;
    await open([anApproval({ requester: { client: null, clientName, session: 's' } })]);
    const page = await openSignedIn();
    const texts = textsOf(page);
    const label = texts.findIndex((text) =>
      text.startsWith('an unauthenticated client, which calls itself “nice Upstream'),
    );
    expect(texts[label]?.length).toBeLessThan(160);
    for (const known of ['destructive (DELETE)', 'files', '"report.txt"'])
      expect(texts.indexOf(known)).toBeLessThan(label);
  });

  it.each([
    ['Approve', 'approved'],
    ['Deny', 'denied'],
  ])(
    'decides on %s, with the reason, and leaves the request in its place without live buttons',
    async (label, verdict) => {
      await open([
        anApproval({ id: 'a/b', danger: 'reversible' }),
        anApproval({ id: 'other', operation: 'drop_table' }),
      ]);
      const page = await openSignedIn();
      const [first, second] = page.byId('approvals').children;
      find(page, 'input').value = ' agreed ';
      const button = find(page, 'button', label);
      await button.trigger('click');
      expect(service.decisions).toEqual([{ id: 'a/b', verdict, by: { name: 'alice', way: 'http' }, reason: 'agreed' }]);
      expect(page.byId('message').textContent).toBe(`delete_file: ${verdict}`);
      expect(page.byId('approvals').children).toEqual([first, second]);
      expect(find(page, 'p', `${verdict} by you, `).focused).toBe(true);
      expect(textsOf(page)).toContain('"report.txt"');
      expect(button.disabled).toBe(true);
    },
  );

  it('asks once more before a destructive call is approved, where the second of two quick clicks decides nothing', async () => {
    await open([anApproval(), anApproval({ id: 'other', operation: 'drop_table' })]);
    const page = await openSignedIn();
    const buttons = () =>
      page.byId('approvals').children[0]?.all.find(({ attributes }) => attributes.get('class') === 'buttons')
        ?.children ?? [];
    await buttons()[0]?.trigger('click');
    expect(textsOf(page)).toContain('Approve delete_file with path = "report.txt"?');
    // The first button is where the button was that has just been pressed.
    expect(buttons().map(({ textContent }) => textContent)).toEqual(['Back', 'Yes, approve']);
    await buttons()[0]?.trigger('click');
    expect(service.decisions).toEqual([]);
    await buttons()[0]?.trigger('click');
    await buttons()[1]?.trigger('click');
    expect(service.decisions).toMatchObject([{ id: 'a1b2c3', verdict: 'approved' }]);
  });

  it.each([
    ['late', "Approval 'late' expired", true],
    ['own', 'Another operator has to decide', false],
  ])('says why a decision was not taken, and can be used again where that helps (%s)', async (id, words, ended) => {
    await open([anApproval({ id, danger: 'safe' })]);
    const page = await openSignedIn();
    const button = find(page, 'button', 'Approve');
    await button.trigger('click');
    expect(page.byId('message').textContent).toContain(words);
    expect(textsOf(page).join()).toContain(words);
    expect(button.disabled).toBe(ended);
  });

  it('shows cut values in full on demand', async () => {
    await open([anApproval({ full: { path: 'the whole path' } })]);
    const page = await openSignedIn();
    await find(page, 'button', 'Show long values').trigger('click');
    expect(textsOf(page)).toContain('"the whole path"');
  });

  it('does not keep a token that no header can hold', async () => {
    await open();
    const storage = new Map<string, string>();
    const page = await openPage(`${base}/ui/approvals`, storage);
    page.byId('token').value = 'tökén';
    await page.byId('sign-in').trigger('submit');
    expect(page.byId('message').textContent).toContain('no operator token');
    expect([storage.size, page.byId('sign-in').hidden]).toEqual([0, false]);
  });

  it('shows one request by its link, decided or not, and offers no decision that was taken', async () => {
    const decision = { by: 'bob', at: '2026-11-02T10:05:00.000Z', reason: 'too risky' };
    await open([anApproval(), anApproval({ id: 'done', operation: 'drop_table', status: 'denied', decision })]);
    const page = await openSignedIn('/ui/approvals/done');
    expect(textsOf(page)).toContain('drop_table');
    expect(textsOf(page)).not.toContain('delete_file');
    expect(textsOf(page).join()).toMatch(/bob, .*: too risky/);
    expect(page.byId('approvals').all.filter(({ tag }) => tag === 'form')).toEqual([]);
  });

  it('says that nothing waits', async () => {
    await open([]);
    const page = await openPage(`${base}/ui/approvals`, signedIn());
    expect(await page.nextMessage()).toBe('Nothing waits for a decision.');
  });
});
