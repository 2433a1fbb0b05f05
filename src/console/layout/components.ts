import { type Content, type Html, html } from '../../base/lib/html.js';
import type { Category, DangerLevel } from '../../base/protocol/operation.js';
import { shape, type Tone } from './shapes.js';

/** A name or text that others wrote: its letters cannot reorder what stands around it. */
export function foreign(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<bdi>${text}</bdi>`;
}

/** An operation's name, which may be broken between its words alone. */
export function operationName(name: string): Html {
  const words = name.split(/(?<=_)(?=[^_])/).map((word, index) => html`${index === 0 ? '' : html`<wbr>`}${word}`);
  return html`<bdi class="mono">${words}</bdi>`;
}

interface PageHead {
  /** The page that this one belongs to. */
  readonly crumb?: Html;
  /** A sentence with the figures in it, where there is something to say. */
  readonly title: Content;
  readonly about?: Content;
  readonly actions?: Content;
  /** Whether the page follows what happens. */
  readonly live?: boolean;
}

const LIVE = html`<span class="live" title="This page follows what happens by itself"><svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4"/></svg>Live</span>`;

/** What a page answers, before it lists anything. */
export function pageHead({ crumb, title, about, actions, live = false }: PageHead): Html {
  return html`<div class="page-head"><div>${crumb && html`<p class="crumb">${crumb}</p>`}<h1>${title}</h1>${about === undefined ? undefined : html`<p>${about}</p>`}</div>
<div class="actions">${live ? LIVE : undefined}${actions}</div></div>`;
}

/** A surface with one subject. @param aside at the end of its heading */
export function panel(title: Content, body: Content, aside?: Content): Html {
  const end = aside === undefined ? undefined : html`<span class="small faint">${aside}</span>`;
  return html`<section class="panel"><div class="panel-head"><h2>${title}</h2>${end}</div>
${body}</section>`;
}

/** What stands in a panel with room around it. */
export function body(content: Content): Html {
  return html`<div class="panel-body">${content}</div>`;
}

export function stack(...contents: readonly Content[]): Html {
  return html`<div class="stack">${contents}</div>`;
}

/** One thing to say about a page. */
export function alert(tone: Exclude<Tone, 'off'>, content: Content): Html {
  return html`<section class="alert ${tone}">${content}</section>`;
}

/** Nothing is there, and what would be. */
export function empty(title: Content, more?: Content): Html {
  return html`<div class="empty"><b>${title}</b>${more}</div>`;
}

/** A state: a shape, a word, a colour. @param isCalm where the state is the rule, so that the eye does not stop there */
export function state(tone: Tone, word: Content, isCalm = tone === 'good' || tone === 'off'): Html {
  return html`<span class="state ${tone}${isCalm ? ' calm' : ''}">${shape(tone)}${word}</span>`;
}

/** A property; without a tone a plain one. */
export function chip(text: Content, tone?: Exclude<Tone, 'off'>): Html {
  return tone === undefined
    ? html`<span class="chip">${text}</span>`
    : html`<span class="chip chip-${tone}">${shape(tone)}${text}</span>`;
}

const DANGER_TONES: Readonly<Record<DangerLevel, Exclude<Tone, 'off'> | undefined>> = {
  safe: undefined,
  reversible: undefined,
  destructive: 'warn',
  dangerous: 'bad',
  forbidden: 'bad',
};

export function dangerChip(level: DangerLevel): Html {
  return chip(level, DANGER_TONES[level]);
}

/** The family is no judgement, and has no colour. */
export function categoryChip(category: Category | string): Html {
  return html`<span class="family">${category}</span>`;
}

/** Names and what they are, one below the other; what is not known is left out. */
export function facts(entries: readonly (readonly [name: Content, value: Content])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${known.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
  )}</dl>`;
}

/** A column by its name, and by the classes of its cells: how it is aligned, and when it goes. */
type Column = string | readonly [name: string, style: string];

interface TableParts {
  /** What a screen reader says first. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Content[])[];
  /** Instead of a table without rows. */
  readonly none: Content;
  /**
   * Of the table: `wide-first` where the first column takes the room, `pairs` where the second stands beside it on a phone, `narrow` where
   * it fits one as it is.
   */
  readonly style?: string;
}

/** A table; where there is little room each row is a name and a line, so that nothing has to be moved sideways. */
export function table({ caption, columns, rows, none, style = '' }: TableParts): Html {
  if (rows.length === 0) return html`<div class="empty">${none}</div>`;
  const named = columns.map((column) => (typeof column === 'string' ? ([column, ''] as const) : column));
  const cells = (row: readonly Content[]): readonly Html[] =>
    row.map((cell, index) => {
      const [name = '', look = ''] = named[index] ?? [];
      return html`<td role="cell" data-label="${name}" class="${look}">${cell}</td>`;
    });
  return html`<div class="table"><table role="table" class="${style === 'narrow' ? '' : 'stacked '}${style}"><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${named.map(([name, look]) => html`<th role="columnheader" scope="col" class="${look}">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${cells(row)}</tr>
`,
  )}</tbody></table></div>`;
}

/** A value as JSON: what a text holds cannot be taken for the escape of an invisible character, as its backslashes are doubled. */
export function jsonValue(value: unknown): Html {
  return html`<pre class="value"><bdi dir="ltr">${JSON.stringify(value, null, 2)}</bdi></pre>`;
}

/** That a list leaves some out, where it does. @param most entries on the page */
export function cutNote(most: number, all: number): Html | undefined {
  return most < all ? html`<p class="panel-foot">The first ${most} of ${all}.</p>` : undefined;
}

/** A number of things, in words. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
