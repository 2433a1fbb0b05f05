import { type Html, html } from '../../base/lib/html.js';
import { estimateTokens } from '../../base/lib/token-estimate.js';
import type { RateSample } from '../../base/observe/call-rates.js';
import { inTime, runInSlices, type Sliced } from '../../base/turns/turns.js';
import type { Gateway } from '../../gateway/gateway.js';
import { table } from '../layout/components.js';
import { definePage, type OpenPart } from '../layout/page.js';

const SECTION = 'figures';

/** How often is called, how long that takes, and what the gateway saves a model. */
export const openFigures: OpenPart = (gateway, { rates }) => {
  const counted = new WeakMap<object, number>();
  return {
    pages: [
      definePage({
        path: SECTION,
        title: 'Figures',
        section: SECTION,
        // A new span begins every ten seconds.
        pulse: () =>
          rates
            ?.samples()
            .slice(-2)
            .map(({ at, ok }) => [at, ok === 0]),
        read: async (): Promise<FiguresModel> => ({
          samples: rates?.samples() ?? [],
          saved: await runInSlices(inTime(countTokens(gateway, counted))),
        }),
        render: writeFigures,
      }),
    ],
    actions: [],
  };
};

/** What a registration costs a model's context. */
interface Registration {
  readonly what: string;
  readonly tools: number;
  readonly tokens: number;
}

/** Tool by tool, as thousands of tools take longer than a turn has. The first is what a client would hold without the gateway. */
function* countTokens(gateway: Gateway, counted: WeakMap<object, number>): Sliced<readonly Registration[]> {
  const measure = function* (what: string, tools: readonly unknown[]): Sliced<Registration> {
    let tokens = 0;
    for (const tool of tools) {
      if (typeof tool !== 'object' || tool === null) continue;
      const known = counted.get(tool) ?? estimateTokens(JSON.stringify(tool));
      counted.set(tool, known);
      tokens += known;
      yield;
    }
    return { what, tools: tools.length, tokens };
  };
  const upstreams = yield* measure(
    "the servers' tools",
    gateway.toolSets().flatMap(({ tools }) => tools),
  );
  const registrations = [upstreams, yield* measure(`the gateway, mode ${gateway.mode()}`, toolsOf(gateway))];
  for (const { name } of gateway.config.views) {
    const shown = gateway.inView(name);
    if (shown !== undefined) registrations.push(yield* measure(`view ${name}`, toolsOf(shown)));
  }
  return registrations;
}

/** None while the first tools of a server are being read. */
function toolsOf(gateway: Gateway): readonly unknown[] {
  const list = gateway.toolList();
  return list instanceof Promise ? [] : list.tools;
}

interface FiguresModel {
  readonly samples: readonly RateSample[];
  readonly saved: readonly Registration[];
}

function writeFigures({ samples, saved }: FiguresModel): Html {
  const perSecond = (key: 'ok' | 'refused' | 'failed') => samples.map((sample) => sample[key] / sample.seconds);
  const rates = plot(
    'Calls a second',
    [
      { name: 'answered', style: 'first', values: perSecond('ok') },
      { name: 'refused', style: 'second', values: perSecond('refused') },
      { name: 'failed', style: 'third', values: perSecond('failed') },
    ],
    'a second',
  );
  const latencies = plot(
    'How long calls take',
    [
      { name: 'median', style: 'first', values: samples.map(({ median }) => median) },
      { name: '95th percentile', style: 'third', values: samples.map(({ p95 }) => p95) },
    ],
    'ms',
  );
  return html`<h1>Figures</h1>
${samples.length === 0 ? html`<p>Calls are not counted in this process.</p>` : html`${rates}${latencies}`}
<details id="numbers"><summary>The same in numbers</summary>${writeNumbers(samples)}</details>
<h2>Tokens saved</h2>
${writeSaved(saved)}
<p>Tokens are estimated. The command <code>mcp-aql-gateway tokens</code> counts them, and those of answers.</p>`;
}

/** The last minutes. */
const MOST_ROWS = 30;

function writeNumbers(samples: readonly RateSample[]): Html {
  const rows = samples
    .slice(-MOST_ROWS)
    .toReversed()
    .map(({ at, ok, refused, failed, median, p95 }) => [
      `${new Date(at).toISOString().slice(11, 19)} UTC`,
      ok,
      refused,
      failed,
      median === undefined ? 'none' : Math.round(median),
      p95 === undefined ? 'none' : Math.round(p95),
    ]);
  const columns = ['From', 'Answered', 'Refused', 'Failed', 'Median (ms)', '95th percentile (ms)'];
  return table({ caption: 'Calls by ten seconds, the newest first', columns, rows, none: 'No calls were counted.' });
}

function writeSaved(saved: readonly Registration[]): Html {
  const [without] = saved;
  const rows = saved.map((each) => {
    const { what, tools, tokens } = each;
    const isLess = without !== undefined && each !== without && tokens < without.tokens;
    const share = isLess ? `${(100 - (tokens / without.tokens) * 100).toFixed(1)} %` : each === without ? '' : 'none';
    return [what, tools, tokens, share];
  });
  return table({
    caption: 'What a model has to read before its first call',
    columns: ['Registration', 'Tools', 'Tokens', 'Saved'],
    rows,
    none: '',
  });
}

/** One line of a plot; a value that is absent leaves a gap. */
interface Series {
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
