/** What a console answered. */
interface Shown {
  readonly status: number;
  readonly location: string | null;
  readonly html: string;
}

/** A browser without a script: it keeps its cookie, reads pages, and sends their forms. */
export class ConsoleVisitor {
  readonly #base: string;
  cookie: string;

  /** @param url of the gateway. @param cookie of another browser, to be the same */
  constructor(url: string, cookie = '') {
    this.#base = new URL('/ui/', url).href;
    this.cookie = cookie;
  }

  /** @param path below `/ui/` */
  get(path: string): Promise<Shown> {
    return this.#send(path, {});
  }

  /** Sends the first form of a page that leads to an address, as the page has it, with these fields besides. */
  async submit(page: string, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const { html } = await this.get(page);
    const form = html.split('<form').find((part) => new RegExp(`action="[^"]*${action}"`).test(part)) ?? '';
    const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const known = hidden.map(([, name = '', value = '']) => [name, value]);
    return this.#send(action, {
      method: 'POST',
      body: new URLSearchParams({ ...Object.fromEntries(known), ...fields }),
    });
  }

  signIn(token: string): Promise<Shown> {
    return this.submit('login', 'login', { token });
  }

  async #send(path: string, request: RequestInit): Promise<Shown> {
    const headers = { cookie: this.cookie };
    const response = await fetch(new URL(path, this.#base), { redirect: 'manual', headers, ...request });
    const [given] = (response.headers.getSetCookie()[0] ?? '').split(';');
    if (given) this.cookie = given;
    return { status: response.status, location: response.headers.get('location'), html: await response.text() };
  }
}
