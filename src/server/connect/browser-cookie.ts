import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const VALUE = /^[\w-]{43}$/;

/**
 * What tells a browser from others: a random value that it has from the page. Browsers send cookies to all ports of a host, so the name is
 * the gateway's own; over TLS no other site can set it (`__Host-`), as whoever can gives their own sign-in to someone else.
 */
export class BrowserCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor({ publicUrl, isSecure }: { readonly publicUrl: string; readonly isSecure: boolean }) {
    const own = createHash('sha256').update(publicUrl).digest('hex').slice(0, 12);
    this.#name = `${isSecure ? '__Host-' : ''}aql_connect_${own}`;
    // The prefix demands the path.
    this.#attributes = `HttpOnly; SameSite=Lax; Max-Age=3600; Path=${isSecure ? '/; Secure' : '/connect'}`;
  }

  /** Undefined where there is none, or several: one of them is not from here. */
  read({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
    const prefix = `${this.#name}=`;
    const found = cookie.split(/; */).filter((pair) => pair.startsWith(prefix));
    const [value = ''] = found.map((pair) => pair.slice(prefix.length));
    return found.length === 1 && VALUE.test(value) ? value : undefined;
  }

  write(value: string): string {
    return `${this.#name}=${value}; ${this.#attributes}`;
  }
}
