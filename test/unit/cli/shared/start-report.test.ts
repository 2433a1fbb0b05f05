import { describe, expect, it } from 'vitest';
import { describeStart, printAddress, printOnceSettled, printTotals } from '../../../../src/cli/shared/start-report.js';
import type { Gateway, UpstreamSummary } from '../../../../src/gateway/gateway.js';

const URL = 'http://127.0.0.1:1/mcp';
const NEVER = new Promise<void>(() => undefined);

function collect() {
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) } as unknown as NodeJS.WritableStream;
  return { terminal: { out, err: out }, text: () => written.join('') };
}

/** A gateway whose catalog has as many operations as servers are ready; a list that has come is in it when the tools are asked for. */
function startingGateway(states: readonly UpstreamSummary['state'][]) {
  let current = states;
  let known = 0;
  const readyOf = () => current.filter((state) => state === 'ready').length;
  let finish = (): void => undefined;
  const settled = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const gateway = {
    config: { endpoint: { mode: 'semantic', profile: { name: 'crude' } } },
    settled,
    toolSets: () => [],
    async toolList() {
      known = readyOf();
      return { toolsJson: '[]' };
    },
    status: () => ({
      operations: known,
      families: [{ name: 'read', tool: 'mcp_aql_read', operations: known }],
      upstreams: current.map((state, index) => ({ name: `s${index}`, state })),
    }),
  };
  const settle = (next: readonly UpstreamSummary['state'][]) => {
    current = next;
    finish();
  };
  return { gateway: gateway as unknown as Gateway, settle };
}

describe('the report of a start', () => {
  it('counts what has come so far, and says how many servers are missing, while some start', async () => {
    const { gateway } = startingGateway(['ready', 'starting', 'waiting', 'starting']);
    const { terminal, text } = collect();
    await printTotals(gateway, await describeStart(gateway, URL, false), terminal, NEVER);
    expect(text()).toBe('So far 1 operations in mode semantic, profile crude: read 1; 2 servers are still starting\n');
  });

  it('counts once more when all servers have been tried, in one catalog', async () => {
    const { gateway, settle } = startingGateway(['ready', 'starting', 'disabled']);
    const { terminal, text } = collect();
    const done = printOnceSettled(gateway, URL, terminal, NEVER);
    settle(['ready', 'ready', 'disabled']);
    await done;
    expect(text()).toContain('All servers have been tried: 2 of 2 are ready\n2 operations in mode semantic');
    expect(text()).not.toContain('So far');
  });

  it('shows how a client authenticates where clients do', async () => {
    const { gateway } = startingGateway([]);
    const report = await describeStart(gateway, URL, true);
    const { terminal, text } = collect();
    printAddress({ clients: [{ name: 'client', keys: [], groups: [] }] }, report, '/data/client.token', terminal);
    expect(text()).toContain(`aql ${URL} --header "Authorization: Bearer $(cat '/data/client.token')"`);
    expect(text()).toContain('"headers":{"Authorization":"Bearer TOKEN"}');
  });

  it('shows no header where everyone may enter', async () => {
    const { gateway } = startingGateway([]);
    const { terminal, text } = collect();
    printAddress({ clients: [] }, await describeStart(gateway, URL, true), undefined, terminal);
    expect(text()).not.toContain('Authorization');
  });
});
