import type { Gateway } from '../../../gateway/gateway.js';
import { type Html, html } from '../../../lib/html.js';
import { estimateTokens } from '../../../lib/token-estimate.js';
import { inTime, runInSlices, type Sliced } from '../../../lib/turns.js';
import type { RateSample } from '../../../observe/call-rates.js';
import { table } from '../components.js';
import { definePage, type OpenPart } from '../page.js';
import { plot } from '../plot.js';

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
export interface Registration {
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

export interface FiguresModel {
  readonly samples: readonly RateSample[];
  readonly saved: readonly Registration[];
}

export function writeFigures({ samples, saved }: FiguresModel): Html {
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
