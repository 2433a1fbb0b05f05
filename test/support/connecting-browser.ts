import { signIn } from './authorization-server.mjs';

/** A person's browser on the gateway's pages: it keeps the gateway's cookie, and follows forms and links. */
export class ConnectingBrowser {
  readonly #cookies = new Map<string, string>();

  /** Opens a page of the gateway. */
  async open(url: string | URL, form?: URLSearchParams): Promise<{ readonly status: number; readonly html: string }> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return { status: response.status, html: await response.text() };
  }

  /** Opens a link, shows by this way who it is, and resolves with the page that follows. */
  async agree(link: string, way: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { html } = await this.open(link);
    const form = html.split('<form').find((each) => each.includes(`value="${way}"`));
    if (form === undefined) return html;
    const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    const target = new URL(link);
    return (
      await this.open(target.origin + target.pathname, new URLSearchParams({ ...fields, intent: 'connect', ...more }))
    ).html;
  }

  /** Signs in where a page leads to, and resolves with the page of the gateway that follows. */
  async signIn(page: string, login: string): Promise<string> {
    const target = /content="0;url=([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    if (target === undefined) return page;
    const { location } = await signIn(target, login);
    return (await this.open(location)).html;
  }

  /** The same where an authorization server agrees without asking; where it sends nobody back, the page of its own. */
  async pass(page: string): Promise<string> {
    const target = /content="0;url=([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    if (target === undefined) return page;
    const there = await fetch(target, { redirect: 'manual' });
    const back = there.headers.get('location');
    return back === null ? there.text() : (await this.open(back)).html;
  }

  /** Does all of it: who it is here, and who it is at the server. */
  async connect(link: string, here: string, there: string): Promise<string> {
    const departed = await this.agree(link, 'issuer:corp');
    return this.signIn(await this.signIn(departed, here), there);
  }
}
