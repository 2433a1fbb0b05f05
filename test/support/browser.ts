import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser as Chromium, type Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

const CANDIDATES = [
  ...(process.env['CHROMIUM_PATH'] === undefined ? [] : [process.env['CHROMIUM_PATH']]),
  ...NAMES.flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))),
];

/** The browser on this machine, if there is one. */
export const CHROMIUM = CANDIDATES.find(isExecutable);

/** Why tests that need a browser are skipped; for their titles. */
export const NO_CHROMIUM = 'needs chromium or google-chrome on the PATH, or CHROMIUM_PATH';

export type { Page } from 'puppeteer-core';

/** A browser without a window, for all tests of a file. */
export interface Browser extends AsyncDisposable {
  /** Opens a page for a person: with cookies and storage of its own, as another browser would have. */
  open(url: string): Promise<Page>;
}

/** A narrow phone. */
export const PHONE = { width: 360, height: 740, isMobile: true, hasTouch: true } as const;

export async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(NO_CHROMIUM);
  const browser: Chromium = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    defaultViewport: { width: 1000, height: 900 },
  });
  return {
    async open(url) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      // The machine may be busy with other tests.
      page.setDefaultTimeout(60_000);
      await page.goto(url);
      return page;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Signs an operator in on the page that a person is led to. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.type('#token', token);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Resolves when the buttons take clicks: for a moment after a page has opened they take none. */
export async function settled(page: Page): Promise<void> {
  // A page that refreshes itself begins anew.
  await page.evaluate(`(async () => {
    for (let open; (open = document.getAnimations()).length > 0; ) await Promise.allSettled(open.map(({ finished }) => finished));
  })()`);
}

/** Presses a button by its text as a person with a mouse does, and waits for the page that follows. */
export async function press(page: Page, button: string): Promise<void> {
  await settled(page);
  await Promise.all([
    page.waitForNavigation(),
    page.locator(`::-p-xpath(//main//button[normalize-space()="${button}"])`).click(),
  ]);
}

/** What a person reads. */
export async function textOf(page: Page, selector = 'body'): Promise<string> {
  return String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`));
}

/** Whether anything reaches beyond the width of the screen. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  const width = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  return (await page.evaluate(width)) === true;
}

const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Takes a picture for the documentation, where it is asked for (UPDATE_DOCS). */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_DOCS'] === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
