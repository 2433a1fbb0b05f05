import { type Html, html } from '../../lib/html.js';

/** One line of a plot; a value that is absent leaves a gap. */
export interface Series {
  readonly name: string;
  /** Names its look in the style sheet. */
  readonly style: string;
  readonly values: readonly (number | undefined)[];
}

const WIDTH = 720;
const HEIGHT = 160;
const LEFT = 56;
const BOTTOM = 20;

/** Lines over time, as a picture with words for those who do not see it. @param unit behind the values */
export function plot(title: string, series: readonly Series[], unit: string): Html {
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const top = roundUp(Math.max(0, ...all));
  const lines = series.map(({ style, values }) => html`<path class="${style}" d="${pathOf(values, top)}"/>`);
  const legend = series.map(({ name, style, values }) => {
    const last = values.findLast((value) => value !== undefined);
    return html`<span class="legend"><svg width="16" height="10" aria-hidden="true"><path class="${style}" d="M0 5H16"/></svg>${name}: ${last === undefined ? 'none' : `${write(last)} ${unit}`}</span>`;
  });
  const words = `${title}: ${series.map(({ name, values }) => describe(name, values, unit)).join('; ')}`;
  return html`<figure class="plot"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words}">
<path class="axis" d="M${LEFT} 4V${HEIGHT - BOTTOM}H${WIDTH}"/>
<text x="${LEFT - 6}" y="14" text-anchor="end">${write(top)}</text><text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">0</text>
<text x="${LEFT}" y="${HEIGHT - 4}">30 minutes ago</text><text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">now</text>
${lines}</svg>
<p class="line">${legend}</p></figure>`;
}

/** Each stretch of values that are there is one line; a value alone is a short one. */
export function pathOf(values: readonly (number | undefined)[], top: number): string {
  const step = (WIDTH - LEFT) / Math.max(1, values.length - 1);
  const height = HEIGHT - BOTTOM - 6;
  return values
    .map((value, index) => {
      if (value === undefined) return '';
      const [x, y] = [LEFT + index * step, HEIGHT - BOTTOM - (value / top) * height].map((number) => number.toFixed(1));
      return values[index - 1] === undefined ? `M${x} ${y}h1` : `L${x} ${y}`;
    })
    .join('');
}

/** The next of 1, 2, 5, 10, 20 and so on. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((digit) => digit * power >= value) ?? 10) * power;
}

function describe(name: string, values: readonly (number | undefined)[], unit: string): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return `${name}: none`;
  return `${name}: ${write(known.at(-1) ?? 0)} ${unit} now, at most ${write(Math.max(...known))}`;
}

function write(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(2);
}
