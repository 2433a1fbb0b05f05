import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'undici';

const BINARIES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** The browser on this machine, if there is one. */
export const CHROMIUM_BINARY = BINARIES.flatMap((name) =>
  (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name)),
).find(isExecutable);

/** Why tests that need a browser are skipped; for their titles. */
export const NO_CHROMIUM = 'needs chromium or google-chrome on the PATH';

/** A browser without a window, driven over the Chrome DevTools Protocol. */
export interface Browser extends AsyncDisposable {
  /** Opens a page for a person: with a storage of its own, as another browser would have. */
  open(url: string): Promise<Page>;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A page as a person uses it: by what can be seen and pointed at. */
export interface Page {
  /** The value of an expression, when it has settled. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves when an expression is true, which is looked at after each change of the page. */
  until(expression: string): Promise<void>;
  /** The middle of a button with this text, counted from 0 where there are several. */
  pointOf(button: string, index?: number): Promise<Point>;
  /** Presses and releases the mouse at a place so often in a row. */
  click(point: Point, times?: number): Promise<void>;
  press(point: Point): Promise<void>;
  release(point: Point): Promise<void>;
  /** Types a text where the focus is. */
  type(text: string): Promise<void>;
}

type Send = (method: string, params?: object, session?: string) => Promise<Record<string, unknown>>;

/** Starts a browser. It answers nothing but this machine, and its profile is deleted with it. */
export async function startChromium(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const child = spawn(
    CHROMIUM_BINARY ?? '',
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const socket = new WebSocket(await readAddress(child));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const send = createSender(socket);
  return {
    open: (url) => openPage(send, url),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      await send('Browser.close').catch(() => child.kill('SIGKILL'));
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function readAddress(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('the browser has no standard error');
  const lines: string[] = [];
  const reader = createInterface({ input: child.stderr });
  for await (const line of reader) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`the browser did not start: ${lines.slice(-3).join(' | ')}`);
}

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

function createSender(socket: WebSocket): Send {
  let last = 0;
  const waiting = new Map<number, { resolve(result: Record<string, unknown>): void; reject(cause: Error): void }>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Reply;
    const entry = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || entry === undefined) return;
    waiting.delete(id);
    if (error === undefined) entry.resolve(result ?? {});
    else entry.reject(new Error(error.message));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser closed'));
  });
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}

async function openPage(send: Send, url: string): Promise<Page> {
  const { browserContextId } = await send('Target.createBrowserContext');
  const { targetId } = await send('Target.createTarget', { url, browserContextId, width: 900, height: 1600 });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const ask: Send = (method, params) => send(method, params, String(sessionId));
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await ask('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer['exceptionDetails'] !== undefined) throw new Error(JSON.stringify(answer['exceptionDetails']));
    return (answer['result'] as { readonly value?: unknown }).value;
  };
  const mouse = (type: string, point: Point, clickCount: number) =>
    ask('Input.dispatchMouseEvent', { type, ...point, button: 'left', clickCount });
  await loaded(evaluate);
  return {
    evaluate,
    until: async (expression) => {
      await evaluate(`new Promise((resolve) => {
        const look = () => Boolean(${expression}) && (observer.disconnect(), resolve(true));
        const observer = new MutationObserver(look);
        observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        look();
      })`);
    },
    pointOf: async (button, index = 0) => {
      const found = await evaluate(`(() => {
        const all = [...document.querySelectorAll('button')].filter((each) => each.textContent === ${JSON.stringify(button)});
        const node = all[${index}];
        if (node === undefined) return null;
        node.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { x, y, width, height } = node.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      })()`);
      if (found === null) throw new Error(`there is no button '${button}' with the index ${index}`);
      return found as Point;
    },
    click: async (point, times = 1) => {
      for (let count = 1; count <= times; count += 1) {
        await mouse('mousePressed', point, count);
        await mouse('mouseReleased', point, count);
      }
    },
    press: async (point) => void (await mouse('mousePressed', point, 1)),
    release: async (point) => void (await mouse('mouseReleased', point, 1)),
    type: async (text) => void (await ask('Input.insertText', { text })),
  };
}

/** A navigation replaces the document in which the first question was asked, so that question is asked again. */
async function loaded(evaluate: (expression: string) => Promise<unknown>): Promise<void> {
  const wait = `new Promise((resolve) => {
    if (location.href !== 'about:blank' && document.readyState === 'complete') resolve(true);
    else addEventListener('load', () => resolve(location.href !== 'about:blank'));
  })`;
  for (let tries = 0; tries < 5; tries += 1) {
    if ((await evaluate(wait).catch(() => false)) === true) return;
  }
  throw new Error('the page did not load');
}
