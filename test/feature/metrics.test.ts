import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { READINGS } from '../../src/base/observe/metrics/readings.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { REPOSITORY } from '../support/served-gateway.js';

const TOOLS = `({
  read_note: { tool: { annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: 'a note' }] }) },
  delete_note: { tool: {}, run: () => ({ content: [{ type: 'text', text: 'gone' }] }) },
})`;
const TOKEN = 'a-token-of-the-metrics';
const CLIENT = 'a-token-of-the-client';

let gateway: RunningGateway;

const scrape = (authorization: string): Promise<Response> =>
  fetch(gateway.url.replace('/mcp', '/metrics'), { headers: { authorization } });

/** The samples of a metric, as they are written. */
async function samplesOf(metric: string): Promise<readonly string[]> {
  const text = await (await scrape(`Bearer ${TOKEN}`)).text();
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
}

beforeAll(async () => {
  gateway = await hostGateway({
    clients: { team: { token: CLIENT } },
    metrics: { enabled: true, token: TOKEN },
    mcpServers: { notes: inlineServer(TOOLS), gone: { command: 'no-such-program' } },
  });
  await using client = await connectClient(gateway.url, 'legacy', { token: CLIENT });
  await client.call('mcp_aql_read', 'read_note');
  await client.callConfirmed('mcp_aql_delete', 'delete_note');
  await client.call('mcp_aql_read', 'a_name_that_a_client_made_up');
});
afterAll(() => gateway[Symbol.asyncDispose]());

it('counts calls by upstream, category and code, and confirmations that were asked for and given', async () => {
  const calls = await samplesOf('mcp_aql_calls_total');
  expect(calls).toContain('mcp_aql_calls_total{upstream="notes",category="READ",code="OK"} 1');
  expect(calls).toContain('mcp_aql_calls_total{upstream="notes",category="DELETE",code="CONFIRMATION_REQUIRED"} 1');
  expect(await samplesOf('mcp_aql_call_duration_seconds_count')).toContain(
    'mcp_aql_call_duration_seconds_count{upstream="notes",category="READ"} 1',
  );
  expect(await samplesOf('mcp_aql_confirmations_total')).toEqual([
    'mcp_aql_confirmations_total{requires="token",outcome="asked"} 1',
    'mcp_aql_confirmations_total{requires="token",outcome="given"} 1',
  ]);
});

it('gives what a client names, and is not in the catalog or the configuration, no label', async () => {
  expect(await samplesOf('mcp_aql_calls_total')).toContain(
    'mcp_aql_calls_total{upstream="none",category="none",code="NOT_FOUND_OPERATION"} 1',
  );
  expect((await samplesOf('mcp_aql_operation_calls_total')).join()).not.toContain('made_up');
  expect(await samplesOf('mcp_aql_client_calls_total')).toContain(
    'mcp_aql_client_calls_total{client="team",outcome="refused"} 2',
  );
});

it('says how the upstreams, the connections and the journal do at the moment of the scrape', async () => {
  expect(await samplesOf('mcp_aql_upstream_up')).toEqual([
    'mcp_aql_upstream_up{upstream="notes"} 1',
    'mcp_aql_upstream_up{upstream="gone"} 0',
  ]);
  expect(await samplesOf('mcp_aql_dependency_up')).toContain('mcp_aql_dependency_up{dependency="audit"} 1');
  const [received = ''] = await samplesOf('mcp_aql_http_received_bytes_total');
  expect(Number(received.split(' ')[1])).toBeGreaterThan(500);
});

it('serves the figures to who sends the token alone', async () => {
  expect((await scrape('')).status).toBe(401);
  expect((await scrape(`Bearer ${CLIENT}`)).status).toBe(401);
  expect((await scrape(`Bearer ${TOKEN}`)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
});

/** What Prometheus adds to every sample, and the bounds of histograms. */
const ADDED = ['job', 'instance', 'le'];

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

async function readExpressions(): Promise<readonly string[]> {
  const read = (path: string): Promise<string> => readFile(join(REPOSITORY, 'deploy', path), 'utf8');
  const { panels } = JSON.parse(await read('grafana/mcp-aql-gateway.json')) as Dashboard;
  const { groups } = parse(await read('prometheus/alerts.yaml')) as Alerts;
  return [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
}

const namesIn = (expression: string): readonly string[] => expression.match(/\b(?:mcp_aql|nodejs|process)_\w+/g) ?? [];

it('has every metric and every label that the dashboard and the alerts use', async () => {
  const text = await (await scrape(`Bearer ${TOKEN}`)).text();
  const types = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
  // Some have no sample here: those of a shared store.
  const labels = new Map<string, readonly string[]>(READINGS.map(({ name, labels: own }) => [name, own]));
  for (const [, name = '', list = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    labels.set(
      name,
      [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
  }
  const expressions = await readExpressions();
  expect(expressions.length).toBeGreaterThan(30);
  for (const expression of expressions) {
    const known = namesIn(expression).map((name) => {
      expect(types, expression).toContain(name.replace(/_bucket$/, ''));
      return labels.get(name) ?? [];
    });
    const used = [
      ...expression.matchAll(/[{,](\w+)(?:=~|!=|=)"/g),
      ...[...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => [...list.matchAll(/(\w+)/g)]),
    ].map(([, label]) => label);
    for (const label of used) expect([...known.flat(), ...ADDED], expression).toContain(label);
  }
});
