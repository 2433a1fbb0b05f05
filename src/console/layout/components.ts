import { type Content, type Html, html } from '../../base/lib/html.js';

/** A name or text that others wrote: its letters cannot reorder what stands around it. */
export function foreign(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<bdi>${text}</bdi>`;
}

/** Names and what they are, one below the other. */
export function facts(entries: readonly (readonly [name: Content, value: Content])[]): Html {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

interface TableParts {
  /** What a screen reader says first. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Content[])[];
  /** Instead of a table without rows. */
  readonly none: string;
}

/** A table; on a narrow screen each row stands as a list of its own, so that nothing has to be moved sideways. */
export function table({ caption, columns, rows, none }: TableParts): Html {
  if (rows.length === 0) return html`<p>${none}</p>`;
  const cells = (row: readonly Content[]): readonly Html[] =>
    row.map((cell, index) => html`<td role="cell" data-label="${columns[index]}">${cell}</td>`);
  return html`<table role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${cells(row)}</tr>
`,
  )}</tbody></table>`;
}

/** A moment, in UTC: people of one incident may be in several time zones. @param time ISO 8601, or milliseconds since the epoch */
export function moment(time: string | number | undefined): Html | undefined {
  if (time === undefined) return undefined;
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A value as JSON: what a text holds cannot be taken for the escape of an invisible character, as its backslashes are doubled. */
export function jsonValue(value: unknown): Html {
  return html`<pre><bdi dir="ltr">${JSON.stringify(value, null, 2)}</bdi></pre>`;
}

/** That a list leaves some out, where it does. @param most entries on the page */
export function cutNote(most: number, all: number): Html | undefined {
  return most < all ? html`<p>The first ${most} of ${all}.</p>` : undefined;
}
