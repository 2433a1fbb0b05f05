import { parseArgs } from 'node:util';
import { GATEWAY } from './process/programs.mjs';

/** The scenarios by name, in the order in which they run. */
export const SCENARIOS = ['http', 'stdio', 'gate', 'answers', 'start', 'scale', 'sessions', 'crash'];

/** Part of the others, or about what is not on by default: to be asked for by name. */
export const PARTS = ['big', 'watching', 'safety'];

/** Those with figures of their own in docs/performance.md. */
const SECTIONS = ['safety'];

const DEFAULT_EFFORT = {
  rounds: 9,
  slice: { leadMs: 50, durationMs: 450 },
  warmUpMs: 5000,
  // Gateways that differ by a few per cent.
  compare: { rounds: 12, copies: 5 },
  gate: { repeats: 24, calls: 8000 },
  answers: {
    warmUpRepeats: 3,
    warmUpCalls: 10_000,
    rows: { repeats: 2, calls: 1 },
    small: { repeats: 8, calls: 4000 },
    crowd: 1000,
  },
  sizes: [10, 1000, 5000, 10_000],
  starts: 3,
  sessions: [1000, 10_000],
  crashes: 3,
};
const QUICK_EFFORT = {
  rounds: 2,
  slice: { leadMs: 20, durationMs: 100 },
  warmUpMs: 200,
  compare: { rounds: 2, copies: 1 },
  gate: { repeats: 10, calls: 4000 },
  answers: {
    warmUpRepeats: 1,
    warmUpCalls: 2000,
    rows: { repeats: 1, calls: 1 },
    small: { repeats: 4, calls: 4000 },
    crowd: 150,
  },
  sizes: [10, 1000, 10_000],
  starts: 1,
  sessions: [1000],
  crashes: 1,
};

export const USAGE = `npm run bench -- [options]

  --quick            fewer and shorter rounds: under a minute, and only good for a first look
  --only SCENARIO    ${SCENARIOS.join(', ')}; may be given several times;
                     or ${PARTS.join(', ')}: the big answers of http and stdio alone; what metrics, traces and
                     the access log cost a call; what the safety loop costs a call
  --rounds N         measure so many rounds
  --json             print the measurements as JSON
  --write            replace the table in docs/performance.md; with --only safety the one of the safety loop
  --gateway FILE     measure another build of the gateway (default: dist/cli/main.js)
`;

/** Reads the command line. Throws with a sentence for the reader. */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      gateway: { type: 'string', default: GATEWAY },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.only ?? []).filter((name) => ![...SCENARIOS, ...PARTS].includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are ${SCENARIOS.join(', ')}`);
  const section = values.only?.length === 1 ? SECTIONS.find((name) => name === values.only[0]) : undefined;
  if (values.write && (values.quick || (values.only !== undefined && section === undefined))) {
    throw new Error(`--write needs the whole measurement, or one of ${SECTIONS.join(', ')} alone: leave --quick out`);
  }
  const effort = values.quick ? QUICK_EFFORT : DEFAULT_EFFORT;
  const asked = values.rounds === undefined ? {} : { rounds: readCount(values.rounds) };
  return {
    ...effort,
    ...asked,
    compare: { ...effort.compare, ...asked },
    scenarios: values.only ?? SCENARIOS,
    json: values.json,
    write: values.write,
    section,
    program: values.gateway,
    help: values.help,
  };
}

function readCount(text) {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--rounds takes a whole number from 1, not ${text}`);
  return count;
}
