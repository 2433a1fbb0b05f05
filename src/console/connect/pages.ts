import { readAsset } from '../../base/asset.js';
import { exactly, type Html, html } from '../../base/lib/html.js';
import { MARK } from '../layout/shapes.js';

/** The look of the pages, which is the console's: at `/connect/style.css`, as the console may not be there. */
export function connectStyle(): string {
  return ['tokens', 'console'].map((name) => readAsset(`console/assets/${name}.css`)).join('\n');
}

/** The pages show names from configurations, and lead to authorization servers: nothing may run in them, frame them or be loaded. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The address holds a code. Forms need the origin: browsers send none with 'no-referrer'.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** How a person can prove who they are. */
export type Way =
  | { readonly kind: 'issuer'; readonly name: string }
  | { readonly kind: 'token' }
  | { readonly kind: 'local' };

interface ConsentPage {
  readonly server: string;
  /** Absent where the visitor must not know yet whether there is such a server. */
  readonly host: string | undefined;
  /** Whose call has asked for it, in words; absent where nobody's. */
  readonly whose: string | undefined;
  readonly ways: readonly Way[];
  /** Sent back with the form. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** The page on which a person agrees, or ends what was granted. */
export function writeConsent({ server, host, whose, ways, hidden }: ConsentPage): string {
  const asked =
    whose === undefined
      ? undefined
      : html`<p>A call of <strong>${whose}</strong> asks for this. If you did not make it, close this page.</p>`;
  const where = host === undefined ? undefined : html` at <strong>${host}</strong>`;
  return page(
    `Connect ${server}`,
    html`<h1>Connect your account of ${server}</h1>
<p class="soft lead">This gateway will call the server <strong>${server}</strong>${where} with your rights when you, signed in here, use its tools. You choose there what to grant.</p>${asked}
<p>First show who you are; the server's own sign-in follows.</p>${ways.map((way) => writeForm(way, hidden))}
<p class="hint">What you grant is kept for you alone. The same page disconnects your account.</p>`,
  );
}

const LABELS: Readonly<Record<Way['kind'], (way: Way) => string>> = {
  issuer: (way) => (way.kind === 'issuer' ? `Sign in at ${way.name}` : ''),
  token: () => "Use this client's token",
  local: () => 'Continue',
};

function writeForm(way: Way, hidden: Readonly<Record<string, string>>): Html {
  const fields = { ...hidden, way: way.kind === 'issuer' ? `issuer:${way.name}` : way.kind };
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${exactly(value)}">`,
  );
  const token =
    way.kind === 'token'
      ? html`<div class="field"><label for="token">The token of your client in this gateway</label><input id="token" type="password" name="token" autocomplete="off" required></div>`
      : undefined;
  const buttons = html`<button class="button-primary" name="intent" value="connect">${LABELS[way.kind](way)} and connect</button> <button name="intent" value="disconnect">Disconnect</button>`;
  return html`<form class="way" method="post">${inputs}${token}<div class="field actions">${buttons}</div></form>`;
}

/** Leads on to another site. A form's answer cannot: `form-action` holds for redirects too. */
export function writeDeparture(url: URL): string {
  const head = html`<meta http-equiv="refresh" content="0;url=${url.href}">`;
  return page('Going on', html`<p>Going on to <a href="${url.href}">${url.host}</a>.</p>`, head);
}

export function writeMessage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`);
}

function page(title: string, body: Html, head?: Html): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${head}<title>${title}</title><link rel="stylesheet" href="style.css"></head>
<body class="gateway"><div class="gate wide-gate"><div class="brand">${MARK}<span><b>mcp-aql-gateway</b></span></div><main class="panel">${body}</main></div></body></html>`.toString();
}
