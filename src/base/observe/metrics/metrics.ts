import { Counter, type CounterConfiguration, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ISSUER_SIGN } from '../../protocol/caller.js';
import { type Observation, type Observer, outcomeOf } from '../observation.js';
import type { Figures } from './figures.js';
import { READINGS, type Reading } from './readings.js';

/** Counts what is observed, and writes all figures for Prometheus. */
interface Metrics {
  readonly observe: Observer;
  readonly contentType: string;
  /** Sets what is read at each scrape. */
  follow(read: () => Figures): void;
  text(): Promise<string>;
}

interface MetricsOptions {
  readonly version: string;
  /** The clients and issuers that the configuration names, at this moment: others share one label. */
  readonly names: () => ReadonlySet<string>;
}

/** Labels come from the configuration, the catalog and the error table, so that no client can make new ones. */
export function openMetrics({ version, names }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const build = { name: 'mcp_aql_build_info', help: 'The version that runs: 1.', labelNames: ['version'], registers };
  new Gauge(build).set({ version }, 1);
  const countCall = countCalls(registers, names);
  const countOther = countOthers(registers);
  const readings = READINGS.map((reading) => createReading(reading, registers));
  let read: (() => Figures) | undefined;
  return {
    observe(observation) {
      if (observation.kind === 'call') countCall(observation);
      else countOther(observation);
    },
    contentType: registry.contentType,
    follow(source) {
      read = source;
    },
    text() {
      const figures = read?.();
      if (figures !== undefined) for (const apply of readings) apply(figures);
      return registry.metrics();
    },
  };
}

/** Counts what happens beside calls. */
function countOthers(registers: Registry[]): Observer {
  const confirmations = new Counter({
    name: 'mcp_aql_confirmations_total',
    help: 'Calls that needed an agreement.',
    labelNames: ['requires', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'mcp_aql_session_events_total',
    help: 'Sessions that began and ended.',
    labelNames: ['event'],
    registers,
  });
  const sessions = new Gauge({
    name: 'mcp_aql_sessions',
    help: 'Sessions, and clients of the protocol without sessions.',
    registers,
  });
  const defects = new Counter({
    name: 'mcp_aql_defects_total',
    help: 'Unexpected errors of the gateway itself; the log has each.',
    registers,
  });
  return (observation) => {
    if (observation.kind === 'session') {
      events.inc({ event: observation.event });
      sessions.inc(observation.event === 'opened' ? 1 : -1);
    } else if (observation.kind === 'confirmation') {
      const { requires, outcome } = observation;
      confirmations.inc({ requires, outcome });
    } else if (observation.kind === 'defect') defects.inc();
  };
}

/** Writes a reading's present values in the place of those before. */
function createReading({ kind, read, ...names }: Reading, registers: Registry[]): (figures: Figures) => void {
  const config = { name: names.name, help: names.help, labelNames: names.labels, registers };
  const metric = kind === 'gauge' ? new Gauge(config) : new Counter(config);
  return (figures) => {
    metric.reset();
    // A metric without labels would be 0 where nothing is known.
    metric.remove({});
    for (const [labels, value] of read(figures)) metric.inc(labels, value);
  };
}

type Call = Extract<Observation, { readonly kind: 'call' }>;

/** Operations with a label of their own; those that are first called later share one. */
const MOST_OPERATIONS = 500;

/** What stands for whatever has no label of its own, and for what is absent. */
const OTHER = 'other';
const NONE = 'none';

/** From a built-in operation to a long call, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Whose a call is and what it does, for metrics with these labels: one object for each pair. */
type Kind = Readonly<Record<'upstream' | 'category', string>>;

/** Counts calls by what they called, by who called, and how they ended. @param names of clients and issuers that have labels */
export function countCalls(registers: Registry[], names: () => ReadonlySet<string>): (call: Call) => void {
  const calls = openTally<Kind>(
    { name: 'mcp_aql_calls_total', help: 'Calls, and how they ended.', labelNames: ['upstream', 'category', 'code'] },
    registers,
    (kind, code) => ({ ...kind, code }),
  );
  const durations = new Histogram({
    name: 'mcp_aql_call_duration_seconds',
    help: 'How long calls take, from the request to the written answer.',
    labelNames: ['upstream', 'category'],
    buckets: BUCKETS,
    registers,
  });
  const ofOperations = openTally<string>(
    { name: 'mcp_aql_operation_calls_total', help: 'Calls by operation.', labelNames: ['operation', 'outcome'] },
    registers,
    (operation, outcome) => ({ operation, outcome }),
  );
  const ofClients = openTally<string>(
    { name: 'mcp_aql_client_calls_total', help: 'Calls by configured client.', labelNames: ['client', 'outcome'] },
    registers,
    (client, outcome) => ({ client, outcome }),
  );
  const kindOf = rememberKinds();
  const known = new Set<string>();
  return (call) => {
    const kind = kindOf(call.upstream || NONE, call.category || NONE);
    const outcome = outcomeOf(call.code);
    calls(kind, call.code);
    durations.observe(kind, call.durationMs / 1_000);
    ofOperations(nameOperation(call, known), outcome);
    ofClients(nameClient(call.client, names()), outcome);
  };
}

/** One for each upstream and category that is called. */
function rememberKinds(): (upstream: string, category: string) => Kind {
  const kinds = new Map<string, Map<string, Kind>>();
  return (upstream, category) => {
    const found = kinds.get(upstream)?.get(category);
    if (found !== undefined) return found;
    const kind = { upstream, category };
    kinds.set(upstream, new Map([...(kinds.get(upstream) ?? []), [category, kind]]));
    return kind;
  };
}

/** @param known those that have labels */
function nameOperation({ operation, upstream }: Call, known: Set<string>): string {
  // What a client calls that does not exist has no upstream.
  if (upstream === '') return NONE;
  if (known.has(operation)) return operation;
  if (known.size >= MOST_OPERATIONS) return OTHER;
  known.add(operation);
  return operation;
}

/** A client of an issuer counts as the issuer: how many clients it knows is not known here. */
function nameClient(client: string | undefined, known: ReadonlySet<string>): string {
  if (client === undefined) return NONE;
  if (known.has(client)) return client;
  const [issuer = ''] = client.split(ISSUER_SIGN, 1);
  return known.has(issuer) ? issuer : OTHER;
}

/**
 * Opens a counter whose samples have two keys each, and returns what counts one. The numbers are in plain maps until a scrape: prom-client's
 * own `inc` checks and joins all labels each time.
 * @param labelsOf the labels of a sample: different ones for different keys
 */
function openTally<K>(
  config: Pick<CounterConfiguration<string>, 'name' | 'help' | 'labelNames'>,
  registers: Registry[],
  labelsOf: (first: K, second: string) => Readonly<Record<string, string>>,
): (first: K, second: string) => void {
  const counts = new Map<K, Map<string, number>>();
  new Counter({
    ...config,
    registers,
    collect() {
      this.reset();
      for (const [first, row] of counts) for (const [second, count] of row) this.inc(labelsOf(first, second), count);
    },
  });
  return (first, second) => {
    const row = counts.get(first);
    if (row === undefined) counts.set(first, new Map([[second, 1]]));
    else row.set(second, (row.get(second) ?? 0) + 1);
  };
}
