import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ISSUER_SIGN } from '../../protocol/caller.js';
import { ERROR_TABLE } from '../../protocol/error-table.js';
import type { Observation, Observer } from '../observation.js';
import type { Figures } from './figures.js';
import { READINGS, type Reading } from './readings.js';

/** Counts what is observed, and writes all figures for Prometheus. */
export interface Metrics {
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

/** Operations with a label of their own; those that are first called later share one. */
const MOST_OPERATIONS = 500;

/** What stands for whatever has no label of its own, and for what is absent. */
const OTHER = 'other';
const NONE = 'none';

/** From a built-in operation to a long call, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Call = Extract<Observation, { readonly kind: 'call' }>;

/** Labels come from the configuration, the catalog and the error table, so that no client can make new ones. */
export function openMetrics({ version, names }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name, help, labelNames, registers });
  const build = { name: 'mcp_aql_build_info', help: 'The version that runs: 1.', labelNames: ['version'], registers };
  new Gauge(build).set({ version }, 1);
  const calls = counter('mcp_aql_calls_total', 'Calls of operations, and how they ended.', [
    'upstream',
    'category',
    'code',
  ]);
  const durations = new Histogram({
    name: 'mcp_aql_call_duration_seconds',
    help: 'How long calls take, from the request to the written answer.',
    labelNames: ['upstream', 'category'],
    buckets: BUCKETS,
    registers,
  });
  const ofOperations = counter('mcp_aql_operation_calls_total', 'Calls by operation.', ['operation', 'outcome']);
  const ofClients = counter('mcp_aql_client_calls_total', 'Calls by configured client.', ['client', 'outcome']);
  const confirmations = counter('mcp_aql_confirmations_total', 'Calls that needed an agreement.', [
    'requires',
    'outcome',
  ]);
  const sessions = counter('mcp_aql_session_events_total', 'Sessions that began and ended.', ['event']);
  const open = new Gauge({
    name: 'mcp_aql_sessions',
    help: 'Sessions, and clients of the protocol without sessions.',
    registers,
  });
  const defects = counter('mcp_aql_defects_total', 'Unexpected errors of the gateway itself; the log has each.');
  const operations = new Set<string>();
  const labelOf = ({ operation, upstream }: Call): string => {
    // What a client calls that does not exist has no upstream.
    if (upstream === '') return NONE;
    if (operations.has(operation)) return operation;
    if (operations.size >= MOST_OPERATIONS) return OTHER;
    operations.add(operation);
    return operation;
  };
  const countCall = (call: Call): void => {
    const upstream = call.upstream || NONE;
    const category = call.category || NONE;
    const outcome = outcomeOf(call.code);
    calls.inc({ upstream, category, code: call.code });
    durations.observe({ upstream, category }, call.durationMs / 1_000);
    ofOperations.inc({ operation: labelOf(call), outcome });
    ofClients.inc({ client: nameClient(call.client, names()), outcome });
  };
  let read: (() => Figures) | undefined;
  const readings = READINGS.map((reading) => createReading(reading, registers));
  return {
    observe(observation) {
      if (observation.kind === 'call') countCall(observation);
      else if (observation.kind === 'session') {
        sessions.inc({ event: observation.event });
        open.inc(observation.event === 'opened' ? 1 : -1);
      } else if (observation.kind === 'defect') defects.inc();
      else if (observation.kind === 'confirmation') {
        const { requires, outcome } = observation;
        confirmations.inc({ requires, outcome });
      }
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

/** A refusal is an answer; a failure is a fault of a server or of the gateway. */
function outcomeOf(code: Call['code']): 'ok' | 'refused' | 'failed' {
  if (code === 'OK') return 'ok';
  return ERROR_TABLE[code].recoverable ? 'refused' : 'failed';
}

/** A client of an issuer counts as the issuer: how many clients it knows is not known here. */
function nameClient(client: string | undefined, known: ReadonlySet<string>): string {
  if (client === undefined) return NONE;
  if (known.has(client)) return client;
  const [issuer = ''] = client.split(ISSUER_SIGN, 1);
  return known.has(issuer) ? issuer : OTHER;
}
