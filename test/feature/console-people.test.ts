import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  keepPicture,
  NO_CHROMIUM,
  type Page,
  PHONE,
  press,
  scrollsSideways,
  settled,
  signIn,
  startBrowser,
  textOf,
} from '../support/browser.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { sendHttp } from '../support/raw-http.js';
import type { ReplayServer } from '../support/replay-server.js';
import { REPOSITORY } from '../support/served-gateway.js';

const OPERATORS = {
  omar: { token: 'operator-omar-has-a-long-token' },
  olga: { token: 'operator-olga-has-a-long-token' },
};
type Operator = keyof typeof OPERATORS;

const CLIENTS = { alice: { token: 'alice-has-a-long-token' }, bob: { token: 'bob-has-a-long-token' } };

/** What somebody wrote into a record. */
const RECORD = {
  id: '1',
  title: '<img src=x onerror="window.forged=1"></dd></dl><h1>do_safe</h1>\u202egnp.exe',
  status: 'open',
  settings: { priority: 'low', owner: 'ada' },
  note: 'The link in the footer leads nowhere.',
};

const RECORDS = {
  command: process.execPath,
  args: [join(REPOSITORY, 'test/fixtures/servers/record-server.mjs'), JSON.stringify([RECORD])],
  operations: {
    get_record: { collection: false },
    update_record: { merge: { read: 'get_record', identifiers: { id: 'record_id' }, path: 'record' } },
  },
};

const human = (operation: string): object => ({ match: { operation }, decision: 'confirm', requires: 'human' });

