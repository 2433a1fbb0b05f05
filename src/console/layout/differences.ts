import { diffArrays } from 'diff';
import { isJsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { type Html, html } from '../../base/lib/html.js';
import { escapeInvisible } from '../../base/lib/text.js';

/** Longer definitions are not written out: no person reads them, and writing them takes time. */
const LONGEST_JSON = 400_000;

/** A JSON value as a whole, where a person can read it. @param text of it, where it is known: shown in part where it is long */
export function boundedJson(value: unknown, text = ''): Html {
  if (text.length < LONGEST_JSON && measureJson(value, LONGEST_JSON) < LONGEST_JSON)
    return html`<pre class="code"><bdi dir="ltr">${toReadableJson(value)}</bdi></pre>`;
  return html`<p>It is too long to be shown as a whole.</p><pre class="code"><bdi dir="ltr">${text.slice(0, SHOWN_OF_LONG)}</bdi></pre>`;
}

const SHOWN_OF_LONG = 20_000;

/** How a JSON value differs from another, line by line. @param most lines that are shown */
export function jsonDifference(before: unknown, after: unknown, most?: number): Html {
  const isLong = [before, after].some((value) => measureJson(value, LONGEST_JSON) >= LONGEST_JSON);
  if (isLong)
    return html`<p class="panel-body soft">It is too long to be shown here: read it in the lock, or ask the server.</p>`;
  return lineDifference(toReadableJson(before), toReadableJson(after), most);
}

const STYLES: Readonly<Record<ComparedLine['kind'], string>> = {
  same: '',
  removed: 'minus',
  added: 'plus',
  'left-out': 'gap',
};

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
  if (lines.length === 0) return html`<p class="panel-body soft">Nothing differs.</p>`;
  const written = lines.map(
    ({ kind, text }) =>
      html`<li class="${STYLES[kind]}"><span class="hidden">${WORDS[kind]}</span><bdi>${text}</bdi></li>`,
  );
  return html`<ol class="diff" dir="ltr">${written}</ol>`;
}

/** Members of a configuration that hold what nobody should read in passing. References to variables are none. */
const SECRET = /"[^"]*(?:token|secret|passw|authorization|api[-_]?key)[^"]*"\s*:\s*"((?!\$\{)(?:[^"\\]|\\.){4,})"/gi;

/** How a file of the configuration would change; secrets that it holds already are not shown. */
export function fileDifference({ before, after }: { readonly before: string; readonly after: string }): Html {
  const secrets = [...before.matchAll(SECRET)].map(([, value = '']) => value);
  const hide = (text: string): string =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
  return lineDifference(hide(before), hide(after));
}

/** A line of a comparison; `left-out` stands for lines that are not shown. */
interface ComparedLine {
  readonly kind: 'same' | 'removed' | 'added' | 'left-out';
  readonly text: string;
}

/** Lines of each text that are compared, and lines of the comparison that are kept. */
const MOST_LINES = 4_000;
const MOST_SHOWN = 600;
/** The work grows with the square of the edits. Texts that differ in more are shown one after the other. */
const MOST_EDITS = 300;
/** Equal lines around a change that are shown. */
const CONTEXT = 3;
const LONGEST_LINE = 160;

/** How two texts differ, line by line, in bounded work: what is too much is cut, and says so. @param most lines that are kept */
export function compareLines(before: string, after: string, most = MOST_SHOWN): readonly ComparedLine[] {
  const [old, now] = [toLines(before), toLines(after)];
  const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS });
  const lines = changes?.flatMap(({ added, removed, value }) =>
    value.map((text): ComparedLine => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text })),
  ) ?? [
    ...old.map((text): ComparedLine => ({ kind: 'removed', text })),
    ...now.map((text): ComparedLine => ({ kind: 'added', text })),
  ];
  return cutLines(leaveOutEqual(lines), most);
}

function toLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.replace(/\n$/, '').split('\n', MOST_LINES);
  return lines.flatMap(foldLine).slice(0, MOST_LINES);
}

/** A long line in parts that end with sentences where it has some, so that a changed word changes one of them. */
function foldLine(line: string): readonly string[] {
  if (line.length <= LONGEST_LINE) return [line];
  const cut = line.slice(0, MOST_LINES * LONGEST_LINE);
  return cut.match(FOLDS) ?? [cut];
}

const FOLDS = new RegExp(`.{1,${LONGEST_LINE - 1}}(?:[.!?;,] |\\\\n)|.{1,${LONGEST_LINE}}`, 'gs');

/** Keeps the lines around changes. */
function leaveOutEqual(lines: readonly ComparedLine[]): readonly ComparedLine[] {
  const shown = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near += 1) shown.add(near);
  }
  const kept: ComparedLine[] = [];
  let left = 0;
  const endGap = (): void => {
    if (left > 0) kept.push(gapOf(left, 'equal lines'));
    left = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (shown.has(index)) {
      endGap();
      kept.push(line);
    } else left += 1;
  }
  if (kept.length > 0) endGap();
  return kept;
}

function cutLines(lines: readonly ComparedLine[], most: number): readonly ComparedLine[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), gapOf(lines.length - most, 'more lines')];
}

function gapOf(count: number, what: string): ComparedLine {
  return { kind: 'left-out', text: `${count} ${what}` };
}

/** A JSON value as text for people: members in order of their names, and invisible characters escaped. */
export function toReadableJson(value: unknown): string {
  return value === undefined ? '' : escapeInvisible(JSON.stringify(sortMembers(value), null, 2));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortMembers(value[name])]));
}
