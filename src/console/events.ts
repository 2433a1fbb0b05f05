import type { ServerResponse } from 'node:http';
import { digest } from '../base/json/canonical-json.js';
import type { Observer } from '../base/observe/observation.js';
import type { Page } from './layout/page.js';
import type { OperatorSession } from './operator-sessions.js';

type LivePage = Page & { readonly pulse: () => unknown };

/** Looks at what open pages show so often. Nothing is looked at while no page is open. */
const LOOK_MS = 1_000;

/** Streams at one time: of one session, and of all. */
const MOST_OF_ONE = 20;
const MOST = 200;

/** What an open page shows. */
type Shown = Pick<Stream, 'page' | 'state' | 'counters'>;

interface Stream {
  readonly page: Page;
  readonly session: OperatorSession;
  readonly response: ServerResponse;
  /** What the page shows, as `stateOf` gives it; empty of a page that does not change by itself. */
  state: string;
  /** What the navigation shows. */
  counters: string;
}

/** Whether a page refreshes itself. */
export function isLive(page: Page): page is LivePage {
  return page.pulse !== undefined;
}

/** What a page shows at this moment, in short. */
export async function stateOf(page: Page): Promise<string> {
  return isLive(page) ? digest(await page.pulse()) : '';
}

/** The streams that say to open pages that they are out of date. */
export class EventStreams {
  readonly #observe: Observer;
  readonly #counters: () => Promise<string>;
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  /** @param counters what the navigation shows, in short */
  constructor(observe: Observer, counters: () => Promise<string>) {
    this.#observe = observe;
    this.#counters = counters;
  }

  /** @returns false where there are too many */
  open(shown: Shown, session: OperatorSession, response: ServerResponse): boolean {
    const own = [...this.#streams].filter((stream) => stream.session === session);
    if (own.length >= MOST_OF_ONE || this.#streams.size >= MOST) return false;
    const stream: Stream = { ...shown, session, response };
    this.#streams.add(stream);
    response.once('close', () => this.#drop(stream));
    // Proxies that collect an answer before they pass it on would hold the events back.
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.write('retry: 3000\n\n');
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    void this.#look();
    return true;
  }

  close(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #end(stream: Stream): void {
    this.#drop(stream);
    stream.response.end();
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const stream of this.#streams) if (!stream.session.isLive()) this.#end(stream);
      for (const page of new Set([...this.#streams].map((stream) => stream.page))) await this.#lookAt(page);
      await this.#lookAtCounters();
    } catch (cause) {
      this.#observe({ kind: 'defect', where: '/ui/events', cause });
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAtCounters(): Promise<void> {
    if (this.#streams.size === 0) return;
    const counters = await this.#counters();
    for (const stream of this.#streams) {
      if (stream.counters === counters) continue;
      stream.counters = counters;
      stream.response.write(`event: counted\ndata: navigation\n\n`);
    }
  }

  async #lookAt(page: Page): Promise<void> {
    const state = await stateOf(page);
    for (const stream of this.#streams) {
      if (stream.page !== page || stream.state === state) continue;
      stream.state = state;
      stream.response.write(`event: changed\ndata: ${page.section}\n\n`);
    }
  }
}
