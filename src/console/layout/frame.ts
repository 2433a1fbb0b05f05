import { type Content, exactly, type Html, html } from '../../base/lib/html.js';

/** What an operator reads at the top of the next page. */
export interface Notice {
  readonly text: Content;
  readonly failed?: boolean;
}

/** What an action's button says, and what it sends. */
interface FormOptions {
  /** Sent along, as they are. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly class?: string;
}

/** How a page refers to others: relative to where it stands, so that a proxy may put the console below any path. */
export class Frame {
  readonly #root: string;
  readonly #csrf: string;

  /** @param path of the page below `/ui/`. @param csrf what every form of this session carries */
  constructor(path: string, csrf: string) {
    this.#root = rootOf(path);
    this.#csrf = csrf;
  }

  /** The address of a page or file below `/ui/`. Names in it need `encodeURIComponent`. */
  to(path: string): string {
    return `${this.#root}${path}`;
  }

  /** A form that runs an action. */
  form(action: string, content: Content, { fields = {}, class: style = '' }: FormOptions = {}): Html {
    const hidden = Object.entries({ csrf: this.#csrf, ...fields }).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${exactly(value)}">`,
    );
    return html`<form method="post" action="${this.to(action)}" class="${style}">${hidden}${content}</form>`;
  }
}

/** The way from a page up to `/ui/`. */
export function rootOf(path: string): string {
  return '../'.repeat(path.split('/').length - 1) || './';
}

/** One page around its content. */
interface Surroundings {
  readonly frame: Frame;
  readonly title: string;
  /** Absent on the page on which operators sign in. */
  readonly signedIn?: {
    readonly operator: string;
    /** The pages in the navigation. */
    readonly sections: readonly { readonly path: string; readonly title: string }[];
    readonly section: string;
  };
  readonly notices: readonly Notice[];
  /** What to ask for changes of this page; absent where it does not refresh itself. */
  readonly events?: string | undefined;
  /** Where the browser goes on to by itself; a form's answer cannot lead to another site, as `form-action` holds for redirects too. */
  readonly onward?: string;
}

/** The whole document. */
export function layOut({ frame, title, signedIn, notices, events, onward }: Surroundings, content: Html): Html {
  const live = events === undefined ? undefined : html` data-events="${frame.to(events)}"`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${onward === undefined ? undefined : html`<meta http-equiv="refresh" content="0;url=${onward}">`}
<title>${title} - mcp-aql-gateway</title>
<link rel="stylesheet" href="${frame.to('console.css')}">
<script src="${frame.to('console.js')}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${signedIn && writeHeader(frame, signedIn)}
<div id="notices" role="status">${notices.map(writeNotice)}</div>
<main id="main" tabindex="-1"${live}>
${content}
</main>
</body>
</html>
`;
}

function writeHeader(frame: Frame, { operator, sections, section }: NonNullable<Surroundings['signedIn']>): Html {
  const links = sections.map(({ path, title }) => {
    const current = path === section ? html` aria-current="page"` : undefined;
    return html`<li><a href="${frame.to(path)}"${current}>${title}</a></li>`;
  });
  const out = frame.form('logout', html`<span>${operator}</span> <button>Sign out</button>`, { class: 'line' });
  return html`<header><nav aria-label="Sections"><ul>${links}</ul></nav>${out}</header>`;
}

function writeNotice({ text, failed = false }: Notice): Html {
  return html`<p class="${failed ? 'failed' : 'done'}">${text}</p>`;
}
