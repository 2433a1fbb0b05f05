import { type ComparedLine, compareLines, toReadableJson } from '../../lib/compare-lines.js';
import { type Html, html } from '../../lib/html.js';
import { measureJson } from '../../lib/json-size.js';

/** Longer definitions are not written out: no person reads them, and writing them takes time. */
const LONGEST_JSON = 400_000;

/** A JSON value as a whole, where a person can read it. @param text of it, where it is known: shown in part where it is long */
export function boundedJson(value: unknown, text = ''): Html {
  if (text.length < LONGEST_JSON && measureJson(value, LONGEST_JSON) < LONGEST_JSON)
    return html`<pre><bdi dir="ltr">${toReadableJson(value)}</bdi></pre>`;
  return html`<p>It is too long to be shown as a whole.</p><pre><bdi dir="ltr">${text.slice(0, SHOWN_OF_LONG)}</bdi></pre>`;
}

const SHOWN_OF_LONG = 20_000;

/** How a JSON value differs from another, line by line. @param most lines that are shown */
export function jsonDifference(before: unknown, after: unknown, most?: number): Html {
  const isLong = [before, after].some((value) => measureJson(value, LONGEST_JSON) >= LONGEST_JSON);
  if (isLong) return html`<p>It is too long to be shown here: read it in the lock, or ask the server.</p>`;
  return lineDifference(toReadableJson(before), toReadableJson(after), most);
}

const SIGNS: Readonly<Record<ComparedLine['kind'], string>> = { same: ' ', removed: '-', added: '+', 'left-out': '…' };

/** Said by screen readers, which pass over signs. */
const WORDS: Readonly<Record<ComparedLine['kind'], string>> = {
  same: '',
  removed: 'removed: ',
  added: 'added: ',
  'left-out': 'left out: ',
};

/** How a text differs from another, line by line. @param most lines that are shown */
export function lineDifference(before: string, after: string, most?: number): Html {
  const lines = compareLines(before, after, most);
  if (lines.length === 0) return html`<p>Nothing differs.</p>`;
  const written = lines.map(
    ({ kind, text }) =>
      html`<span class="${kind}"><span aria-hidden="true">${SIGNS[kind]} </span><span class="unseen">${WORDS[kind]}</span><bdi>${text}</bdi>
</span>`,
  );
  return html`<pre class="difference" dir="ltr">${written}</pre>`;
}
