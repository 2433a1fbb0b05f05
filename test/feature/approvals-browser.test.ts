import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, CHROMIUM_BINARY, NO_CHROMIUM, type Page, startChromium } from '../support/chromium.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { sendHttp } from '../support/raw-http.js';
import type { ReplayServer } from '../support/replay-server.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const OPERATORS = {
  omar: { token: 'operator-omar-has-a-long-token' },
  olga: { token: 'operator-olga-has-a-long-token' },
};
type Operator = keyof typeof OPERATORS;

const human = (operation: string): object => ({ match: { operation }, decision: 'confirm', requires: 'human' });

/** A clock that is an hour late after SIGUSR2. */
const LATE_CLOCK = `let late = 0; const now = Date.now; Date.now = () => now() + late; process.on('SIGUSR2', () => { late = 3600000; });`;

describe.skipIf(CHROMIUM_BINARY === undefined)(`the approvals page in a browser (${NO_CHROMIUM})`, () => {
  let browser: Browser;
  let upstream: ReplayServer;
  let gateway: ServedGateway;
  let client: McpClient;

  beforeAll(async () => {
    upstream = await startDangerUpstream();
    browser = await startChromium();
    gateway = await serveGateway(
      {
        policy: {
          rules: [human('do_reversible'), human('do_destructive')],
          approvals: { operators: OPERATORS, elicitation: false },
        },
        mcpServers: { demo: dangerEntry(upstream) },
      },
      { nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(LATE_CLOCK)}`] },
    );
    client = await connectClient(gateway.url);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  interface Request {
    readonly id: string;
    readonly token: string;
  }

  async function request(path: string, operation = 'do_reversible'): Promise<Request> {
    const { error }: Answer = await client.call(EXECUTE, operation, { path });
    const approval = error?.details?.['approval'] as { readonly id: string };
    return { id: approval.id, token: String(error?.details?.['confirmation_token']) };
  }

  const api = (who: Operator, method: 'GET' | 'POST', path: string) =>
    sendHttp(new URL(`/admin/approvals${path}`, gateway.url).href, {
      method,
      headers: { authorization: `Bearer ${OPERATORS[who].token}` },
      ...(method === 'POST' ? { body: {} } : {}),
    });
  const stateOf = async ({ id }: Request): Promise<{ readonly status: string; readonly by?: string }> => {
    const { json } = await api('omar', 'GET', `/${id}`);
    return { status: json.status, ...(json.decision && { by: json.decision.by }) };
  };
  /** No request of another test is shown beside those of this one. */
  const denyAll = async (): Promise<void> => {
    const { json } = await api('omar', 'GET', '?status=pending');
    for (const { id } of json.approvals as readonly Request[]) await api('omar', 'POST', `/${id}/deny`);
  };

  const SHOWN = 'document.querySelectorAll("article").length';
  const MESSAGE = 'document.getElementById("message").textContent';

  async function signIn(who: Operator, shown: number, path = '/ui/approvals'): Promise<Page> {
    const page = await browser.open(new URL(path, gateway.url).href);
    await page.until('document.activeElement === document.getElementById("token")');
    await page.type(OPERATORS[who].token);
    await page.click(await page.pointOf('Sign in'));
    await page.until(`${SHOWN} === ${shown}`);
    return page;
  }

  it('shows every request and approves the one whose button is pressed', async () => {
    await denyAll();
    const one = await request('/notes/one.txt');
    const two = await request('/notes/two.txt');
    const page = await signIn('omar', 2);
    const text = await page.evaluate('document.body.innerText');
    for (const path of ['/notes/one.txt', '/notes/two.txt']) expect(text).toContain(path);
    const before = upstream.calls.length;
    const first = String(await page.evaluate('document.querySelector("article").innerText')).includes('one.txt');
    await page.click(await page.pointOf('Approve', 0));
    await page.until(`${MESSAGE}.includes('approved')`);
    const [approved, other] = first ? [one, two] : [two, one];
    expect(await stateOf(approved)).toEqual({ status: 'approved', by: 'omar' });
    expect(await stateOf(other)).toEqual({ status: 'pending' });
    const path = first ? '/notes/one.txt' : '/notes/two.txt';
    expect((await client.call(EXECUTE, 'do_reversible', { path, _confirmation: approved.token })).success).toBe(true);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('decides once at a double click, and decides no dangerous call by it', async () => {
    await denyAll();
    const harmless = await request('/notes/a.txt');
    const page = await signIn('omar', 1);
    await page.click(await page.pointOf('Approve'), 2);
    await page.until(`${MESSAGE}.includes('approved')`);
    expect(await stateOf(harmless)).toEqual({ status: 'approved', by: 'omar' });

    const dangerous = await request('/notes/b.txt', 'do_destructive');
    await page.click(await page.pointOf('Refresh'));
    await page.until('document.body.innerText.includes("b.txt")');
    const point = await page.pointOf('Approve');
    await page.click(point, 2);
    await page.until('document.body.innerText.includes("Approve demo__do_destructive with")');
    // A further click at the same place goes back, and decides nothing either.
    await page.click(point);
    await page.until('!document.body.innerText.includes("Approve demo__do_destructive with")');
    expect(await stateOf(dangerous)).toEqual({ status: 'pending' });
    await page.click(point);
    await page.until('document.body.innerText.includes("Approve demo__do_destructive with")');
    await page.click(await page.pointOf('Yes, approve'));
    await page.until(`${MESSAGE}.includes('approved')`);
    expect(await stateOf(dangerous)).toEqual({ status: 'approved', by: 'omar' });
  });

  it('decides nothing that took the place of what was read, in a list that shifts under the pointer', async () => {
    await denyAll();
    const requests = [await request('/notes/1.txt'), await request('/notes/2.txt')];
    const page = await signIn('omar', 2);
    const point = await page.pointOf('Approve', 0);
    // The button goes down on one request, and comes up when another request is in its place.
    await page.press(point);
    const top = String(await page.evaluate('document.querySelector("article").innerText')).includes('1.txt') ? 0 : 1;
    const [read, next] = [requests[top], requests[1 - top]];
    if (read === undefined || next === undefined) throw new Error('two requests were made');
    await api('olga', 'POST', `/${read.id}/deny`);
    await page.evaluate('document.getElementById("refresh").click()');
    await page.until(`${SHOWN} === 1`);
    await page.release(point);
    expect(await stateOf(next)).toEqual({ status: 'pending' });

    // Two clicks in a row decide what the first one meant, although its answer changes the page.
    const more = await request('/notes/3.txt');
    await page.evaluate('document.getElementById("refresh").click()');
    await page.until(`${SHOWN} === 2`);
    await page.click(await page.pointOf('Approve', 0), 3);
    await page.until(`${MESSAGE}.includes('approved')`);
    const states = [await stateOf(next), await stateOf(more)].map(({ status }) => status);
    expect(states.sort()).toEqual(['approved', 'pending']);
  });

  it('shows forged text as text: markup, characters that reorder, and its own escape character', async () => {
    await denyAll();
    const forged =
      '<img src=x onerror="window.forged=1"></dd></dl><h2>do_safe</h2>\u202egnp.exe\u2066\u200b\\u202e\u001b[2K\r';
    await request(forged);
    const page = await signIn('omar', 1);
    expect(await page.evaluate('window.forged === undefined && document.images.length === 0')).toBe(true);
    expect(await page.evaluate('document.querySelectorAll("h2").length')).toBe(1);
    const shown = String(await page.evaluate('document.body.innerText'));
    for (const part of ['<img src=x', '\\u202egnp.exe', '\\u2066', '\\u200b', '\\u001b[2K'])
      expect(shown).toContain(part);
    // A text that only looks like an escape differs from the character.
    expect(shown).toContain('\\\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be on the page
    expect(shown).not.toMatch(/[\u202e\u2066\u200b\u001b]/);
  });

  it('lets the first of two people decide, and tells the second who it was', async () => {
    await denyAll();
    const asked = await request('/notes/both.txt');
    const [omar, olga] = [await signIn('omar', 1), await signIn('olga', 1)];
    const [first, second] = [await omar.pointOf('Approve'), await olga.pointOf('Deny')];
    await omar.click(first);
    await omar.until(`${MESSAGE}.includes('approved')`);
    await olga.click(second);
    await olga.until(`${MESSAGE}.includes("approved by 'omar'")`);
    expect(
      await olga.evaluate('[...document.querySelectorAll("article form button")].every((each) => each.disabled)'),
    ).toBe(true);
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
  });

  // The clock of the gateway stays late, so this is the last one.
  it('refuses a request that expired while it was read, and offers no button afterwards', async () => {
    await denyAll();
    const asked = await request('/notes/late.txt');
    const page = await signIn('omar', 1);
    const point = await page.pointOf('Approve');
    gateway.process.kill('SIGUSR2');
    while ((await stateOf(asked)).status === 'pending');
    await page.click(point);
    await page.until(`/expired/.test(${MESSAGE})`);
    expect(await stateOf(asked)).toEqual({ status: 'expired' });
    const again = await signIn('olga', 1, `/ui/approvals/${asked.id}`);
    expect(await again.evaluate('document.querySelectorAll("article form").length')).toBe(0);
    expect(String(await again.evaluate('document.body.innerText'))).toContain('expired');
  });
});
