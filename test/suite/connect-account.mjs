/** Most redirects between a gateway's page and the authorization server. */
const MOST_STEPS = 10;

/**
 * Connects an account as a person's browser does: opens the gateway's page, agrees, follows the authorization server, which asks
 * nothing here, and comes back. Resolves with the last page.
 */
export async function connectAccount(page) {
  const { origin, pathname } = new URL(page);
  const cookies = new Map();
  const open = async (url, form) => {
    const isOwn = new URL(url).origin === origin;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: isOwn ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {},
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of isOwn ? response.headers.getSetCookie() : []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return { html: await response.text(), location: response.headers.get('location') };
  };
  const { html } = await open(page);
  const hidden = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  let at = await open(origin + pathname, new URLSearchParams({ ...fields, intent: 'connect' }));
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const next = at.location ?? /content="0;url=([^"]+)"/.exec(at.html)?.[1]?.replaceAll('&amp;', '&');
    if (next === undefined) break;
    at = await open(new URL(next, origin));
  }
  return at.html;
}
