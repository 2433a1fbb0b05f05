import { type Content, exactly, type Html, html } from '../../base/lib/html.js';
import { type IconName, icon, MARK, shape } from './shapes.js';

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

  /** A link to a page below `/ui/`. */
  link(path: string, content: Content, style = ''): Html {
    return html`<a href="${this.to(path)}" class="${style}">${content}</a>`;
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

/** Which gateway this is. */
export interface Instance {
  readonly name: string;
  readonly environment?: string | undefined;
  readonly version: string;
}

/** A number beside a section's name: of what is broken, of what waits, or of what there is. */
export interface Counter {
  readonly tone: 'bad' | 'warn' | 'plain';
  readonly value: number;
  /** What is counted, for those who do not see where it stands: `in trouble`. */
  readonly what: string;
}

/** A page in the navigation. */
export interface Section {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** What stands together: what is decided, looked after, looked back at. */
  readonly group: number;
  readonly counter?: Counter | undefined;
}

/** One page around its content. */
interface Surroundings {
  readonly frame: Frame;
  readonly title: string;
  readonly instance: Instance;
  /** Absent on the page on which operators sign in. */
  readonly signedIn?: {
    readonly operator: string;
    /** How long the gateway runs. */
    readonly up: string;
    readonly sections: readonly Section[];
    readonly section: string;
  };
  readonly notices: readonly Notice[];
  /** What to ask for changes of this page. */
  readonly events?: string | undefined;
  /** Where the browser goes on to by itself; a form's answer cannot lead to another site, as `form-action` holds for redirects too. */
  readonly onward?: string;
}

/** The whole document. */
export function layOut(surroundings: Surroundings, content: Html): Html {
  const { frame, title, instance, signedIn, onward } = surroundings;
  const { name, environment = '' } = instance;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${onward === undefined ? undefined : html`<meta http-equiv="refresh" content="0;url=${onward}">`}
<title>${title} · ${name} ${environment}</title>
<link rel="stylesheet" href="${frame.to('tokens.css')}">
<link rel="stylesheet" href="${frame.to('console.css')}">
<link rel="stylesheet" href="${frame.to('uplot.css')}">
<script src="${frame.to('uplot.js')}" defer></script>
<script src="${frame.to('charts.js')}" defer></script>
<script src="${frame.to('console.js')}" defer></script>
</head>
${signedIn === undefined ? writeOutside(surroundings, content) : writeInside(surroundings, signedIn, content)}
</html>
`;
}

/** The page on which operators sign in. */
function writeOutside({ frame, instance, notices }: Surroundings, content: Html): Html {
  return html`<body class="gateway">
<div class="gate">
${writeBrand(frame, instance)}
<div id="notices" role="status">${notices.map(writeNotice)}</div>
<main id="main" tabindex="-1">
${content}
</main>
<p class="hint signin-foot">Every sign-in is recorded. ${instance.version}</p>
</div>
</body>`;
}

function writeInside(
  { frame, instance, notices, events }: Surroundings,
  { operator, up, sections, section }: NonNullable<Surroundings['signedIn']>,
  content: Html,
): Html {
  const live = events === undefined ? undefined : html` data-events="${frame.to(events)}"`;
  const brand = writeBrand(frame, instance);
  const out = html`<span><bdi>${operator}</bdi><small>${instance.version} · up ${up}</small></span><button class="button-quiet">Sign out</button>`;
  return html`<body class="app">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<button type="button" class="button-quiet button-square" popovertarget="side" aria-label="Sections">${icon('menu')}</button>
${brand}
<span class="top-count">${sections.slice(0, LEADING).map((each) => writeTopCount(frame, each))}</span>
</header>
<div id="side" class="side" popover>
${brand}
<nav class="nav" aria-label="Sections">${writeGroups(frame, sections, section)}</nav>
${frame.form('logout', out, { class: 'side-foot' })}
</div>
<div class="page">
<div id="notices" role="status">${notices.map(writeNotice)}</div>
<main id="main" tabindex="-1"${live}>
${content}
</main>
</div>
</body>`;
}

/** On a phone the sections whose counters stand at the top of the page: Overview and what comes next. */
const LEADING = 2;

function writeTopCount(frame: Frame, { path, counter }: Section): Html | undefined {
  if (counter === undefined || counter.tone === 'plain') return undefined;
  const { tone, value, what } = counter;
  return html`<a class="chip chip-${tone}" href="${frame.to(path)}">${shape(tone)}${value} ${what}</a>`;
}

function writeBrand(frame: Frame, { name, environment }: Instance): Html {
  const style = environment === 'production' ? ' env-production' : '';
  const env = environment === undefined ? undefined : html`<span class="env${style}">${environment}</span>`;
  return html`<a class="brand" href="${frame.to('')}">${MARK}<span><b>mcp-aql-gateway</b><small><bdi>${name}</bdi>${env}</small></span></a>`;
}

function writeGroups(frame: Frame, sections: readonly Section[], current: string): readonly Html[] {
  const groups = [...new Set(sections.map(({ group }) => group))].toSorted();
  return groups.map((group) => {
    const links = sections.filter((each) => each.group === group).map((each) => writeSection(frame, each, current));
    return html`<ul>${links}</ul>
`;
  });
}

function writeSection(frame: Frame, { path, title, icon: name, counter }: Section, current: string): Html {
  const mark = path === current ? html` aria-current="page"` : undefined;
  const style = counter?.tone === 'plain' ? '' : ` count-${counter?.tone}`;
  const count =
    counter === undefined
      ? undefined
      : html`<span class="count${style}">${counter.value}<span class="hidden"> ${counter.what}</span></span>`;
  return html`<li><a href="${frame.to(path)}"${mark}>${icon(name)}${title}${count}</a></li>`;
}

function writeNotice({ text, failed = false }: Notice): Html {
  return html`<p class="alert ${failed ? 'bad' : 'good'}">${text}</p>`;
}