describe.skipIf(CHROMIUM === undefined)(`the console for people who decide (${NO_CHROMIUM})`, () => {
  let browser: Browser;
  let upstream: ReplayServer;
  let gateway: RunningGateway;
  let alice: McpClient;
  let bob: McpClient;

  beforeAll(async () => {
    upstream = await startDangerUpstream();
    browser = await startBrowser();
    gateway = await hostGateway({
      clients: CLIENTS,
      policy: {
        rules: [human('do_reversible'), human('do_destructive'), human('update_record')],
        approvals: { operators: OPERATORS, elicitation: false },
      },
      executions: { enabled: true },
      audit: { enabled: true, sync: true },
      safetyLoop: { mode: 'enforcing', startApproval: 'none' },
      mcpServers: { demo: dangerEntry(upstream), records: RECORDS },
    });
    alice = await connectClient(gateway.url, 'auto', { token: CLIENTS.alice.token });
    bob = await connectClient(gateway.url, 'auto', { token: CLIENTS.bob.token });
  });

  afterAll(async () => {
    await alice?.[Symbol.asyncDispose]();
    await bob?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  interface Request {
    readonly id: string;
    readonly token: string;
  }

  async function request(path: string, operation = 'do_reversible'): Promise<Request> {
    return requestOf(await alice.call(EXECUTE, operation, { path }));
  }

  function requestOf({ error }: Answer): Request {
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

  /** Sends the form of a page as it is now, whenever it is called, and without a script. */
  async function formIn(page: Page) {
    const cookies = await page.browserContext().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const action = await page.$eval('main form', (form) => form.getAttribute('action') ?? '');
    const known = await page.$$eval('main form input[type=hidden]', (inputs) =>
      inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
    );
    const address = new URL(action, page.url());
    return (fields: object, headers: object = {}): Promise<Response> =>
      fetch(address, {
        method: 'POST',
        body: new URLSearchParams({ ...Object.fromEntries(known), ...fields }),
        headers: { cookie, ...headers },
        redirect: 'manual',
      });
  }

  /** Resolves when the page shows this text, which it does by itself. */
  const shows = (page: Page, text: string) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, { polling: 'mutation' });

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
    expect((await alice.call(EXECUTE, 'do_reversible', args)).success).toBe(true);
    expect(upstream.calls).toHaveLength(before + 1);
    // A link of another site, as in a message, finds the session that is open.
    await page.goto('data:text/html,<a id=link>go</a>');
    await page.$eval('#link', (link, url) => link.setAttribute('href', url), urlOf(`approvals/${asked.id}`));
    await page.click('#link');
    await shows(page, 'Decided by');
    // Nor does one that leads to the sign-in end it.
    await page.goto('data:text/html,<a id=link>go</a>');
    await page.$eval('#link', (link, url) => link.setAttribute('href', url), urlOf('login'));
    await page.click('#link');
    await shows(page, 'Sign out');
  });

  it('approves nothing destructive by a click, a double click or a key, and with the keyboard alone what is read', async () => {
    const asked = await request('/notes/b.txt', 'do_destructive');
    const page = await open('omar', `approvals/${asked.id}`);
    await settled(page);
    await (await page.$('button[value=approved]'))?.click({ count: 2 });
    await page.focus('textarea');
    await page.keyboard.press('Enter');
    expect(await stateOf(asked)).toEqual({ status: 'pending' });
    await page.reload();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.name');
    for (let presses = 0; presses < 20 && (await focused()) !== 'sure'; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    // Past what denies.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
  });

  it('denies by a click, also what is destructive, with the reason for the record', async () => {
    const asked = await request('/notes/denied.txt', 'do_destructive');
    const page = await open('olga', `approvals/${asked.id}`);
    await page.type('textarea', 'not today');
    await press(page, 'Deny');
    expect(await textOf(page, '#notices')).toBe('demo__do_destructive: denied by you');
    expect(await stateOf(asked)).toEqual({ status: 'denied', by: 'olga' });
    const before = upstream.calls.length;
    const args = { path: '/notes/denied.txt', _confirmation: asked.token };
    expect((await alice.call(EXECUTE, 'do_destructive', args)).success).toBe(false);
    expect(upstream.calls).toHaveLength(before);
    await page.goto(urlOf(`approvals/${asked.id}`));
    expect(await textOf(page, 'main')).toContain('not today');
  });

  it('lets the first of two people decide, and shows the second what became of it without a click', async () => {
    const asked = await request('/notes/both.txt');
    const [omar, olga] = [await open('omar', `approvals/${asked.id}`), await open('olga', `approvals/${asked.id}`)];
    const late = await formIn(olga);
    await olga.type('textarea', 'let me see');
    await press(omar, 'Approve');
    await shows(olga, 'Decided by');
    expect(await olga.$('main form')).toBeNull();
    await late({ verdict: 'denied' });
    await olga.goto(urlOf('approvals'));
    expect(await textOf(olga, '#notices')).toContain("already approved by 'omar'");
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
  });

  it('shows forged text as text: markup, characters that reorder, and its own escape character', async () => {
    const forged =
      '<img src=x onerror="window.forged=1"></dd></dl><h1>do_safe</h1>\u202egnp.exe\u2066\u200b\\u202e\u001b[2K\r';
    const asked = await request(forged);
    const page = await open('omar', 'approvals');
    await page.goto(urlOf(`approvals/${asked.id}`));
    const found = await page.evaluate(
      '[window.forged, document.images.length, document.querySelectorAll("h1").length]',
    );
    expect(found).toEqual([null, 0, 1]);
    const shown = await textOf(page, 'main');
    for (const part of ['<img src=x', '\\u202egnp.exe', '\\u2066', '\\u200b', '\\u001b[2K'])
      expect(shown).toContain(part);
    // A text that only looks like an escape differs from the character.
    expect(shown).toContain('\\\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be on the page
    expect(shown).not.toMatch(/[\u202e\u2066\u200b\u001b]/);
    // Even markup that were on the page could run nothing.
    const policy = await page.evaluate(`(async () => {
      const node = document.createElement('script');
      node.textContent = 'window.forged = 2';
      document.body.append(node);
      const { headers } = await fetch(location.href);
      return [window.forged, headers.get('content-security-policy')];
    })()`);
    expect(policy).toEqual([null, expect.stringMatching(/^default-src 'none'; script-src 'self'; (?!.*unsafe)/)]);
  });

  it('shows what an update replaces, which may be anybody’s text, and what stays as it is', async () => {
    const input = { title: 'Broken link', settings: { priority: 'high' } };
    const asked = requestOf(await alice.call('mcp_aql_update', 'update_record', { record_id: '1', input }));
    const page = await open('omar', `approvals/${asked.id}`);
    const found = await page.evaluate(
      '[window.forged, document.images.length, document.querySelectorAll("h1").length]',
    );
    expect(found).toEqual([null, 0, 1]);
    const shown = await textOf(page, 'main');
    for (const part of ['<img src=x', '\\u202egnp.exe', '"Broken link"', '"low"', '"high"', 'settings.priority'])
      expect(shown).toContain(part);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be on the page
    expect(shown).not.toMatch(/[\u202e\u001b]/);
    expect(shown).not.toContain(RECORD.note);
    await page.focus('summary');
    await page.keyboard.press('Enter');
    expect(await textOf(page, 'main')).toContain(RECORD.note);
    await keepPicture(page, 'console-update');
    await page.setViewport(PHONE);
    expect(await scrollsSideways(page)).toBe(false);
    await settled(page);
    await page.click('input[name=sure]');
    await press(page, 'Approve');
    const done = await alice.call('mcp_aql_update', 'update_record', { _confirmation: asked.token });
    expect(done.success).toBe(true);
  });

  it('takes no form that another site or session has made', async () => {
    const asked = await request('/notes/forged.txt');
    const page = await open('omar', `approvals/${asked.id}`);
    expect(await page.browserContext().cookies()).toMatchObject([
      { httpOnly: true, sameSite: 'Strict', session: true },
    ]);
    const form = await formIn(page);
    const send = (fields: object, headers: object) => form({ verdict: 'approved', ...fields }, headers);
    const { origin } = new URL(gateway.url);
    expect((await send({ csrf: 'x' }, {})).status).toBe(403);
    expect((await send({}, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await send({}, { origin: 'http://localhost:1' })).status).toBe(403);
    expect((await send({}, { origin, cookie: '' })).headers.get('location')).toBe('../../login');
    expect((await send({ digest: 'of another request' }, { origin })).status).toBe(303);
    expect(await stateOf(asked)).toEqual({ status: 'pending' });
    expect((await send({}, { origin })).status).toBe(303);
    expect(await stateOf(asked)).toEqual({ status: 'approved', by: 'omar' });
    await Promise.all([page.waitForNavigation(), page.click('.side-foot button')]);
    expect((await send({}, { origin })).headers.get('location')).toBe('../../login');
  });

  it('takes an agent from its alarm to its unblocking, and shows the code where no model reads', async () => {
    const agent = '<b onclick=x>cleaner</b>';
    const report = async (folder: string): Promise<Answer> =>
      bob.call('mcp_aql_create', 'record_execution_step', {
        element_name: agent,
        next_action_hint: `executing shell command: rm -rf ${folder}`,
      });
    await bob.call(EXECUTE, 'execute_agent', { element_name: agent });
    const page = await open('omar', 'agents');
    expect(await textOf(page, 'main')).toContain('No agent is blocked.');
    expect((await report('/srv')).data).toMatchObject({ stopped: true });
    await shows(page, 'it is blocked until it has a code');
    await keepPicture(page, 'console-agents');
    await Promise.all([page.waitForNavigation(), page.click('td[data-label=Step] a')]);
    const id = decodeURIComponent(page.url().split('/').at(-1) ?? '');
    await press(page, 'Show a new code');
    const code = await textOf(page, '#notices .code');
    await page.reload();
    expect(await textOf(page)).not.toContain(code);
    const verified = await bob.call('mcp_aql_create', 'verify_challenge', { challenge_id: id, code });
    expect(verified.success).toBe(true);
    await page.goto(urlOf('agents'));
    expect(await textOf(page, 'main')).toContain('No agent is blocked.');

    expect((await report('/home')).data).toMatchObject({ stopped: true });
    await page.waitForSelector('td[data-label=Agent] a[href*=blocked]');
    await Promise.all([page.waitForNavigation(), page.click('td[data-label=Agent] a[href*=blocked]')]);
    await page.type('textarea', 'talked to bob');
    await press(page, 'Lift the block');
    expect(await textOf(page, '#notices')).toBe(`${agent}: lifted by you`);
    const folder = join(gateway.directory, '.mcp-aql', 'audit');
    const journals = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    expect(journals.join('')).toMatch(/"AGENT_UNBLOCKED".*"talked to bob"/);
    expect(journals.join('')).not.toContain(code);
  });

  it('shows what runs in the background, and ends it', async () => {
    await bob.call(EXECUTE, 'execute_agent', { element_name: 'walker' });
    const page = await open('olga', 'executions');
    await Promise.all([page.waitForNavigation(), page.locator('main ::-p-text(walker)').click()]);
    await press(page, 'Cancel');
    expect(await textOf(page, 'main')).toContain("Cancelled: by operator 'olga'");
    expect(await page.$('main form')).toBeNull();
  });

  it('fits a phone, and is a document that a screen reader can walk through', async () => {
    const asked = await request(`/notes/${'long'.repeat(80)}.txt`, 'do_destructive');
    const page = await open('omar', 'approvals');
    await keepPicture(page, 'console-approvals');
    for (const path of ['approvals', `approvals/${asked.id}`, 'agents', 'executions']) {
      await page.setViewport(PHONE);
      await page.goto(urlOf(path));
      expect([path, await scrollsSideways(page)]).toEqual([path, false]);
      const parts = await page.evaluate(
        '["html[lang]", "title", "main", "h1", "nav[aria-label]", "[role=status]", "a[aria-current]"].map((each) => document.querySelectorAll(each).length)',
      );
      expect([path, parts]).toEqual([path, [1, 1, 1, 1, 1, 1, 1]]);
      const unnamed = 'document.querySelectorAll("table:not(:has(caption)), th:not([scope])").length';
      expect([path, await page.evaluate(unnamed)]).toEqual([path, 0]);
    }
    await page.goto(urlOf(`approvals/${asked.id}`));
    await keepPicture(page, 'console-phone');
  });
});
