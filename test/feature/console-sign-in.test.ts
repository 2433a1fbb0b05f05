import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type AuthorizationServer,
  signIn as signInAt,
  startAuthorizationServer,
} from '../support/authorization-server.mjs';
import {
  type Browser,
  CHROMIUM,
  NO_CHROMIUM,
  type Page,
  press,
  signIn,
  startBrowser,
  textOf,
} from '../support/browser.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';

const TOKEN = 'operator-omar-has-a-long-token';

describe.skipIf(CHROMIUM === undefined)(`signing in to the console at an identity provider (${NO_CHROMIUM})`, () => {
  let corp: AuthorizationServer;
  let live: LiveGateway;
  let browser: Browser;
  let base: string;
  let config: { readonly server: object; readonly policy: { readonly approvals: object } };

  beforeAll(async () => {
    const port = await freePort();
    // Another site than that of the issuer, so that the browser keeps the cookie back on the way from there.
    base = `http://localhost:${port}`;
    const resource = `${base}/mcp`;
    corp = await startAuthorizationServer({
      resource,
      groups: { olga: ['on-call', 'staff'], bob: ['staff'] },
      tokenSeconds: 600,
    });
    const issuer = { name: 'corp', issuer: corp.issuer, scopes: ['mcp:call'], groupsClaim: 'groups' };
    config = {
      server: { port, publicUrl: base, oauth: { resource, issuers: [issuer] } },
      policy: { approvals: { operators: { omar: { token: TOKEN } }, operatorGroups: ['on-call'] } },
    };
    live = await openLiveGateway(config);
    browser = await startBrowser();
  });

  afterAll(async () => {
    for (const part of [browser, live, corp]) await part?.[Symbol.asyncDispose]();
  });

  /** Goes through the pages of the issuer as a person does. */
  async function enter(path: string, login: string): Promise<Page> {
    const page = await browser.open(`${base}/ui/${path}`);
    await press(page, 'Sign in at corp');
    await page.waitForSelector('input[name=login]');
    await page.type('input[name=login]', login);
    await page.type('input[name=password]', 'any');
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    await Promise.all([
      page.waitForFunction('document.title.includes(" · ") && document.querySelector("h1")'),
      page.click('button[type=submit]'),
    ]);
    return page;
  }

  it('leads a member of an operator group to the page that was asked for, until the group is one no more', async () => {
    const page = await enter('sessions', 'olga');
    expect(page.url()).toBe(`${base}/ui/sessions`);
    expect(await textOf(page, '.side-foot')).toContain('corp:olga');
    await live.reload({ ...config, policy: { approvals: { ...config.policy.approvals, operatorGroups: ['others'] } } });
    await page.reload();
    expect(page.url()).toBe(`${base}/ui/login?to=sessions`);
    await live.reload(config);
  });

  it('opens nothing for a user who is in no such group, and says so', async () => {
    const page = await enter('sessions', 'bob');
    expect(await textOf(page)).toContain("You are 'corp:bob', who is in no group of operators of this gateway.");
    await page.goto(`${base}/ui/sessions`);
    expect(page.url()).toBe(`${base}/ui/login?to=sessions`);
    await signIn(page, TOKEN);
    expect(await textOf(page, '.side-foot')).toContain('omar');
  });

  it('takes an answer once, from the browser alone that was sent to the issuer, of that issuer, and for the life of the token', async () => {
    const [first, second] = [await departure(), await departure()];
    const answer = (await signInAt(first.to, 'olga')).location;
    expect(await open(answer, second.cookie)).toMatchObject({ status: 403 });
    const entered = await open(answer, first.cookie);
    expect(entered).toMatchObject({ status: 303, location: './sessions' });
    expect(await open(answer, first.cookie)).toMatchObject({ status: 403 });
    const forged = new URL((await signInAt(second.to, 'olga')).location);
    forged.searchParams.set('iss', 'https://another.example');
    expect(await open(forged.href, second.cookie)).toMatchObject({ status: 403 });
    expect((await open(`${base}/ui/sessions`, entered.given)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 700_000 });
    expect((await open(`${base}/ui/sessions`, entered.given)).location).toBe('./login?to=sessions');
    vi.useRealTimers();
  });

  it('has an address wait that begins too many sign-ins', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) statuses.push((await departure()).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses[0]).toBe(200);
  });

  async function open(url: string, cookie = '', form?: URLSearchParams) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    });
    const [given = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
    return { status: response.status, location: response.headers.get('location'), given, html: await response.text() };
  }

  /** A browser that is sent to the issuer. */
  async function departure(): Promise<{ readonly cookie: string; readonly to: string; readonly status: number }> {
    const { given: cookie, html } = await open(`${base}/ui/login?to=sessions`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const sent = await open(`${base}/ui/issuer`, cookie, new URLSearchParams({ csrf, issuer: 'corp', to: 'sessions' }));
    const to = /content="0;url=([^"]+)"/.exec(sent.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { cookie, to, status: sent.status };
  }
});
