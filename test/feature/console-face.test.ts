import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  keepPicture,
  NO_CHROMIUM,
  type Page,
  press,
  scrollsSideways,
  settled,
  signIn,
  startBrowser,
  textOf,
} from '../support/browser.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { readJournals } from '../support/read-journals.js';

const OPERATOR = 'operator-ada-has-a-long-token';
const CLIENT = 'release-agent-has-a-long-token';

const tool = (description: string, properties: object, more: object = {}): object => ({
  description,
  inputSchema: { type: 'object', properties, ...more },
});

const TICKETS = {
  search_tickets: tool('Find tickets by their words', { query: { type: 'string', description: 'Words' } }),
  get_ticket: tool(
    'Read a ticket',
    { key: { type: 'string', description: 'Such as OPS-4417' } },
    { required: ['key'] },
  ),
  create_ticket: tool('Open a ticket', { title: { type: 'string' }, priority: { enum: ['low', 'normal', 'high'] } }),
  delete_ticket: tool('Delete a ticket for good', { key: { type: 'string' } }, { required: ['key'] }),
};

const METRICS = {
  list_partitions: tool(
    'List the partitions of a table, the oldest first',
    {
      table: { type: 'string', description: 'Name of the table, without the schema' },
      schema: { enum: ['public', 'staging', 'archive'], default: 'public' },
      limit: { type: 'integer', minimum: 1, maximum: 500, description: 'How many at most' },
      columns: { type: 'array', items: { type: 'string' } },
      exact: { type: 'boolean', description: 'Count the rows instead of estimating them' },
    },
    { required: ['table'], additionalProperties: false },
  ),
  drop_partition: tool('Delete a partition and its rows', { name: { type: 'string' } }, { required: ['name'] }),
};

/** Each tool answers what it was called with. */
const answering = (tools: object): string =>
  `Object.fromEntries(Object.entries(${JSON.stringify(tools)}).map(([name, tool]) => [name, {
    tool: { ...tool, annotations: { readOnlyHint: /^(search|get|list)/.test(name), destructiveHint: /^(delete|drop)/.test(name) } },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify({ tool: name, partitions: [{ name: 'events_2025_08', rows: 41870233 }], ...args }) }] }),
  }]))`;

const BROKEN = {
  command: process.execPath,
  args: ['-e', "console.error('FATAL: licence expired on 2026-11-25'); process.exit(1)"],
};

/** Sizes at which each page is looked at. */
const WIDE = { width: 1440, height: 900 } as const;
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true } as const;

