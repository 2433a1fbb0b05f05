import type { JsonObject } from '../../../src/base/json/json.js';
import { ConnectingBrowser } from '../connecting-browser.js';
import { freePort } from '../oauth-client.js';
import { type PrivateServer, startPrivateServer } from '../private-server.js';

/** Clients that stay. No name is a part of another word. */
export const USERS = ['annabel', 'bertram', 'cordula'] as const;

/** Whoever else connects. */
const GUEST = 'guest';

const tokenOf = (client: string): string =>
  `a-static-token-of-${(USERS as readonly string[]).includes(client) ? client : GUEST}`;

/** The gateway knows its clients, and a server of theirs, `diaries`, holds something else for each by an account. */
export class Users implements AsyncDisposable {
  /** Who has connected an account. */
  readonly connected = new Set<string>();
  /** Of the gateway, whose pages people are sent back to. */
  readonly port: number;
  readonly #diaries: PrivateServer;

  private constructor(port: number, diaries: PrivateServer) {
    this.port = port;
    this.#diaries = diaries;
  }

  static async start(): Promise<Users> {
    return new Users(await freePort(), await startPrivateServer());
  }

  /** The entry of their server. */
  get entry(): JsonObject {
    return { url: this.#diaries.url, credentials: { type: 'perUser' } };
  }

  /** Settings of the gateway, beside its servers. */
  addTo(settings: JsonObject): JsonObject {
    const publicUrl = `http://127.0.0.1:${this.port}`;
    return {
      ...settings,
      server: { ...(settings['server'] as JsonObject | undefined), port: this.port, publicUrl },
      credentials: { key: 'the-key-of-what-users-have-granted' },
      clients: Object.fromEntries([...USERS, GUEST].map((name) => [name, { token: tokenOf(name) }])),
    };
  }

  /** What a client sends with each request. */
  headersOf(client: string): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${tokenOf(client)}` };
  }

  /** A person connects their account in a browser. Resolves with the last page. */
  async connect(user: string): Promise<string> {
    this.#diaries.user = user;
    const browser = new ConnectingBrowser();
    const link = `http://127.0.0.1:${this.port}/connect/diaries`;
    const page = await browser.pass(await browser.agree(link, 'token', { token: tokenOf(user) }));
    this.connected.add(user);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#diaries[Symbol.asyncDispose]();
  }
}
