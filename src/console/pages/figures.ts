import { type Html, html } from '../../base/lib/html.js';
import { estimateTokens } from '../../base/lib/token-estimate.js';
import type { RateSample } from '../../base/observe/call-rates.js';
import type { Tally } from '../../base/observe/server-courses.js';
import type { Gateway } from '../../gateway/gateway.js';
import { categoryChip, count, empty, pageHead, panel, stack, table } from '../layout/components.js';
import { bar, chart } from '../layout/drawings.js';
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
        place: { icon: 'figures', group: 2 },
        // A new span begins every ten seconds.
        pulse: () =>
          rates
            ?.samples()
            .slice(-2)
            .map(({ at, ok }) => [at, ok === 0]),
        read: (): FiguresModel => ({
          samples: rates?.samples() ?? [],
          categories: rates?.categories() ?? [],
          codes: rates?.codes() ?? [],
          saved: countTokens(gateway, counted),
        }),
        render: writeFigures,
      }),
    ],
    actions: [],
  };
};

/** What a registration costs a model's context. */
export interface Registration {
  readonly what: string;
  readonly tools: number;
  readonly tokens: number;
}

/** The first is what a client would hold without the gateway. */
export function countTokens(gateway: Gateway, counted: WeakMap<object, number>): readonly Registration[] {
  const measure = (what: string, tools: readonly unknown[]): Registration => {
    let tokens = 0;
    for (const tool of tools) {
      if (typeof tool !== 'object' || tool === null) continue;
      const known = counted.get(tool) ?? estimateTokens(JSON.stringify(tool));
      counted.set(tool, known);
      tokens += known;
    }
    return { what, tools: tools.length, tokens };
  };
  const upstreams = measure(
    "the servers' tools",
    gateway.toolSets().flatMap(({ tools }) => tools),
  );
  const registrations = [upstreams, measure(`the gateway, mode ${gateway.shown().mode}`, gateway.shown().tools)];
  for (const { name } of gateway.config.views) {
    const shown = gateway.inView(name);
    if (shown !== undefined) registrations.push(measure(`view ${name}`, shown.shown().tools));
  }
  return registrations;
}

interface FiguresModel {
  readonly samples: readonly RateSample[];
  readonly categories: readonly Tally[];
  readonly codes: readonly Tally[];
  readonly saved: readonly Registration[];
}

function writeFigures({ samples, categories, codes, saved }: FiguresModel): Html {
  return html`${pageHead({ title: 'Figures', about: 'The last half hour of this process. Durations are rounded up; tokens are estimated.', live: true })}
${stack(
  samples.length === 0
    ? html`<section class="panel">${empty('Calls are not counted in this process')}</section>`
    : writeCharts(samples),
  html`<div class="columns columns-1-1">${panel('What is called', writeCalled(categories), describeSum(categories))}
${panel('What did not succeed, by code', writeCodes(codes), describeSum(codes))}</div>`,
  panel('Tokens saved', [
    writeSaved(saved),
    html`<p class="panel-foot">Tokens are estimated. The command <code>mcp-aql-gateway tokens</code> counts them, and those of answers.</p>`,
  ]),
)}`;
}

/** One question a chart; failures have a scale of their own, so that they do not lie on the zero line. */
function writeCharts(samples: readonly RateSample[]): Html {
  const times = samples.map(({ at }) => at);
  const rate = (of: 'ok' | 'refused' | 'failed') => samples.map((sample) => sample[of] / sample.seconds);
  const calls = chart('Calls that were answered', 'a second', times, [
    { name: 'answered', style: 's-1', values: rate('ok') },
  ]);
  const bad = chart('Calls that did not succeed', 'a second', times, [
    { name: 'refused', style: 's-warn', values: rate('refused') },
    { name: 'failed', style: 's-bad', values: rate('failed') },
  ]);
  const durations = chart('How long calls take', 'ms', times, [
    { name: 'median', style: 's-2', values: samples.map(({ median }) => median) },
    { name: '95th percentile', style: 's-1', values: samples.map(({ p95 }) => p95) },
  ]);
  return html`${panel('How much is called', calls, 'by ten seconds')}
<div class="columns columns-1-1">${panel('What did not succeed', bad, 'by ten seconds')}
${panel('How long calls take', durations, 'by ten seconds')}</div>`;
}

function describeSum(tallies: readonly Tally[]): string {
  const sum = tallies.reduce((all, each) => all + each.count, 0);
  return `${count(sum, 'call')} in 30 min`;
}

/** Calls by category, each with its share. */
export function writeCalled(categories: readonly Tally[]): Html {
  return writeTallies('Calls by category', 'Family', categories, ({ name }) =>
    name === '' ? html`<span class="soft">no operation</span>` : categoryChip(name),
  );
}

function writeCodes(codes: readonly Tally[]): Html {
  return writeTallies('Calls that did not succeed, by code', 'Code', codes, ({ name }) => {
    const words = name.split('_').map((word, index) => html`${index === 0 ? '' : '_'}<wbr>${word}`);
    return html`<span class="mono small">${words}</span>`;
  });
}

function writeTallies(caption: string, head: string, tallies: readonly Tally[], write: (tally: Tally) => Html): Html {
  const most = Math.max(1, ...tallies.map((each) => each.count));
  return table({
    caption,
    columns: [head, ['Share', 'share'], ['Calls', 'num']],
    rows: tallies.map((tally) => [write(tally), bar(tally.count / most), tally.count.toLocaleString('en')]),
    none: 'None in the last half hour.',
    style: 'narrow',
  });
}

/** What a model has to read, with the gateway and without it. */
function writeSaved(saved: readonly Registration[]): Html {
  const [without] = saved;
  const rows = saved.map((each) => {
    const { what, tools, tokens } = each;
    const isLess = without !== undefined && each !== without && tokens < without.tokens;
    const share = isLess ? `${(100 - (tokens / without.tokens) * 100).toFixed(1)} %` : each === without ? '' : 'none';
    return [what, tools, tokens.toLocaleString('en'), share];
  });
  return table({
    caption: 'What a model has to read before its first call',
    columns: ['Registration', ['Tools', 'num'], ['Tokens', 'num'], ['Saved', 'num']],
    rows,
    none: '',
    style: 'wide-first',
  });
}