describe.skipIf(CHROMIUM === undefined)(`the face of the console (${NO_CHROMIUM})`, () => {
  let browser: Browser;
  let gateway: RunningGateway;
  let client: McpClient;
  let page: Page;

  const go = async (path: string): Promise<string> => {
    await page.goto(new URL(`/ui/${path}`, gateway.url).href);
    return textOf(page, 'main');
  };
  /** How many calls of an operation have run, by the audit record. */
  const callsOf = async (operation: string): Promise<number> => {
    const records = await readJournals(gateway.directory);
    return records.filter(
      (each) => each['type'] === 'call' && each['code'] === 'OK' && String(each['operation']).endsWith(operation),
    ).length;
  };
  const inDark = (isDark: boolean) =>
    page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]);

  beforeAll(async () => {
    gateway = await hostGateway({
      server: { name: 'gw-eu-1', environment: 'production' },
      clients: { 'release-agent': { token: CLIENT } },
      audit: { calls: 'all', sync: true },
      executions: { enabled: true },
      safetyLoop: { mode: 'enforcing' },
      policy: {
        rules: [{ match: { operation: 'delete_ticket' }, decision: 'confirm', requires: 'human' }],
        approvals: { operators: { ada: { token: OPERATOR } }, elicitation: false },
      },
      mcpServers: {
        tickets: inlineServer(answering(TICKETS), { trust: 'validated' }),
        'metrics-lake': inlineServer(answering(METRICS), { trust: 'validated' }),
        'warehouse-sql': BROKEN,
        'wiki-search': { ...BROKEN, disabled: true },
      },
    });
    client = await connectClient(gateway.url, 'legacy', { token: CLIENT, name: 'Release Agent' });
    for (let calls = 0; calls < 12; calls += 1)
      await client.call('mcp_aql_read', 'get_ticket', { key: `OPS-${calls}` });
    await client.call('mcp_aql_read', 'get_ticket', { wrong: 1 });
    await client.call('mcp_aql_delete', 'delete_ticket', { key: 'OPS-4417' });
    browser = await startBrowser();
    page = await browser.open(new URL('/ui/', gateway.url).href);
    await page.setViewport(WIDE);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  it('says which gateway it is before anybody has signed in, and on every page', async () => {
    expect(await textOf(page)).toMatch(/gw-eu-1\s*production/);
    expect(await page.title()).toBe('Sign in · gw-eu-1 production');
    await keepPicture(page, 'console-sign-in');
    await signIn(page, OPERATOR);
    expect(new URL(page.url()).pathname).toBe('/ui/overview');
    expect(await textOf(page, '#side')).toMatch(/gw-eu-1\s*production/);
    expect(await page.title()).toBe('Overview · gw-eu-1 production');
  });

  it('answers on its first page whether all is well, what waits for a person, and how to connect', async () => {
    const text = await go('overview');
    expect(await textOf(page, 'h1')).toBe('1 of 3 servers is in trouble, 1 call waits for a person');
    expect(text).toMatch(/warehouse-sql is down[\s\S]*FATAL: licence expired/);
    expect(text).toMatch(/1 call waits for approval[\s\S]*expires in/);
    expect(text).toContain(`claude mcp add --transport http aql ${gateway.url} --header`);
    expect(await textOf(page, '.nav')).toMatch(/Approvals\s*1\s*waits[\s\S]*Servers\s*1\s*in trouble/);
    await keepPicture(page, 'console-overview');
    await inDark(true);
    await keepPicture(page, 'console-overview-dark');
    await page.setViewport(PHONE);
    await keepPicture(page, 'console-overview-phone');
    await inDark(false);
    await page.setViewport(WIDE);
  });

  it('shows what is dangerous first, with how sure that is', async () => {
    const text = await go('catalogue');
    expect(text.indexOf('drop_partition')).toBeLessThan(text.indexOf('get_ticket'));
    await keepPicture(page, 'console-catalogue');
  });

  it('tries an operation by a form made from its schema, through policy, under the name of the operator', async () => {
    await go('try?operation=metrics_lake__list_partitions');
    await page.type('[name="p.table"]', 'events');
    await page.select('[name="p.schema"]', '"staging"');
    await page.type('[name="p.limit"]', '3');
    await page.type('[name="p.columns"]', 'name\nrows');
    await page.select('[name="p.exact"]', 'true');
    await press(page, 'Call it');
    const text = await textOf(page, 'main');
    expect(text).toMatch(/"limit": 3,\s+"columns": \[\s+"name",\s+"rows"\s+\],\s+"exact": true/);
    expect(text).toMatch(/"table": "events",\s+"schema": "staging"/);
    expect(text).toMatch(/allow, by matrix/);
    await keepPicture(page, 'console-try');
    await Promise.all([page.waitForNavigation(), page.click('main a[href*="audit?text="]')]);
    expect(await textOf(page, 'main')).toMatch(/metrics_lake__list_partitions\s+operator\/ada\s+answered/);
  });

  it('tells what a form cannot send, and keeps what was typed', async () => {
    await go('try?operation=metrics_lake__list_partitions');
    await page.type('[name="p.table"]', 'events');
    await page.type('[name="p.limit"]', '12345678901234567890');
    await press(page, 'Call it');
    expect(await textOf(page, 'main')).toMatch(/Nothing was called\s+'limit' is no number, or one with more digits/);
    expect(await page.$eval('[name="p.table"]', (field) => field.value)).toBe('events');
  });

  it('lets an operator confirm what is destructive as anybody has to, once', async () => {
    await go('try?operation=tickets__delete_ticket');
    await page.type('[name="p.key"]', 'OPS-1');
    await press(page, 'Call it');
    expect(await textOf(page, 'main')).toMatch(/It wants an agreement[\s\S]*A person has to approve it first/);
    const before = await callsOf('delete_ticket');
    await settled(page);
    await page.click('main .alert input.sure');
    await press(page, 'Confirm, and call it');
    expect(await callsOf('delete_ticket')).toBe(before);
    await Promise.all([page.waitForNavigation(), page.click('main .alert a[href*=approvals]')]);
    await settled(page);
    await page.click('input.sure');
    await press(page, 'Approve');
    await page.goBack();
    await page.goBack();
    await settled(page);
    await page.click('main .alert input.sure');
    await press(page, 'Confirm, and call it');
    expect(await textOf(page, 'main')).toMatch(/"key": "OPS-1"/);
    // The same form again, as a double click sends it, finds what was done.
    const done = await callsOf('delete_ticket');
    await page.reload();
    expect(await callsOf('delete_ticket')).toBe(done);
  });

  it('breaks no word and needs no scrolling sideways at any width, on every page', async () => {
    const pages = [
      'overview',
      'approvals',
      'agents',
      'executions',
      'upstreams',
      'upstreams/warehouse_sql',
      'catalogue',
      'try',
      'try?operation=metrics_lake__list_partitions',
    ];
    const others = [
      'servers/add',
      'upstreams/tickets/remove',
      'catalogue/metrics_lake__list_partitions',
      'integrity',
      'figures',
      'audit',
      'sessions',
      'quotas',
    ];
    for (const path of [...pages, ...others]) {
      await go(path);
      for (const width of [1440, 1000, 720, 390, 360]) {
        await page.setViewport({ ...WIDE, width });
        expect([path, width, await scrollsSideways(page)]).toEqual([path, width, false]);
        const broken = await page.evaluate(BROKEN_WORDS);
        expect([path, width, broken]).toEqual([path, width, []]);
      }
    }
    await page.setViewport(WIDE);
  });

  it('keeps the counters beside the sections up to date, and leaves the page that is read alone', async () => {
    await go('quotas');
    await page.evaluate(`document.querySelector('main').dataset.seen = 'yes'`);
    const before = Number((await textOf(page, '.nav a[href$="approvals"] .count')).split(/\s/)[0]);
    await client.call('mcp_aql_delete', 'delete_ticket', { key: 'OPS-2' });
    await page.waitForFunction(
      `parseInt(document.querySelector('.nav a[href$="approvals"] .count').textContent) === ${before + 1}`,
      { polling: 'mutation' },
    );
    expect(await page.evaluate(`document.querySelector('main').dataset.seen`)).toBe('yes');
  });

  it('adds a pasted server and removes one, after the change of the file was read', async () => {
    const file = join(gateway.directory, 'gateway.config.json');
    const paste = async (block: string): Promise<string> => {
      await go('servers/add');
      await page.$eval(
        '#block',
        (field, text) => {
          field.value = text;
        },
        block,
      );
      await press(page, 'Preview');
      return textOf(page, 'main');
    };
    expect(await paste('{ "mcpServers": { "shell": { "command": "sh" } } }')).toContain(
      "cannot be added with 'command'",
    );
    expect(await paste('{ "tickets": { "url": "http://127.0.0.1:9/mcp" } }')).toContain("There is a server 'tickets'");
    expect(await paste('"wiki": { "url": "http://127.0.0.1:9/mcp" },')).toMatch(/added:\s+"wiki"/);
    expect(await readFile(file, 'utf8')).not.toContain('"wiki"');
    await press(page, 'Save');
    expect(await textOf(page, '#notices')).toContain('Written, and taken');
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers.wiki).toEqual({ url: 'http://127.0.0.1:9/mcp' });
    expect(await go('upstreams/wiki/remove')).toMatch(/removed:\s+"wiki"/);
    await settled(page);
    await page.click('input.sure');
    await press(page, 'Remove');
    expect(await textOf(page, '#notices')).toContain('Written, and taken');
    expect(await go('upstreams')).not.toContain('wiki\n');
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers).not.toHaveProperty('wiki');
  });
});

/** The words of headings, tables, buttons and states that stand on more than one line. */
const BROKEN_WORDS = `[...document.querySelectorAll('h1, h2, th, td, button, .state, .chip, .family, .nav a')].flatMap((element) => {
  const found = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    for (const { 0: word, index } of data.matchAll(/[\\w-]+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1 && word.length < 14 && !word.includes('-') && !element.closest('.hidden')) found.push(word);
    }
  }
  return found;
})`;
