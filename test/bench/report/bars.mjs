/** The first bars; what is not measured is left out. */
const BARS = [
  ...[
    ['HTTP -> HTTP', 1, 0.95],
    ['HTTP -> HTTP', 16, 0.85],
    ['HTTP -> HTTP', 64, 0.85],
    ['HTTP -> stdio', 16, 0.75],
  ].map(([path, concurrency, least]) => rateBar(path, 'echo 64 B', concurrency, least)),
  rowBar(
    'HTTP -> HTTP',
    'echo 64 B',
    16,
    "p99 at most 2 x the floor's",
    ({ p99 }) => p99.median,
    (value) => value <= 2,
  ),
  rowBar(
    'HTTP -> HTTP',
    'echo 64 B',
    16,
    "CPU a call at most 1.25 x the floor's",
    ({ cpu }) => cpu.gateway / cpu.floor,
    (value) => value <= 1.25,
  ),
  rateBar('HTTP -> HTTP', '1,000 objects', 16, 1.0),
  rateBar('HTTP -> stdio', '1,000 objects', 16, 0.9),
  rateBar('HTTP -> HTTP', 'echo 64 kB', 16, 0.95),
  rateBar('HTTP -> stdio', 'echo 64 kB', 16, 0.9),
  {
    name: 'an allowed READ, no rules: policy takes under 5 % of a call',
    of: ({ gate }) => gateShare(gate, 'defaults'),
    holds: (value) => value < 5,
  },
  {
    name: 'an allowed READ, 50 rules that do not look at parameters: policy takes under 5 % of a call',
    of: ({ gate }) => gateShare(gate, 'rules'),
    holds: (value) => value < 5,
  },
  {
    name: 'filter + sort + fields over 10,000 rows: under 50 ms more',
    of: ({ answers }) => answers?.rows.asked.find(({ name }) => name === 'three').added.median,
    holds: (value) => value < 50,
  },
  {
    name: 'many big results at once: at most `results.keptBytes` are kept (measured / bound)',
    of: ({ answers }) => answers && answers.crowd.heldBytes / answers.crowd.keptBytes,
    holds: (value) => value <= 1,
  },
  {
    name: 'cost of a call at 10,000 operations within 10 % of that at 10 (rate at least 0.9 of it)',
    of: ({ scale }) => scale?.sizes.find(({ tools }) => tools === 10_000).cost.rate.median,
    holds: (value) => value >= 0.9,
  },
  ...[
    [1, 1.6],
    [5000, 2],
  ].map(([tools, bar]) => ({
    name: `ready with ${tools.toLocaleString('en')} tool${tools === 1 ? '' : 's'}: at most ${bar} x the floor`,
    of: ({ start }) => start?.find((size) => size.tools === tools).ratio.median,
    holds: (value) => value <= bar,
  })),
  {
    name: 'resident memory at start with 1 tool: at most 85 MB',
    of: ({ start }) => start && start[0].gatewayKilobytes.median / 1024,
    holds: (value) => value <= 85,
  },
  {
    name: 'idle session with 10,000 open: at most 6 kB of resident memory',
    of: ({ sessions }) => sessions?.find((count) => count.sessions === 10_000)?.residentKilobytes,
    holds: (value) => value <= 6,
  },
  {
    name: 'stdio crash: calls succeed within 200 ms of the server being startable',
    of: ({ crash }) => recoveryOf(crash, 'stdio'),
    holds: (value) => value <= 200,
  },
  {
    name: 'stdio crash: READ calls in flight that were lost: none',
    of: ({ crash }) => crash?.find(({ upstream }) => upstream === 'stdio').lost.readInFlight,
    holds: (value) => value === 0,
  },
];

/** The rate over the floor's: the median of the rounds. */
function rateBar(path, payload, concurrency, least) {
  const rateOf = ({ rate }) => rate.gateway.median;
  return rowBar(path, payload, concurrency, `rate / floor at least ${least}`, rateOf, (value) => value >= least);
}

function rowBar(path, payload, concurrency, words, figureOf, holds) {
  const isRow = (row) => row.path === path && row.payload === payload && row.concurrency === concurrency;
  return {
    name: `${path}, ${payload}, ${concurrency} at once: ${words}`,
    of: ({ http = [], stdio = [], big = [] }) => {
      const row = [...http, ...stdio, ...big].find(isRow);
      return row && figureOf(row);
    },
    holds,
  };
}

/** In percent; NaN where the process's CPU is not known. */
function gateShare(gate, name) {
  const share = gate?.rows.find((row) => row.name === name).share.median;
  return gate && (share ?? Number.NaN) * 100;
}

/** Infinite where it never recovered, so that the bar does not hold. */
function recoveryOf(crash, name) {
  const found = crash?.find(({ upstream }) => upstream === name);
  if (found === undefined) return undefined;
  return found.recovered ? found.recoveryMs.median : Number.POSITIVE_INFINITY;
}

/** @returns `{name, value, holds}` for each bar that was measured */
export function judgeBars(results) {
  return BARS.map(({ name, of, holds }) => ({ name, value: of(results), holds }))
    .filter(({ value }) => value !== undefined && !Number.isNaN(value))
    .map(({ name, value, holds }) => ({ name, value, holds: holds(value) }));
}
