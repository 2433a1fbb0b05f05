import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  NO_CHROMIUM,
  type Page,
  PHONE,
  press,
  scrollsSideways,
  signIn,
  startBrowser,
  textOf,
} from '../support/browser.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const TOKEN = 'operator-olga-has-a-long-token';

const HOSTILE = `<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>\u202e{{7*7}}`;

const TOOLS = JSON.stringify({
  read_note: { description: `Read a note. ${HOSTILE}` },
  tag_note: { description: `Tag a note. ${HOSTILE}` },
  [`show_${HOSTILE}`]: { description: HOSTILE },
});

/** Every tool answers the same. */
const NOTES = `Object.fromEntries(Object.entries(${TOOLS}).map(([name, { description }]) => [name, {
  tool: { description, inputSchema: { type: 'object', properties: { ${JSON.stringify(HOSTILE)}: { type: 'string' } } } },
  run: () => ({ content: [{ type: 'text', text: 'noted' }] }),
}]))`;

const LOCK = {
  version: 1,
  upstreams: {
    notes: {
      read_note: {
        fingerprint: `sha256:${'0'.repeat(64)}`,
        operations: { read_note: { category: 'READ', danger: 'safe', family: 'read' } },
        definition: { name: 'read_note', description: 'Read one note.', inputSchema: { type: 'object' } },
      },
    },
  },
};

describe.skipIf(CHROMIUM === undefined)(`the console's pages of state (${NO_CHROMIUM})`, () => {
  let browser: Browser;
  let gateway: RunningGateway;
  let page: Page;

  const go = async (path: string): Promise<string> => {
    await page.goto(new URL(`/ui/${path}`, gateway.url).href);
    return textOf(page, 'main');
  };
  const follow = (text: string) =>
    Promise.all([page.waitForNavigation(), page.locator(`::-p-xpath(//main//a[contains(., "${text}")])`).click()]);

  beforeAll(async () => {
    gateway = await hostGateway(
      {
        endpoint: { mode: 'single' },
        audit: { calls: 'all' },
        quotas: { limits: [{ name: 'some calls', per: 'session', metric: 'requests_per_hour', hard_stop: 100 }] },
        policy: { approvals: { operators: { olga: { token: TOKEN } } } },
        mcpServers: {
          notes: inlineServer(NOTES, { trust: 'validated' }),
          broken: {
            command: process.execPath,
            args: ['-e', `console.error(${JSON.stringify(HOSTILE)}); process.exit(3)`],
          },
        },
      },
      { files: { 'gateway.lock.json': JSON.stringify(LOCK) } },
    );
    browser = await startBrowser();
    page = await browser.open(new URL('/ui/upstreams', gateway.url).href);
    await signIn(page, TOKEN);
  });

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  it('shows foreign texts as texts on every page, and needs no scrolling sideways on a phone', async () => {
    await using client = await connectClient(gateway.url, 'legacy', { name: `client ${HOSTILE}` });
    await client.call('mcp_aql', 'notes__read_note', {});
    await page.setViewport(PHONE);
    const shown: Record<string, string> = {
      upstreams: 'notes',
      'upstreams/broken': '<script>',
      catalogue: 'read_note',
      'catalogue/notes__read_note': '<img src=x',
      'catalogue/notes__read_note/preview?category=DELETE': 'DELETE',
      'catalogue/notes__read_note/preview': 'nothing would change',
      'catalogue/notes__read_note/preview?category=&danger=': 'nothing would change',
      integrity: 'read_note',
      'integrity/one?upstream=notes&tool=read_note': '<img src=x',
      figures: 'Tokens saved',
      sessions: '<img src=x',
      quotas: 'some calls',
      audit: 'read_note',
    };
    for (const [path, text] of Object.entries(shown)) {
      expect([path, await go(path)]).toEqual([path, expect.stringContaining(text)]);
      expect([path, await scrollsSideways(page)]).toEqual([path, false]);
      expect([path, await page.evaluate('globalThis.owned ?? document.images.length')]).toEqual([path, 0]);
      expect([path, await page.evaluate(`document.body.innerText.includes('\u202e')`)]).toEqual([path, false]);
    }
    await page.setViewport({ width: 1000, height: 900 });
  });

  it('previews how an operation would be judged, and writes just that when it is saved', async () => {
    await go('catalogue?q=tag+a+note');
    await follow('tag_note');
    await page.select('select[name=category]', 'DELETE');
    await page.select('select[name=danger]', 'dangerous');
    await press(page, 'Preview');
    const preview = await textOf(page, 'main');
    expect(preview).toContain('DELETE, dangerous');
    expect(preview).toContain('"tag_note"');
    const file = join(gateway.directory, 'gateway.config.json');
    expect(await readFile(file, 'utf8')).not.toContain('tag_note":{');
    await press(page, 'Save');
    expect(await textOf(page, '#notices')).toContain('and taken');
    expect(await textOf(page, 'main')).toMatch(/Category\s+DELETE[\s\S]*Danger\s+dangerous/);
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers.notes.operations).toEqual({
      tag_note: { category: 'DELETE', danger: 'dangerous' },
    });
  });

  it('shows what differs from the lock line by line, and accepts what was read and nothing else', async () => {
    await go('integrity');
    await follow('read_note');
    const text = await textOf(page, 'main');
    expect(text).toMatch(/removed:\s+"description": "Read one note\./);
    expect(text).toMatch(/added:\s+"description": "Read a note\./);
    await page.evaluate(`document.querySelector('input[name=digest]').value = 'of-another-definition'`);
    await press(page, 'Accept');
    expect(await textOf(page, '#notices')).toContain('Nothing was accepted');
    await follow('read_note');
    await press(page, 'Accept');
    expect(await textOf(page, '#notices')).toContain('Accepted read_note');
    expect(await textOf(page, 'main')).toContain('2 differences');
    const lock = JSON.parse(await readFile(join(gateway.directory, 'gateway.lock.json'), 'utf8'));
    expect(Object.keys(lock.upstreams.notes)).toEqual(['read_note']);
    expect(lock.upstreams.notes.read_note.definition.description).toContain('Read a note.');
  });

  it('searches the audit record, shows one record whole, and checks the journals', async () => {
    expect(await go('audit?by=olga&type=admin')).toContain('curation_changed');
    await page.click('.record summary');
    await follow('admin');
    expect(await textOf(page, 'main')).toMatch(/As it was written\s+yes[\s\S]*"olga"/);
    expect(await go('audit?since=2999-01-01')).toContain('No record fits');
    await press(page, 'Check the journals');
    await page.waitForFunction(`document.querySelector('main')?.textContent?.includes('nothing was altered')`);
  });

  it('ends a session, restarts a server, and enables and disables one', async () => {
    await using client = await connectClient(gateway.url, 'legacy', { name: 'to be ended' });
    await client.call('mcp_aql', 'notes__read_note', {});
    expect(await go('sessions?q=to+be+ended')).toContain('to be ended');
    await press(page, 'End');
    expect(await textOf(page, '#notices')).toContain('Ended the session');
    expect(await go('sessions?q=to+be+ended')).toContain('No client is connected');
    await go('upstreams/notes');
    await press(page, 'Restart');
    expect(await textOf(page, '#notices')).toContain('notes starts anew');
    await go('upstreams/broken');
    await press(page, 'Disable');
    expect(await textOf(page, 'main')).toContain('disabled');
    await press(page, 'Enable');
    expect(await textOf(page, '#notices')).toContain('Written, and taken');
  });
});
