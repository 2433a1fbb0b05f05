import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  NO_CHROMIUM,
  type Page,
  press,
  settled,
  signIn,
  startBrowser,
  textOf,
} from '../support/browser.js';
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

describe.skipIf(CHROMIUM === undefined)(`the console for people who decide (${NO_CHROMIUM})`, () => {
  let browser: Browser;
  let upstream: ReplayServer;
  let gateway: ServedGateway;
  let client: McpClient;

  beforeAll(async () => {
    upstream = await startDangerUpstream();
    browser = await startBrowser();
    gateway = await serveGateway({
      policy: {
        rules: [human('do_reversible'), human('do_destructive')],
        approvals: { operators: OPERATORS, elicitation: false },
      },
      mcpServers: { demo: dangerEntry(upstream) },
    });
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

  const urlOf = (path: string): string => new URL(`/ui/${path}`, gateway.url).href;

  const stateOf = async ({ id }: Request): Promise<{ readonly status: string; readonly by?: string }> => {
    const { json } = await sendHttp(new URL(`/admin/approvals/${id}`, gateway.url).href, {
      method: 'GET',
      headers: { authorization: `Bearer ${OPERATORS.omar.token}` },
    });
    return { status: json.status, ...(json.decision && { by: json.decision.by }) };
  };

  async function open(who: Operator, path: string): Promise<Page> {
    const page = await browser.open(urlOf(path));
    await signIn(page, OPERATORS[who].token);
    return page;
  }

  it('leads a person through the sign-in to the page that was asked for, and approves what is read there', async () => {
    const asked = await request('/notes/one.txt');
    const page = await open('omar', `approvals/${asked.id}`);
    expect(new URL(page.url()).pathname).toBe(`/ui/approvals/${asked.id}`);
    expect(await textOf(page, 'main')).toContain('"/notes/one.txt"');
    await page.type('textarea', 'agreed');
    await press(page, 'Approve');
    expect(await textOf(page, '#notices')).toBe('demo__do_reversible: approved by you');
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
    const before = upstream.calls.length;
    const args = { path: '/notes/one.txt', _confirmation: asked.token };
    expect((await client.call(EXECUTE, 'do_reversible', args)).success).toBe(true);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('approves nothing destructive by a click, a double click or the keyboard alone', async () => {
    const asked = await request('/notes/b.txt', 'do_destructive');
    const page = await open('omar', `approvals/${asked.id}`);
    await settled(page);
    const button = await page.$('button[value=approved]');
    await button?.click({ count: 2 });
    await page.focus('textarea');
    await page.keyboard.press('Enter');
    expect(await stateOf(asked)).toEqual({ status: 'pending' });
    await page.click('input[name=sure]');
    await press(page, 'Approve');
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
  });
});
