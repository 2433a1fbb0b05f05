import { type Html, html } from '../../base/lib/html.js';
import type { CourseMinute } from '../../base/observe/server-courses.js';

const MARKS: Readonly<Record<CourseMinute['state'], readonly [style: string, height: number]>> = {
  up: ['g', 4],
  shaken: ['w', 9],
  down: ['b', 14],
  unknown: ['o', 2],
};

/** A minute in which more than this share of the calls failed wants a look. */
const MANY_FAILED = 0.05;

/** Half an hour of a server: a healthy minute is a low mark, so that the eye stops where something rises. */
export function strip(minutes: readonly CourseMinute[]): Html {
  const marks = minutes.map((minute, index) => {
    const isShaken = minute.state === 'up' && minute.failed > (minute.ok + minute.failed) * MANY_FAILED;
    const [style, height] = MARKS[isShaken ? 'shaken' : minute.state];
    return html`<rect class="${style}" x="${index * 4}" y="${15 - height}" width="3" height="${height}" rx=".75"/>`;
  });
  const words = describe(minutes);
  return html`<svg class="strip" viewBox="0 0 ${minutes.length * 4 - 1} 16" role="img" aria-label="${words}"><title>${words}</title>${marks}</svg>`;
}

function describe(minutes: readonly CourseMinute[]): string {
  const number = (state: CourseMinute['state']): number => minutes.filter((each) => each.state === state).length;
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  const parts = [
    [number('down'), 'min down'],
    [number('shaken'), 'min with a change'],
    [failed, 'failed calls'],
  ] as const;
  const seen = parts.filter(([many]) => many > 0).map(([many, what]) => `${many} ${what}`);
  return seen.length === 0 ? 'no trouble in the last 30 minutes' : `in the last 30 minutes: ${seen.join(', ')}`;
}

const WIDTH = 120;
const HEIGHT = 32;

/** The course of a number, beside which it stands; a value that is absent leaves a gap. */
export function spark(values: readonly (number | undefined)[], style = ''): Html {
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0)) * 1.15;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    if (value === undefined) return '';
    const point = `${(index * step).toFixed(1)} ${(HEIGHT - (value / top) * HEIGHT).toFixed(1)}`;
    return values[index - 1] === undefined ? `M${point}h.5` : `L${point}`;
  });
  return html`<svg class="spark ${style}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path d="${points.join('')}"/></svg>`;
}

/** A share of a whole. @param share from 0 to 1 */
export function bar(share: number, style = ''): Html {
  const width = (Math.min(1, Math.max(0, share)) * 100).toFixed(1);
  return html`<svg class="bar ${style}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" width="100" height="6"/><rect width="${width}" height="6"/></svg>`;
}

/** One line of a chart. */
interface Series {
  readonly name: string;
  /** The class that colours it: `s-1`, `s-2`, `s-good`, `s-warn`, `s-bad`. */
  readonly style: string;
  readonly values: readonly (number | undefined)[];
}

/**
 * Lines over time: a table that stays readable, of which a script draws the chart where there is one.
 * @param times when each value's span began, in milliseconds since the epoch, the oldest first
 */
export function chart(caption: string, unit: string, times: readonly number[], series: readonly Series[]): Html {
  const key = series.map(({ name, style, values }) => {
    const last = values.findLast((value) => value !== undefined);
    const read = last === undefined ? '–' : `${write(last)} ${unit}`;
    return html`<span><svg class="${style}" viewBox="0 0 14 10" aria-hidden="true"><path d="M0 5h14"/></svg>${name} <b data-read>${read}</b></span>`;
  });
  const heads = series.map(
    ({ name, style }) => html`<th scope="col" class="num" data-line="${style}">${name} (${unit})</th>`,
  );
  const rows = times.map((at, index) => {
    const iso = new Date(at).toISOString();
    const cells = series.map(({ values }) => html`<td class="num">${write(values[index])}</td>`);
    return html`<tr><td><time datetime="${iso}">${iso.slice(11, 19)}</time></td>${cells}</tr>
`;
  });
  return html`<figure class="chart" data-unit="${unit}"><figcaption class="chart-key">${key}</figcaption>
<div class="chart-canvas" aria-hidden="true"></div>
<details open id="n-${caption.toLowerCase().replaceAll(' ', '-')}"><summary>The same in numbers</summary>
<div class="table" tabindex="0" role="region" aria-label="${caption}, in numbers"><table><caption class="hidden">${caption}, the newest first</caption>
<thead><tr><th scope="col">From (UTC)</th>${heads}</tr></thead><tbody>${rows.toReversed()}</tbody></table></div></details></figure>`;
}

/** A number for people: three digits that count. */
export function write(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
