import type { Figures, UpstreamFigures } from './figures.js';

/** The values of one metric by its labels. */
type Rows = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** A metric that is read at each scrape. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  /** A counter only grows while the process runs. */
  readonly kind: 'gauge' | 'counter';
  readonly labels: readonly string[];
  readonly read: (figures: Figures) => Rows;
}

const ofUpstreams =
  (figureOf: (upstream: UpstreamFigures) => number | undefined) =>
  ({ gateway }: Figures): Rows =>
    gateway.upstreams.flatMap((figures) => {
      const value = figureOf(figures);
      return value === undefined ? [] : [[{ upstream: figures.upstream }, value] as const];
    });

const only = (value: number | undefined): Rows => (value === undefined ? [] : [[{}, value]]);

const by = (label: string, values: Readonly<Record<string, number>>): Rows =>
  Object.entries(values).map(([key, value]) => [{ [label]: key }, value]);

const UPSTREAM = ['upstream'];

/** Every metric that is not counted as things happen. */
export const READINGS: readonly Reading[] = [
  {
    name: 'mcp_aql_upstream_up',
    help: 'Whether calls of the upstream are answered: ready, or started by the next call.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ isUp }) => Number(isUp)),
  },
  {
    name: 'mcp_aql_upstream_state',
    help: 'The state of the upstream: 1 for the present one.',
    kind: 'gauge',
    labels: ['upstream', 'state'],
    read: ({ gateway }) => gateway.upstreams.map(({ upstream, state }) => [{ upstream, state }, 1]),
  },
  {
    name: 'mcp_aql_upstream_tools',
    help: 'Tools that the upstream offers.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ tools }) => tools),
  },
  {
    name: 'mcp_aql_upstream_restarts_total',
    help: 'Starts of and connections to the upstream after the first, failed ones included.',
    kind: 'counter',
    labels: UPSTREAM,
    read: ofUpstreams(({ restarts }) => restarts),
  },
  {
    name: 'mcp_aql_upstream_required',
    help: 'Whether the gateway is ready only where the upstream is.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ isRequired }) => Number(isRequired)),
  },
  {
    name: 'mcp_aql_upstream_circuit_open',
    help: 'Whether calls of the upstream are refused for a while because too many have failed.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ isCircuitOpen }) => Number(isCircuitOpen)),
  },
  {
    name: 'mcp_aql_upstream_calls_in_flight',
    help: 'Calls that the upstream is answering.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ inFlight }) => inFlight),
  },
  {
    name: 'mcp_aql_upstream_calls_waiting',
    help: 'Calls that wait for a place at the upstream.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ waiting }) => waiting),
  },
  {
    name: 'mcp_aql_upstream_instances',
    help: 'Connections of an isolated upstream, one for each session or client.',
    kind: 'gauge',
    labels: UPSTREAM,
    read: ofUpstreams(({ instances }) => instances),
  },
  {
    name: 'mcp_aql_operations',
    help: 'Operations of the catalog by category.',
    kind: 'gauge',
    labels: ['category'],
    read: ({ gateway }) => by('category', gateway.operations),
  },
  {
    name: 'mcp_aql_context_tokens',
    help: "Estimated tokens of a client's context: with the gateway's tools, and with those of the upstreams instead.",
    kind: 'gauge',
    labels: ['tools'],
    read: ({ gateway: { tokens } }) => (tokens === undefined ? [] : by('tools', { ...tokens })),
  },
  {
    name: 'mcp_aql_dependency_up',
    help: 'Whether the audit journal and the state store can be used.',
    kind: 'gauge',
    labels: ['dependency'],
    read: ({ gateway: { dependencies } }) =>
      Object.entries(dependencies).map(([dependency, works]) => [{ dependency }, Number(works)]),
  },
  {
    name: 'mcp_aql_audit_lost_records_total',
    help: 'Audit records that could not be written.',
    kind: 'counter',
    labels: [],
    read: ({ gateway }) => only(gateway.lostRecords),
  },
  {
    name: 'mcp_aql_executions',
    help: 'Executions and agents of this gateway, those included that have ended and are kept.',
    kind: 'gauge',
    labels: ['state'],
    read: ({ gateway }) => by('state', gateway.executions ?? {}),
  },
  {
    name: 'mcp_aql_answer_threads_busy',
    help: 'Threads that read a large answer.',
    kind: 'gauge',
    labels: [],
    read: ({ gateway }) => only(gateway.threads.busy),
  },
  {
    name: 'mcp_aql_answer_threads_waiting',
    help: 'Large answers that wait for a thread.',
    kind: 'gauge',
    labels: [],
    read: ({ gateway }) => only(gateway.threads.waiting),
  },
  {
    name: 'mcp_aql_other_replicas',
    help: 'Other gateways of the store, by whether their configuration and key are the same as here.',
    kind: 'gauge',
    labels: ['configuration'],
    read: ({ gateway: { replicas } }) => (replicas === undefined ? [] : by('configuration', { ...replicas })),
  },
  {
    name: 'mcp_aql_reload_successful',
    help: 'Whether the last reload took the configuration; absent before the first.',
    kind: 'gauge',
    labels: [],
    read: ({ gateway: { reload } }) => only(reload && Number(reload.isInForce)),
  },
  {
    name: 'mcp_aql_reload_timestamp_seconds',
    help: 'When the last reload was.',
    kind: 'gauge',
    labels: [],
    read: ({ gateway }) => only(gateway.reload?.atSeconds),
  },
  {
    name: 'mcp_aql_streams',
    help: 'Open event streams.',
    kind: 'gauge',
    labels: [],
    read: ({ server }) => only(server?.streams),
  },
  {
    name: 'mcp_aql_http_requests_open',
    help: 'HTTP requests to MCP that are not answered yet; streams among them.',
    kind: 'gauge',
    labels: [],
    read: ({ server }) => only(server?.requests),
  },
  {
    name: 'mcp_aql_tasks',
    help: 'Calls that are kept as tasks of their clients.',
    kind: 'gauge',
    labels: [],
    read: ({ server }) => only(server?.tasks),
  },
  {
    name: 'mcp_aql_http_received_bytes_total',
    help: 'Bytes from clients, with headers.',
    kind: 'counter',
    labels: [],
    read: ({ server }) => only(server?.receivedBytes),
  },
  {
    name: 'mcp_aql_http_sent_bytes_total',
    help: 'Bytes to clients, with headers.',
    kind: 'counter',
    labels: [],
    read: ({ server }) => only(server?.sentBytes),
  },
];
